import { InvalidInputError } from '../core/errors.ts';
import { describe } from '../core/matrix.ts';
import { checkDefinition, checkMembers, checkName, type Member, unknownName } from '../core/options.ts';
import * as op from '../engine/tensors/ops.ts';
import type { Tensor, Tensor1D, Tensor2D } from '../engine/tensors/tensorflow.ts';
import { isParameter, type Parameter, type ParameterLike, positive } from '../model/parameter.ts';
import { type OwnParameters, overriddenParameters, ownTensors } from '../model/part.ts';
import { checkLengthscales, type Kernel, type KernelCapabilities, type LeafPaths, type Spectrum } from './kernel.ts';

/** Natural values of a kernel's parameters as tensors: scalars, or vectors if the initial value is a list. */
export type KernelParameters<Name extends string> = Readonly<Record<Name, Tensor>>;

export interface KernelDefinition<Name extends string, Options extends object = object> {
  /** Name of the kernel, a segment of its parameters' paths: letters and digits, starting with a letter. */
  readonly name: string;
  /** Default parameters; a bare number means `positive`. Default none. */
  readonly parameters?: OwnParameters<Name>;
  /**
   * Readers of options other than parameters: each turns its argument into a number, text, boolean or list of these, or throws an error whose message
   * is a sentence. Missing options are undefined.
   */
  readonly options?: { readonly [K in keyof Options]-?: (given: unknown) => Options[K] };
  /**
   * n×m covariance of the rows of A (n×q) and B (m×q). For a Gram matrix, B is the same tensor as A. `inputs` are the inputs of the process, for
   * covariances that are centered there.
   */
  covariance(
    p: KernelParameters<Name>,
    A: Tensor2D,
    B: Tensor2D,
    inputs: Tensor2D,
    options: Partial<Options>,
  ): Tensor2D;
  /** k(x, x) for every row of A (n entries). Without it, diagonal blocks of the Gram matrix are formed. */
  diagonal?(p: KernelParameters<Name>, A: Tensor2D, inputs: Tensor2D, options: Partial<Options>): Tensor1D;
  /** Further declarations about the covariance, given its options and parameters: see {@link KernelCapabilities}. */
  capabilities?(
    options: Partial<Options>,
    parameters: Readonly<Record<Name, Parameter>>,
  ): KernelCapabilities<KernelParameters<Name>>;
}

const MEMBERS: Readonly<Record<keyof KernelDefinition<string>, Member>> = {
  name: 'anything',
  parameters: 'anything',
  options: 'anything',
  covariance: 'function',
  diagonal: 'function, if any',
  capabilities: 'function, if any',
};

/** Arguments of a kernel's factory. */
type Given<Name extends string, Options extends object> = Partial<Record<Name, ParameterLike>> & {
  readonly [K in keyof Options]?: unknown;
};

/** Makes a kernel; arguments replace default parameters or set options. Id is the kernel's name, for types with known paths. */
export type KernelFactory<Name extends string, Options extends object = object, Id extends string = string> = <
  // biome-ignore lint/complexity/noBannedTypes: without an argument.
  const G extends Given<Name, Options> = {},
>(
  overrides?: G & { readonly [K in Exclude<keyof G, Name | keyof Options>]: never },
) => Kernel<LeafPaths<Id, Name, G>>;

/**
 * Defines a new covariance from one function with tensor operations. The built-in kernels are made with it.
 *
 * @param definition - name, default parameters, covariance and, if it is cheap, its diagonal
 * @returns a factory `(overrides?) => Kernel`
 * @throws InvalidInputError if the name is not one word of letters and digits, or a parameter is invalid
 * @example
 * ```ts
 * import { defineKernel, positive } from 'latentfield';
 * import * as op from 'latentfield/ops';
 *
 * const cauchy = defineKernel({
 *   name: 'cauchy',
 *   parameters: { variance: positive(1), lengthscale: positive(1) },
 *   covariance: (p, A, B) => {
 *     const r2 = op.squaredDistances(op.div(A, p.lengthscale), op.div(B, p.lengthscale));
 *     return op.div(p.variance, op.add(1, r2));
 *   },
 * });
 * ```
 */
