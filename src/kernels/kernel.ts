import { InvalidInputError } from '../core/errors.ts';
import { describe, Matrix } from '../core/matrix.ts';
import { givenList } from '../core/options.ts';
import type { RadialProfile } from '../engine/tensors/ops.ts';
import * as op from '../engine/tensors/ops.ts';
import type { Tensor, Tensor1D, Tensor2D } from '../engine/tensors/tensorflow.ts';
import type { AnyPaths, TensorMap } from '../model/model.ts';
import type { Parameter } from '../model/parameter.ts';
import type { ExpectationInputs, Expectations } from './expectations/expectations.ts';

/**
 * A covariance function k(x, x'): a plain frozen description.
 * `covariance` and `diagonal` expect the natural parameter values as tensors, keyed as in `parameters`. P is the type of these values by path.
 */
export interface Kernel<P = AnyPaths> {
  readonly kind: 'kernel';
  /** Exists in types only. */
  readonly '~paths'?: P;
  /** Name of the kernel in parameter paths. */
  readonly name: string;
  /** Parameters of all its parts: `rbf.variance`, `rbf2.lengthscale`, … */
  readonly parameters: Readonly<Record<string, Parameter>>;
  /** How the kernel was composed; everything else known about it follows from its leaves. */
  readonly form: KernelForm;
  /**
   * Covariance of the rows of A (n×q) and B (m×q), an n×m tensor. If B is the same tensor as A, it is a Gram matrix. `inputs` (N×q) are the inputs of
   * the process.
   */
  readonly covariance: (p: TensorMap, A: Tensor2D, B: Tensor2D, inputs: Tensor2D) => Tensor2D;
  /** k(x, x) of every row of A, n entries, without the Gram matrix. */
  readonly diagonal: (p: TensorMap, A: Tensor2D, inputs: Tensor2D) => Tensor1D;
}

export type KernelForm =
  | KernelLeaf
  | { readonly type: 'add' | 'multiply'; readonly children: readonly Kernel[] }
  | { readonly type: 'scale'; readonly child: Kernel; readonly variance: Parameter }
  | { readonly type: 'select'; readonly child: Kernel; readonly columns: readonly number[] };

/** A kernel made by one definition. */
export interface KernelLeaf {
  readonly type: 'leaf';
  /** Default parameters of the definition, which determine the kind of a bare number. */
  readonly standard: Readonly<Record<string, Parameter>>;
  /** Options as plain JSON. */
  readonly options: Readonly<Record<string, unknown>>;
  /** Makes the same kernel with other parameters or options. */
  readonly remade: (changes: Readonly<Record<string, unknown>>) => Kernel;
  /** Further declarations of its definition about the covariance. */
  readonly capabilities: KernelCapabilities;
  /** Its tensors under the definition's names: `rbf.variance` becomes `variance`. */
  readonly own: (p: TensorMap) => TensorMap;
}

/** Natural values of a kernel by path, if its type knows them. */
export type PathsOf<K> = K extends Kernel<infer P> ? P : never;

/** Parameter paths of a kernel below its owner: `kernel.rbf.lengthscale`. */
export type KernelPaths<P> = { readonly [Path in keyof P & string as `kernel.${Path}`]: P[Path] };

/** Type of a parameter's value: the type of the initial number or list, or either for a `Parameter`. */
type NaturalOf<V> = V extends number
  ? number
  : V extends readonly number[]
    ? readonly number[]
    : number | readonly number[];

/** Paths of a kernel called Id whose parameters are numbers unless overridden. */
export type LeafPaths<Id extends string, Name extends string, Given> = string extends Id
  ? AnyPaths
  : { readonly [K in Name as `${Id}.${K}`]: K extends keyof Given ? NaturalOf<Given[K]> : number };

type Flat<P> = { readonly [K in keyof P]: P[K] };

/** Paths of sibling kernels. If two of them share a path, one will be renamed or both merged, so that the type of the paths is only `string`. */
export type JoinedPaths<Ks extends readonly unknown[], P = unknown> = Ks extends readonly [infer K, ...infer Rest]
  ? [keyof P & keyof PathsOf<K>] extends [never]
    ? JoinedPaths<Rest, P & PathsOf<K>>
    : AnyPaths
  : Ks extends readonly []
    ? Flat<P>
    : AnyPaths;

