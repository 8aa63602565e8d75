import { type MatrixKernel, runKernel, type Save, type Workplace } from '../linalg/kernels/kernel.ts';
import { matrixOperand, requireBackend } from '../linalg/operands.ts';
import { type Tensor, type Tensor2D, tf } from '../tensorflow.ts';
import {
  pullBetween,
  pullOfPairs,
  squaredDistancesBetween,
  squaredDistancesOfPairs,
  unpack,
  weighPairs,
} from './pairs.ts';
import { samePoints } from './pointSets.ts';
import { registerOnce } from './registerOnce.ts';

/**
 * A function of the squared distance s = r², written as loops over many of them at once: a loop that calls a function for every entry
 * is several times slower.
 */
export interface RadialProfile {
  /** Tells an engine that has this profile compiled which one it is. */
  readonly name: string;
  /** s ← f(s), entry by entry. */
  value(s: Float64Array): void;
  /** s ← f′(s), entry by entry, finite everywhere: 0 by convention at s = 0 where there is no derivative. */
  slope(s: Float64Array): void;
}

/**
 * v·f(‖a_i − b_j‖²) for a profile f, as one operation with a handwritten gradient in A, B and v: two matrices of this size instead of
 * a tape of ten. Distances are direct differences; coincident points are safe.
 *
 * @param A - n×q
 * @param B - m×q; the same tensor for the Gram matrix of one set, which is then exactly symmetric
 * @param variance - v, a scalar
 * @param profile - f and its derivative
 * @returns n×m
 * @throws InvalidInputError when A and B are not matrices with the same number of columns
 * @example
 * ```ts
 * // v/(1 + r²)
 * const cauchy: op.RadialProfile = {
 *   name: 'cauchy',
 *   value: (s) => { for (let i = 0; i < s.length; i++) s[i] = 1 / (1 + s[i]!); },
 *   slope: (s) => { for (let i = 0; i < s.length; i++) s[i] = -1 / (1 + s[i]!) ** 2; },
 * };
 * op.radialCovariance(X, X, op.scalar(2), cauchy);
 * ```
 */
export function radialCovariance(A: Tensor2D, B: Tensor2D, variance: Tensor, profile: RadialProfile): Tensor2D {
  requireBackend('radialCovariance');
  registerOnce(GRAM, GRAM_GRADIENT, CROSS, CROSS_GRADIENT);
  const left = matrixOperand(A, 'radialCovariance', 'A');
  if (A === B) return gram(left, variance, profile);
  return cross(
    left,
    samePoints(left, matrixOperand(B, 'radialCovariance', 'B'), 'radialCovariance'),
    variance,
    profile,
  );
}

interface Attributes {
  readonly profile: RadialProfile;
}

function gram(points: Tensor2D, variance: Tensor, profile: RadialProfile): Tensor2D {
  return tf.customGrad((...args: unknown[]) => {
    const [x, v, save] = args as [Tensor, Tensor, Save];
    const value = runKernel(GRAM.name, { x, v }, { profile })[0]!;
    save([x, v, value]);
    const gradFunc = (dy: Tensor, saved: Tensor[]) =>
      runKernel(GRAM_GRADIENT.name, { x: saved[0]!, v: saved[1]!, k: saved[2]!, dy }, { profile });
    return { value, gradFunc };
  })(points, variance) as Tensor2D;
}

function cross(A: Tensor2D, B: Tensor2D, variance: Tensor, profile: RadialProfile): Tensor2D {
  return tf.customGrad((...args: unknown[]) => {
    const [a, b, v, save] = args as [Tensor, Tensor, Tensor, Save];
    const value = runKernel(CROSS.name, { a, b, v }, { profile })[0]!;
    save([a, b, v, value]);
    const gradFunc = (dy: Tensor, [a, b, v, k]: Tensor[]) =>
      runKernel(CROSS_GRADIENT.name, { a: a!, b: b!, v: v!, k: k!, dy }, { profile });
    return { value, gradFunc };
  })(A, B, variance) as Tensor2D;
}