export function defineKernel<Name extends string = never, Options extends object = object, Id extends string = string>(
  definition: KernelDefinition<Name, Options>,
): KernelFactory<Name, Options, Id> {
  const { name } = checkDefinition(definition, 'defineKernel');
  checkName(name, 'A kernel');
  checkMembers(definition, 'defineKernel', MEMBERS);
  const { parameters = {} as OwnParameters<Name> } = definition;
  checkDefinition(parameters, `Kernel '${name}'`, 'parameters by name');
  const standard = Object.freeze(standardParameters(parameters));
  const readers = (definition.options ?? {}) as Record<string, (given: unknown) => unknown>;

  const covarianceOf: KernelDefinition<Name, Options>['covariance'] = (p, A, B, inputs, options) => {
    checkLengthscales(name, p, A);
    return checkShape(name, 'covariance', definition.covariance(p, A, B, inputs, options), [A.shape[0], B.shape[0]]);
  };

  const make = (given: Readonly<Record<string, unknown>> = {}): Kernel => {
    if (typeof given !== 'object' || given === null || Array.isArray(given)) {
      const example = Object.keys(standard)[0];
      throw new InvalidInputError(
        `Kernel '${name}' takes an object of parameters${example === undefined ? '' : `, such as ${name}({ ${example}: 0.1 })`}, but ${describe(given)} was given.`,
      );
    }
    const { overrides, options } = separated(given);
    const own = overriddenParameters(`Kernel '${name}'`, standard, overrides);
    const names = Object.keys(own) as Name[];
    const remade = (changes: Readonly<Record<string, unknown>>) => make({ ...own, ...options, ...changes });
    const values = ownTensors(name, names);
    const capabilities = Object.freeze({ ...definition.capabilities?.(options, own) }) as KernelCapabilities;
    const kernel: Kernel = {
      kind: 'kernel',
      name,
      parameters: Object.freeze(Object.fromEntries(names.map((key) => [`${name}.${key}`, own[key]]))),
      form: Object.freeze({ type: 'leaf', standard, options, remade, capabilities, own: values }),
      covariance: (p, A, B, inputs) => covarianceOf(values(p), A, B, inputs, options),
      diagonal: (p, A, inputs) => {
        if (definition.diagonal === undefined) {
          return diagonalOf((rows) => covarianceOf(values(p), rows, rows, inputs, options), A);
        }
        const entries = definition.diagonal(values(p), A, inputs, options);
        return checkShape(name, 'diagonal', entries, [A.shape[0]]);
      },
    };
    return Object.freeze(kernel);
  };
  return make as KernelFactory<Name, Options, Id>;

  function separated(given: Readonly<Record<string, unknown>>) {
    const overrides: Partial<Record<Name, ParameterLike>> = {};
    const options: Record<string, unknown> = {};
    for (const [key, value] of Object.entries(given)) {
      if (value === undefined) continue;
      if (Object.hasOwn(readers, key)) options[key] = readers[key]!(value);
      else if (Object.hasOwn(standard, key)) overrides[key as Name] = value as ParameterLike;
      else throw unknownName('parameter', key, [...Object.keys(standard), ...Object.keys(readers)], `Kernel '${name}'`);
    }
    return { overrides, options: Object.freeze(options) as Partial<Options> };
  }
}

/** Checks the shape of a tensor that a kernel's function returned. */
function checkShape<T extends Tensor>(name: string, member: string, returned: T, shape: readonly number[]): T {
  const found = (returned as Partial<T> | null | undefined)?.shape;
  if (found?.length === shape.length && shape.every((length, k) => found[k] === length)) return returned;
  const isPromise = typeof (returned as { then?: unknown } | null | undefined)?.then === 'function';
  const given = isPromise ? 'a promise' : found === undefined ? describe(returned) : `a tensor of shape [${found}]`;
  throw new InvalidInputError(
    `The ${member} of kernel '${name}' must be a tensor of shape [${shape.join(', ')}], ${shape.length === 2 ? 'rows of A by rows of B' : 'one entry for each row of A'}, but ${given} was returned.${isPromise ? ' Leave out async.' : ''}`,
  );
}

/** Rows of each diagonal block. */
const BLOCK = 64;

/** The diagonal of a Gram matrix, from blocks along the diagonal. */
function diagonalOf(gram: (rows: Tensor2D) => Tensor2D, A: Tensor2D): Tensor1D {
  const n = A.shape[0];
  if (n <= BLOCK) return op.diagPart(gram(A));
  const blocks: Tensor1D[] = [];
  for (let start = 0; start < n; start += BLOCK) {
    blocks.push(op.diagPart(gram(op.slice(A, [start, 0], [Math.min(BLOCK, n - start), -1]))));
  }
  return op.concat(blocks);
}