/**
 * Declarations of a definition about its covariance, in addition to the values. Sums, scales, selections and products of kernels derive their
 * declarations from their parts.
 *
 * P: natural values of the definition's parameters as tensors, by name.
 */
export interface KernelCapabilities<P = TensorMap> {
  /** Structure of its Gram matrix, used for linear algebra where that is cheaper than with an N×N matrix. */
  readonly structure?: KernelStructure<P>;
  /**
   * Closed-form expectations under Gaussian latents, for variational bounds. For rbf, constant and white noise they follow from the structure; for
   * other kernels without them, expectations are sums over nodes or samples.
   */
  readonly expectations?: (p: P, inputs: ExpectationInputs) => Expectations;
  /** For a kernel with open options: their values for a process that starts at these inputs (N×q). A model calls this once, before it is fitted. */
  readonly decidedAt?: (inputs: Matrix) => Readonly<Record<string, unknown>>;
}

/** Structures of a Gram matrix. */
export type KernelStructure<P = TensorMap> =
  /** variance·f(r²), r² = Σ_d ((x_d − x'_d)/lengthscale_d)², with parameters of these names. */
  | { readonly type: 'radial'; readonly profile: RadialProfile; readonly spectrum?: Spectrum | undefined }
  /** The parameter of this name for any two points. */
  | { readonly type: 'constant'; readonly parameter: string }
  /** The parameter of this name on the diagonal of a Gram matrix, 0 between two sets of points. */
  | { readonly type: 'white'; readonly parameter: string }
  | KernelFeatures<P>
  | KernelBasis<P>;

/**
 * Spectral density of a radial covariance of variance 1 and lengthscale 1 in q dimensions, at squared angular frequencies s = ‖ω‖²:
 * S(ω) = ∫ f(‖r‖²)·exp(−i·ωᵀr) dr.
 */
export type Spectrum = (s: Tensor, q: number) => Tensor;

/** k(A, B) = Φ(A)·Φ(B)ᵀ with finitely many features that are independent of the process's inputs. */
export interface KernelFeatures<P = TensorMap> {
  readonly type: 'features';
  /** Number of features for points with this number of columns. */
  readonly rank: (columns: number) => number;
  /** Φ, n×rank, for the rows of A (n×q). */
  readonly at: (p: P, A: Tensor2D) => Tensor2D;
}

/** k(X, X) = E² + UUᵀ with basis functions at the inputs X of the process. */
export interface KernelBasis<P = TensorMap> {
  readonly type: 'symmetricBasis';
  readonly at: (p: P, X: Tensor2D) => SymmetricBasis;
  /** log N(Y | 0, E² + UUᵀ + σ²I), with one factor for both gradients. */
  readonly logDensity: typeof op.symmetricBasisLogDensity;
}

/** N basis functions centered at the N inputs, and further features. */
export interface SymmetricBasis {
  /** E, N×N, symmetric. */
  readonly basis: Tensor2D;
  /** U, N×r. */
  readonly features: Tensor2D;
}

/**
 * Returns a function that selects columns of points.
 *
 * @throws InvalidInputError unless the columns are a list of whole numbers ≥ 0
 */
export function pickColumns(given: readonly number[]): {
  tensor(X: Tensor2D): Tensor2D;
  matrix(X: Matrix): Matrix;
} {
  const expected = 'a list of column numbers from 0';
  const columns = givenList(given, 'select', expected);
  if (columns.length === 0 || columns.some((c) => !Number.isInteger(c) || c < 0)) {
    throw new InvalidInputError(
      `select takes ${expected}, but ${describe(given)} ([${columns.map(describe)}]) was given.`,
    );
  }
  const check = (width: number) => {
    const beyond = columns.find((column) => column >= width);
    if (beyond === undefined) return;
    throw new InvalidInputError(`select asks for column index ${beyond}, but the inputs have ${width} columns.`);
  };
  return {
    tensor: (X) => {
      check(X.shape[1]);
      return op.gather(X, columns, 1) as Tensor2D;
    },
    matrix: (X) => {
      check(X.columns);
      return Matrix.from(X.toArrays().map((row) => columns.map((column) => row[column]!)));
    },
  };
}