const GRAM: MatrixKernel<Attributes> = {
  name: 'latentfield.RadialGram',
  inputs: ['x', 'v'],
  outputs: ([x]) => [[x![0]!, x![0]!]],
  compute(workplace, [x], { profile }) {
    const [n, q] = x as [number, number];
    const { memory, inputs, outputs } = workplace;
    withPairs(workplace, n, (pairs) => {
      squaredDistancesOfPairs(n, q, memory.float64(inputs[0]!, n * q), pairs);
      profile.value(pairs);
      const [v] = memory.float64(inputs[1]!, 1);
      multiplyBy(v!, pairs);
      const diagonal = new Float64Array(1);
      profile.value(diagonal);
      unpack(n, pairs, v! * diagonal[0]!, memory.float64(outputs[0]!, n * n));
    });
  },
};

const GRAM_GRADIENT: MatrixKernel<Attributes> = {
  name: 'latentfield.RadialGramGradient',
  inputs: ['x', 'v', 'k', 'dy'],
  outputs: ([x]) => [x!, []],
  compute(workplace, [x], { profile }) {
    const [n, q] = x as [number, number];
    const { memory, inputs, outputs } = workplace;
    withPairs(workplace, n, (weights) => {
      const X = memory.float64(inputs[0]!, n * q);
      const [v] = memory.float64(inputs[1]!, 1);
      const [K, G] = [memory.float64(inputs[2]!, n * n), memory.float64(inputs[3]!, n * n)];
      squaredDistancesOfPairs(n, q, X, weights);
      profile.slope(weights);
      weighPairs(n, G, weights);
      multiplyBy(v!, weights);
      pullOfPairs(n, q, X, weights, memory.float64(outputs[0]!, n * q));
      memory.float64(outputs[1]!, 1)[0] = innerProduct(G, K) / v!;
    });
  },
};

const CROSS: MatrixKernel<Attributes> = {
  name: 'latentfield.RadialCross',
  inputs: ['a', 'b', 'v'],
  outputs: ([a, b]) => [[a![0]!, b![0]!]],
  compute({ memory, inputs, outputs }, [a, b], { profile }) {
    const [n, q] = a as [number, number];
    const m = b![0]!;
    const K = memory.float64(outputs[0]!, n * m);
    squaredDistancesBetween(n, m, q, memory.float64(inputs[0]!, n * q), memory.float64(inputs[1]!, m * q), K);
    profile.value(K);
    multiplyBy(memory.float64(inputs[2]!, 1)[0]!, K);
  },
};

const CROSS_GRADIENT: MatrixKernel<Attributes> = {
  name: 'latentfield.RadialCrossGradient',
  inputs: ['a', 'b', 'v', 'k', 'dy'],
  outputs: ([a, b]) => [a!, b!, []],
  compute({ memory, inputs, outputs }, [a, b], { profile }) {
    const [n, q] = a as [number, number];
    const m = b![0]!;
    memory.withBlock(8 * (n * m + 1), (work) => {
      const weights = memory.float64(work, n * m);
      const [A, B] = [memory.float64(inputs[0]!, n * q), memory.float64(inputs[1]!, m * q)];
      const [v] = memory.float64(inputs[2]!, 1);
      const [K, G] = [memory.float64(inputs[3]!, n * m), memory.float64(inputs[4]!, n * m)];
      squaredDistancesBetween(n, m, q, A, B, weights);
      profile.slope(weights);
      for (let i = 0; i < n * m; i++) weights[i]! *= v! * G[i]!;
      pullBetween(n, m, q, A, B, weights, memory.float64(outputs[0]!, n * q), memory.float64(outputs[1]!, m * q));
      memory.float64(outputs[2]!, 1)[0] = innerProduct(G, K) / v!;
    });
  },
};

function withPairs({ memory }: Workplace, n: number, work: (pairs: Float64Array) => void): void {
  const count = (n * (n - 1)) / 2;
  memory.withBlock(8 * (count + 1), (offset) => work(memory.float64(offset, count)));
}

function multiplyBy(factor: number, x: Float64Array): void {
  for (let i = 0; i < x.length; i++) x[i]! *= factor;
}

function innerProduct(x: Float64Array, y: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < x.length; i++) sum += x[i]! * y[i]!;
  return sum;
}
