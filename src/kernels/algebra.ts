import { InvalidInputError } from '../core/errors.ts';
import { describe, type Matrix } from '../core/matrix.ts';
import * as op from '../engine/tensors/ops.ts';
import type { Tensor, Tensor1D, Tensor2D } from '../engine/tensors/tensorflow.ts';
import type { TensorMap } from '../model/model.ts';
import { type Parameter, type ParameterLike, parameterFrom, positive } from '../model/parameter.ts';
import {
  isOffset,
  type JoinedPaths,
  type Kernel,
  type LeafPaths,
  namedParts,
  type PathsOf,
  pickColumns,
  withOffset,
} from './kernel.ts';

/**
 * Sum of covariances: k(x, x') = Σ_i k_i(x, x'). Parameters keep the names of their kernels; a second `rbf` is `rbf2`.
 * Nested sums are flattened. Biases merge into one, and so do white noises, with the sum of their variances: the objective depends on their sum only.
 * They stay apart if one is fixed and the other free, or if their parameters have bounds, transforms or priors.
 *
 * @param kernels - two or more (one is returned unchanged)
 * @throws InvalidInputError if one is not a kernel, or is already nested 50 levels deep
 * @example
 * ```ts
 * add(rbf(), bias(), white());
 * ```
 */
export function add<const Ks extends readonly Kernel[]>(...kernels: Ks): Kernel<JoinedPaths<Ks>>;
export function add(...kernels: Kernel[]): Kernel {
  const children = merged(flattened('add', kernels));
  if (children.length === 1) return children[0]!;
  const parts = namedParts(children);
  const indices = children.map((_, i) => i);
  // Constants and white noises are added in place, without separate matrices.
  const [light, whole] = [true, false].map((offset) => indices.filter((i) => isOffset(children[i]!) === offset));
  const first = whole!.length > 0 ? whole! : light!.splice(0, 1);
  const sum = (p: TensorMap, A: Tensor2D, B: Tensor2D, inputs: Tensor2D): Tensor2D => {
    const covariance = (i: number) => children[i]!.covariance(parts[i]!.own(p), A, B, inputs);
    const onto = (K: Tensor2D, i: number) => withOffset(K, children[i]!, parts[i]!.own(p), A === B);
    return light!.reduce(onto, first.map(covariance).reduce((total, part) => op.add(total, part)) as Tensor2D);
  };
  return Object.freeze<Kernel>({
    kind: 'kernel',
    name: 'add',
    parameters: Object.freeze(Object.assign({}, ...parts.map((part) => part.parameters))),
    form: Object.freeze({ type: 'add', children: Object.freeze(children) }),
    covariance: sum,
    diagonal: (p, A, inputs) => diagonals(children, parts, p, A, inputs).reduce((total, part) => op.add(total, part)),
  });
}

/**
 * Product of covariances: k(x, x') = Π_i k_i(x, x'). Nested products are flattened; sums inside it are unchanged (see `expand`).
 *
 * @param kernels - two or more (one is returned unchanged)
 * @throws InvalidInputError if one is not a kernel
 * @example
 * ```ts
 * multiply(linear(), rbf());
 * ```
 */
export function multiply<const Ks extends readonly Kernel[]>(...kernels: Ks): Kernel<JoinedPaths<Ks>>;
export function multiply(...kernels: Kernel[]): Kernel {
  const children = flattened('multiply', kernels);
  if (children.length === 1) return children[0]!;
  const parts = namedParts(children);
  const product = (factors: Tensor[]) => factors.reduce((total, factor) => op.mul(total, factor));
  return Object.freeze<Kernel>({
    kind: 'kernel',
    name: 'multiply',
    parameters: Object.freeze(Object.assign({}, ...parts.map((part) => part.parameters))),
    form: Object.freeze({ type: 'multiply', children: Object.freeze(children) }),
    covariance: (p, A, B, inputs) =>
      product(children.map((child, i) => child.covariance(parts[i]!.own(p), A, B, inputs))) as Tensor2D,
    diagonal: (p, A, inputs) => product(diagonals(children, parts, p, A, inputs)) as Tensor1D,
  });
}

/**
 * A covariance times a variance: v·k(x, x').
 *
 * @param kernel - the kernel
 * @param variance - v > 0 (1); its path is `….scale.variance`
 * @throws InvalidInputError if the first is not a kernel or the second not a positive parameter
 * @example
 * ```ts
 * scale(linear({ variance: fixed(1) }), 2);
 * ```
 */