/** A kernel among others, with unique names of its parameters. */
interface NamedPart {
  readonly parameters: Readonly<Record<string, Parameter>>;
  /** Extracts its tensors from the whole kernel's and renames them to its parameter names. */
  readonly own: (p: TensorMap) => TensorMap;
}

/**
 * Gives sibling kernels unique names. Every parameter is called `<name>.<parameter>` after its leaf or scale. Leaves with the same name are counted
 * from left to right through all sums and products: the second is `<name>2`, the third `<name>3`. Names depend on the order of the leaves only, not
 * on brackets.
 */
export function namedParts(kernels: readonly Kernel[], before: readonly string[] = []): NamedPart[] {
  const own = kernels.map(leafNames);
  const names = numbered([...before, ...own.flat()]).slice(before.length);
  let start = 0;
  return kernels.map((kernel, i) => {
    const segments = numbered(own[i]!);
    const renamed = new Map(segments.map((segment, k) => [segment, names[start + k]!]));
    start += segments.length;
    const keys = Object.keys(kernel.parameters).map((key): [string, string] => {
      const dot = key.indexOf('.');
      return [key, renamed.get(key.slice(0, dot))! + key.slice(dot)];
    });
    return {
      parameters: Object.fromEntries(keys.map(([key, name]) => [name, kernel.parameters[key]!])),
      own: (p) => Object.fromEntries(keys.map(([key, name]) => [key, p[name]!])),
    };
  });
}

/** Names of the leaves and scales of a kernel, from left to right. */
function leafNames(kernel: Kernel): string[] {
  const { form } = kernel;
  switch (form.type) {
    case 'leaf':
      return [kernel.name];
    case 'scale':
      return ['scale', ...leafNames(form.child)];
    case 'select':
      return leafNames(form.child);
    default:
      return form.children.flatMap(leafNames);
  }
}

/** Numbers equal names from the second on, skipping names that are taken. */
function numbered(names: readonly string[]): string[] {
  const taken = new Set(names);
  const next = new Map<string, number>();
  return names.map((name) => {
    let number = next.get(name);
    next.set(name, number ?? 2);
    if (number === undefined) return name;
    while (taken.has(name + number)) number++;
    taken.add(name + number);
    next.set(name, number + 1);
    return name + number;
  });
}

/** Contribution of a constant or white noise to a Gram matrix: one number on every entry, or on the diagonal. */
export interface Offset {
  readonly type: 'constant' | 'white';
  readonly variance: Tensor;
}

/** True for a constant or a white noise. */
export function isOffset({ form }: Kernel): boolean {
  const type = form.type === 'leaf' ? form.capabilities.structure?.type : undefined;
  return type === 'constant' || type === 'white';
}

/** The offset of a constant or a white noise at these values; undefined for any other kernel. */
export function offsetOf({ form }: Kernel, p: TensorMap): Offset | undefined {
  if (form.type !== 'leaf') return undefined;
  const { structure } = form.capabilities;
  if (structure?.type !== 'constant' && structure?.type !== 'white') return undefined;
  return { type: structure.type, variance: form.own(p)[structure.parameter]! };
}

/** Adds a constant or a white noise to K; `gram` is true if K is a Gram matrix. */
export function withOffset(K: Tensor2D, kernel: Kernel, p: TensorMap, gram: boolean): Tensor2D {
  const { type, variance } = offsetOf(kernel, p)!;
  if (type === 'constant') return op.add<Tensor2D>(K, variance);
  return gram ? op.addDiagonal(K, variance) : K;
}

/** @throws InvalidInputError if a list of lengthscales does not have one for each column of the inputs */
export function checkLengthscales(
  kernel: string,
  p: Readonly<Record<string, Tensor>>,
  { shape: [, columns] }: Tensor2D,
): void {
  const { lengthscale } = p;
  if (lengthscale === undefined || lengthscale.rank === 0 || lengthscale.size === 1 || lengthscale.size === columns)
    return;
  throw new InvalidInputError(
    `Kernel '${kernel}' has ${lengthscale.size} lengthscales, but its inputs have ${columns} ${columns === 1 ? 'column' : 'columns'}. Give one lengthscale, or one for each column; select(kernel, columns) takes some of the columns.`,
  );
}