function standardParameters<Name extends string>(parameters: OwnParameters<Name>): Record<Name, Parameter> {
  return Object.fromEntries(
    Object.entries<ParameterLike>(parameters).map(([key, value]) => [
      key,
      isParameter(value) ? value : positive(value),
    ]),
  ) as Record<Name, Parameter>;
}

/** Definition of a kernel that is a function of distance: its loops, and its spectral density where that is known. */
export interface RadialFunction<Id extends string = string> extends op.RadialProfile {
  readonly name: Id;
  /** Needed by `basis()` only. */
  readonly spectrum?: Spectrum;
}

/**
 * Defines a kernel that is a function of distance: k(x, x') = v·f(r²), r² = Σ_d ((x_d − x'_d)/l_d)². Only a profile f and its slope are needed. The
 * kernel runs through the same fused operations as the built-in ones, which are made with this function.
 *
 * @param profile - the kernel's `name`; `value` and `slope`, loops that replace every s = r² by f(s) and f′(s), with f(0) = 1 and finite
 *   slopes (0 at s = 0 where there is none); optionally `spectrum`, its spectral density
 * @returns a factory of kernels with parameters `variance` v > 0 (1) and `lengthscale` l > 0 (1), a list for one per column (ARD)
 * @throws InvalidInputError unless the name is one word of letters and digits
 * @example
 * ```ts
 * // v/(1 + r²)
 * const cauchy = defineRadialKernel({
 *   name: 'cauchy',
 *   value: (s) => { for (let i = 0; i < s.length; i++) s[i] = 1 / (1 + s[i]!); },
 *   slope: (s) => { for (let i = 0; i < s.length; i++) s[i] = -1 / (1 + s[i]!) ** 2; },
 * });
 * gplvm(Y, { latentDim: 2, kernel: add(cauchy({ lengthscale: 2 }), bias()) });
 * ```
 */
export function defineRadialKernel<const Id extends string = string>(
  profile: RadialFunction<Id>,
): KernelFactory<'variance' | 'lengthscale', object, Id> {
  const { name } = checkDefinition(profile, 'defineRadialKernel');
  checkName(name, 'A kernel');
  checkMembers(profile, 'defineRadialKernel', {
    name: 'anything',
    value: 'function',
    slope: 'function',
    compiled: 'anything',
    spectrum: 'anything',
  });
  return defineKernel<'variance' | 'lengthscale', object, Id>({
    name,
    parameters: { variance: positive(1), lengthscale: positive(1) },
    covariance: (p, A, B) => {
      const [left, right] = scaledPoints(A, B, p.lengthscale);
      return op.radialCovariance(left, right, p.variance, profile);
    },
    diagonal: (p, A) => constantDiagonal(p.variance, A),
    capabilities: () => ({ structure: { type: 'radial', profile, spectrum: profile.spectrum } }),
  });
}

/**
 * r²_ij = Σ_d ((a_id − b_jd)/l_d)², n×m, by direct differences: never negative, 0 for coincident points, with gradient 0 there.
 */
export function scaledSquaredDistances(A: Tensor2D, B: Tensor2D, lengthscale: Tensor): Tensor2D {
  return op.squaredDistances(...scaledPoints(A, B, lengthscale));
}

/** Both sets of points divided by the lengthscales; the same tensor twice if the sets are the same. */
function scaledPoints(A: Tensor2D, B: Tensor2D, lengthscale: Tensor): [Tensor2D, Tensor2D] {
  if (lengthscale.size !== 1 && lengthscale.size !== A.shape[1]) {
    throw new InvalidInputError(
      `A lengthscale is one number, or ${A.shape[1]}, one for each dimension of the points, but ${lengthscale.size} were given.`,
    );
  }
  const left = op.div(A, lengthscale) as Tensor2D;
  return [left, A === B ? left : (op.div(B, lengthscale) as Tensor2D)];
}

/** The diagonal of a stationary covariance: its variance for every row of A. */
export function constantDiagonal(variance: Tensor, A: Tensor2D): Tensor1D {
  return op.mul(variance, op.ones([A.shape[0]])) as Tensor1D;
}