export function scale<K extends Kernel, const V extends ParameterLike = number>(
  kernel: K,
  variance?: V,
): Kernel<JoinedPaths<[Kernel<LeafPaths<'scale', 'variance', { variance: V }>>, K]>>;
export function scale(kernel: Kernel, variance: ParameterLike = 1): Kernel {
  const [child] = namedParts([checkKernel(kernel, 'scale')], ['scale']) as [ReturnType<typeof namedParts>[number]];
  const parameter = parameterFrom(variance, positive(1), 'the variance of scale');
  return Object.freeze<Kernel>({
    kind: 'kernel',
    name: 'scale',
    parameters: Object.freeze({ 'scale.variance': parameter, ...child.parameters }),
    form: Object.freeze({ type: 'scale', child: kernel, variance: parameter }),
    covariance: (p, A, B, inputs) =>
      op.mul(p['scale.variance']!, kernel.covariance(child.own(p), A, B, inputs)) as Tensor2D,
    diagonal: (p, A, inputs) => op.mul(p['scale.variance']!, kernel.diagonal(child.own(p), A, inputs)) as Tensor1D,
  });
}

/**
 * A covariance of selected columns of the inputs.
 *
 * @param kernel - the kernel
 * @param columns - columns of the latents, from 0
 * @throws InvalidInputError unless the columns are a list of whole numbers ≥ 0
 * @example
 * ```ts
 * add(select(rbf(), [0]), select(linear(), [1]));
 * ```
 */
export function select<K extends Kernel>(kernel: K, columns: readonly number[]): Kernel<PathsOf<K>>;
export function select(kernel: Kernel, columns: readonly number[]): Kernel {
  checkKernel(kernel, 'select');
  const pick = pickColumns(columns);
  return Object.freeze<Kernel>({
    kind: 'kernel',
    name: kernel.name,
    parameters: kernel.parameters,
    form: Object.freeze({ type: 'select', child: kernel, columns: Object.freeze([...columns]) }),
    covariance: (p, A, B, inputs) => {
      const own = pick.tensor(A);
      const other = A === B ? own : pick.tensor(B);
      return kernel.covariance(p, own, other, inputs === A ? own : inputs === B ? other : pick.tensor(inputs));
    },
    diagonal: (p, A, inputs) => {
      const own = pick.tensor(A);
      return kernel.diagonal(p, own, inputs === A ? own : pick.tensor(inputs));
    },
  });
}

export function isKernel(value: unknown): value is Kernel {
  try {
    const { kind, parameters, form, covariance, diagonal } = value as Partial<Kernel>;
    const isMade = typeof parameters === 'object' && typeof form?.type === 'string';
    return kind === 'kernel' && isMade && typeof covariance === 'function' && typeof diagonal === 'function';
  } catch {
    return false;
  }
}

/** Deepest nesting of kernels. */
const MOST_LEVELS = 50;

/** Depth of a kernel's nesting. */
function levelsOf({ form }: Kernel): number {
  if (form?.type === 'add' || form?.type === 'multiply') return 1 + Math.max(...form.children.map(levelsOf));
  return form?.type === 'scale' || form?.type === 'select' ? 1 + levelsOf(form.child) : 1;
}

export function checkKernel(value: unknown, caller: string): Kernel {
  if (isKernel(value)) {
    if (levelsOf(value) < MOST_LEVELS) return value;
    throw new InvalidInputError(
      `${caller} was given a kernel of ${MOST_LEVELS} kernels in each other, which is the most there may be. Write it with fewer scales, selections and brackets.`,
    );
  }
  const factory = typeof value === 'function' ? ' Call the factory: rbf(), not rbf.' : '';
  throw new InvalidInputError(`${caller} takes kernels, but ${describe(value)} was given.${factory}`);
}

/** The kernels, with nested kernels of the same type replaced by their children. */
function flattened(type: 'add' | 'multiply', kernels: readonly Kernel[]): readonly Kernel[] {
  if (kernels.length === 0) throw new InvalidInputError(`${type} takes at least one kernel, but none was given.`);
  return kernels.flatMap((kernel) => {
    const { form } = checkKernel(kernel, type);
    return form.type === type ? form.children : [kernel];
  });
}

function diagonals(
  children: readonly Kernel[],
  parts: ReturnType<typeof namedParts>,
  p: TensorMap,
  A: Tensor2D,
  inputs: Tensor2D,
): Tensor1D[] {
  return children.map((child, i) => child.diagonal(parts[i]!.own(p), A, inputs));
}

/**
 * The summands with constants merged into one and white noises into another, each at the position of its first member. Two merge if they come from
 * the same definition with one parameter, and their parameters are plain numbers of the same kind: both fixed, or both free with the definition's
 * support and without bounds, transform or prior. Only then does the merged parameter mean the same.
 */
