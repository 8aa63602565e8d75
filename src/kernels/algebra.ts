import { InvalidInputError } from '../core/errors.ts';
import { describe } from '../core/matrix.ts';
import type { TensorMap } from '../core/model.ts';
import * as op from '../core/ops.ts';
import { type Parameter, type ParameterLike, parameterFrom, positive } from '../core/parameter.ts';
import { type Tensor, type Tensor1D, type Tensor2D, tf } from '../core/tensorflow.ts';
import type { Kernel } from './kernel.ts';

/**
 * Sum of covariances: k(x, x') = Σ_i k_i(x, x'). Its parameters keep their kernels' names; a second `rbf` is `rbf2`.
 *
 * @param kernels - two or more (one is returned as it is)
 * @throws InvalidInputError when one is not a kernel
 * @example
 * ```ts
 * add(rbf(), bias(), white());
 * ```
 */
export function add(...kernels: Kernel[]): Kernel {
  return combination('add', kernels, (parts) => parts.reduce((sum, part) => op.add(sum, part)));
}

/**
 * Product of covariances: k(x, x') = Π_i k_i(x, x').
 *
 * @param kernels - two or more (one is returned as it is)
 * @throws InvalidInputError when one is not a kernel
 * @example
 * ```ts
 * multiply(linear(), rbf());
 * ```
 */
export function multiply(...kernels: Kernel[]): Kernel {
  return combination('multiply', kernels, (parts) => parts.reduce((product, part) => op.mul(product, part)));
}

/**
 * A covariance times a variance of its own: v·k(x, x').
 *
 * @param kernel - the kernel
 * @param variance - v > 0 (1); its path is `….scale.variance`
 * @throws InvalidInputError when the first is not a kernel or the second not a positive parameter
 * @example
 * ```ts
 * scale(linear({ variance: fixed(1) }), 2);
 * ```
 */
export function scale(kernel: Kernel, variance: ParameterLike = 1): Kernel {
  const [child] = renamed([checkKernel(kernel, 'scale')], new Set(['scale'])) as [Renamed];
  const parameter = parameterFrom(variance, positive(1));
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
 * A covariance that sees some columns of its inputs only.
 *
 * @param kernel - the kernel
 * @param columns - columns of the latents, from 0
 * @throws InvalidInputError when the columns are not a list of whole numbers ≥ 0
 * @example
 * ```ts
 * add(select(rbf(), [0]), select(linear(), [1]));
 * ```
 */
export function select(kernel: Kernel, columns: readonly number[]): Kernel {
  checkKernel(kernel, 'select');
  if (!Array.isArray(columns) || columns.length === 0 || columns.some((c) => !Number.isInteger(c) || c < 0)) {
    throw new InvalidInputError(
      `select takes a list of column numbers from 0, but ${describe(columns)}${Array.isArray(columns) ? ` ([${columns}])` : ''} was given.`,
    );
  }
  const pick = (A: Tensor2D): Tensor2D => {
    const beyond = columns.find((column) => column >= A.shape[1]);
    if (beyond !== undefined) {
      throw new InvalidInputError(`select asks for column ${beyond}, but the inputs have ${A.shape[1]} columns.`);
    }
    return op.gather(A, tf.tensor1d([...columns], 'int32'), 1) as Tensor2D;
  };
  return Object.freeze<Kernel>({
    kind: 'kernel',
    name: kernel.name,
    parameters: kernel.parameters,
    form: Object.freeze({ type: 'select', child: kernel, columns: Object.freeze([...columns]) }),
    covariance: (p, A, B, inputs) => {
      const own = pick(A);
      const other = A === B ? own : pick(B);
      return kernel.covariance(p, own, other, inputs === A ? own : inputs === B ? other : pick(inputs));
    },
    diagonal: (p, A, inputs) => {
      const own = pick(A);
      return kernel.diagonal(p, own, inputs === A ? own : pick(inputs));
    },
  });
}

export function isKernel(value: unknown): value is Kernel {
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'kernel';
}

export function checkKernel(value: unknown, caller: string): Kernel {
  if (isKernel(value)) return value;
  const factory = typeof value === 'function' ? ' Call the factory: rbf(), not rbf.' : '';
  throw new InvalidInputError(`${caller} takes kernels, but ${describe(value)} was given.${factory}`);
}

function combination(type: 'add' | 'multiply', kernels: Kernel[], combine: (parts: Tensor[]) => Tensor): Kernel {
  kernels.forEach((kernel) => {
    checkKernel(kernel, type);
  });
  const [first] = kernels;
  if (first === undefined) throw new InvalidInputError(`${type} takes at least one kernel, but none was given.`);
  if (kernels.length === 1) return first;
  const parts = renamed(kernels);
  return Object.freeze<Kernel>({
    kind: 'kernel',
    name: type,
    parameters: Object.freeze(Object.assign({}, ...parts.map((part) => part.parameters))),
    form: Object.freeze({ type, children: Object.freeze([...kernels]) }),
    covariance: (p, A, B, inputs) =>
      combine(kernels.map((kernel, i) => kernel.covariance(parts[i]!.own(p), A, B, inputs))) as Tensor2D,
    diagonal: (p, A, inputs) =>
      combine(kernels.map((kernel, i) => kernel.diagonal(parts[i]!.own(p), A, inputs))) as Tensor1D,
  });
}

interface Renamed {
  /** The kernel's parameters under their new names. */
  readonly parameters: Record<string, Parameter>;
  /** The tensors of a combination under this kernel's own names. */
  readonly own: (p: TensorMap) => TensorMap;
}

/** Kernels side by side under unique names: a first segment that is taken gets the next free number. */
function renamed(kernels: readonly Kernel[], taken: Set<string> = new Set()): Renamed[] {
  return kernels.map((kernel) => {
    const keys = Object.keys(kernel.parameters);
    const segments = new Map<string, string>();
    for (const segment of new Set(keys.map((key) => key.split('.')[0]!))) {
      const free = nextFree(segment, taken);
      taken.add(free);
      segments.set(segment, free);
    }
    const names = keys.map((key): [string, string] => {
      const [segment, ...rest] = key.split('.');
      return [key, [segments.get(segment!)!, ...rest].join('.')];
    });
    return {
      parameters: Object.fromEntries(names.map(([key, name]) => [name, kernel.parameters[key]!])),
      own: (p) => Object.fromEntries(names.map(([key, name]) => [key, p[name]!])),
    };
  });
}

function nextFree(segment: string, taken: ReadonlySet<string>): string {
  if (!taken.has(segment)) return segment;
  const stem = segment.replace(/\d+$/, '');
  const base = taken.has(stem) ? stem : segment;
  let number = 2;
  while (taken.has(`${base}${number}`)) number++;
  return `${base}${number}`;
}