function merged(summands: readonly Kernel[]): readonly Kernel[] {
  const result: Kernel[] = [];
  /** Indices of summands that others could merge with: at most two of a definition. */
  const open: number[] = [];
  for (const kernel of summands) {
    const same = open.find((i) => mergeable(result[i]!, kernel));
    if (same !== undefined) result[same] = sumOf(result[same]!, kernel);
    else if (result.push(kernel) && mergeable(kernel, kernel)) open.push(result.length - 1);
  }
  return result;
}

function mergeable(a: Kernel, b: Kernel): boolean {
  if (a.form.type !== 'leaf' || b.form.type !== 'leaf') return false;
  const { standard } = a.form;
  const names = Object.keys(standard);
  if (!isOffset(a) || names.length !== 1 || standard !== b.form.standard) return false;
  return names.every((name) => {
    const [own, other] = [parameterOf(a, name), parameterOf(b, name)];
    return own.free === other.free && isPlain(own, standard[name]!) && isPlain(other, standard[name]!);
  });
}

function isPlain(parameter: Parameter, standard: Parameter): boolean {
  return (
    typeof parameter.initial === 'number' &&
    parameter.support === standard.support &&
    parameter.lower === standard.lower &&
    parameter.upper === standard.upper &&
    parameter.transform === standard.transform &&
    parameter.prior === standard.prior
  );
}

function sumOf(a: Kernel, b: Kernel): Kernel {
  if (a.form.type !== 'leaf') return a;
  const { standard, remade } = a.form;
  return remade(
    Object.fromEntries(
      Object.keys(standard).map((name) => {
        const parameter = parameterOf(a, name);
        const initial = (parameter.initial as number) + (parameterOf(b, name).initial as number);
        return [name, Object.freeze({ ...parameter, initial })];
      }),
    ),
  );
}

const parameterOf = (kernel: Kernel, name: string): Parameter => kernel.parameters[`${kernel.name}.${name}`]!;

/**
 * The same covariance as a sum of products: products, scales and column selections are distributed over sums. A factor that enters several summands
 * gets separate parameters in each. They start from the same values, and a fit has more freedom. Only this function distributes.
 *
 * @param kernel - any kernel
 * @returns a kernel with no sum inside a product, scale or select
 * @throws InvalidInputError if it is not a kernel
 * @example
 * ```ts
 * describe(expand(multiply(add(rbf(), bias()), linear()))); // rbf(…) * linear(1) + bias(1) * linear(1)
 * ```
 */
export function expand(kernel: Kernel): Kernel {
  return add(...summandsOf(checkKernel(kernel, 'expand')));
}

function summandsOf(kernel: Kernel): Kernel[] {
  const { form } = kernel;
  switch (form.type) {
    case 'leaf':
      return [kernel];
    case 'add':
      return form.children.flatMap(summandsOf);
    case 'scale':
      return summandsOf(form.child).map((child) => scale(child, form.variance));
    case 'select':
      return summandsOf(form.child).map((child) => select(child, form.columns));
    case 'multiply':
      return form.children
        .map(summandsOf)
        .reduce((products, factors) => products.flatMap((left) => factors.map((right) => multiply(left, right))));
  }
}

/**
 * The kernel with all open options decided for a process that starts at these inputs; the same kernel if none is open.
 *
 * @param kernel - any kernel
 * @param inputs - N×q
 * @returns a kernel with the same parameters
 * @example
 * ```ts
 * startedAt(thinPlateSpline({ centers: 4 }), Matrix.from(X)); // with 4 centers chosen by k-means
 * ```
 */
export function startedAt(kernel: Kernel, inputs: Matrix): Kernel {
  const { form } = kernel;
  if (!isOpen(kernel)) return kernel;
  switch (form.type) {
    case 'leaf':
      return form.remade(form.capabilities.decidedAt!(inputs));
    case 'add':
      return add(...form.children.map((child) => startedAt(child, inputs)));
    case 'multiply':
      return multiply(...form.children.map((child) => startedAt(child, inputs)));
    case 'scale':
      return scale(startedAt(form.child, inputs), form.variance);
    case 'select':
      return select(startedAt(form.child, pickColumns(form.columns).matrix(inputs)), form.columns);
  }
}

/** True if some part of the kernel is decided only when a process starts. */
export function isOpen({ form }: Kernel): boolean {
  switch (form.type) {
    case 'leaf':
      return form.capabilities.decidedAt !== undefined;
    case 'scale':
    case 'select':
      return isOpen(form.child);
    default:
      return form.children.some(isOpen);
  }
}
