import * as tf from '@tensorflow/tfjs-core';
import { expect } from 'vitest';
import { seededRandom } from '../../src/core/random.ts';
import { float64Backend, withFloat64 } from '../../src/engine/tensors/float64/scope.ts';
import { valueAndGradients } from '../../src/engine/tensors/gradients.ts';
import * as op from '../../src/engine/tensors/ops.ts';
import type { Scalar, Tensor2D } from '../../src/engine/tensors/tensorflow.ts';
import { type DensityContext, Matrix, type MatrixLike, type Prior } from '../../src/index.ts';
import { entriesOf, type ParameterValue, shapeOf } from '../../src/model/parameter.ts';

/** The term of a prior and its gradients in the latents and in each of its parameters, by `X` and name. */
export interface Density {
  readonly value: number;
  readonly gradients: Readonly<Record<string, Float64Array>>;
}

type Values = Readonly<Record<string, ParameterValue>>;

/** Context of a prior of latents of a model of these observations. */
export function contextOf(prior: Prior, observations: Matrix, columns: number): DensityContext {
  const start = { variable: 'x', rows: observations.rows, columns, givenColumns: [], given: [], data: undefined };
  return {
    constants: prior.prepare?.({ ...start, observations, isOnChart: false, seed: 0, batched: false }),
    random: seededRandom(0),
    iteration: 0,
    remember: (_, make) => make(),
    onJitter: () => {},
    onRank: () => {},
  };
}

/** log p(X) of a prior on its own, at its parameters' starts but for the given ones, leaving no tensor behind. */
export function density(prior: Prior, X: MatrixLike, Y: MatrixLike = X, values: Values = {}): Density {
  const latents = Matrix.from(X);
  const observations = Matrix.from(Y);
  const { memory64 } = float64Backend();
  const before = [tf.memory().numTensors, memory64.liveBlocks];
  const names = Object.keys(prior.parameters);
  const result = withFloat64(() => {
    const x = op.tensor<Tensor2D>(latents);
    const p = Object.fromEntries(
      names.map((name) => {
        const value = values[name] ?? prior.parameters[name]!.initial;
        return [name, op.tensor(entriesOf(value), shapeOf(value))];
      }),
    );
    const context = contextOf(prior, observations, latents.columns);
    const sum = () => op.sum<Scalar>(prior.logDensity(p, { value: x, given: [] }, context));
    const { value, gradients } = valueAndGradients(sum, [x, ...Object.values(p)]);
    return {
      value,
      gradients: Object.fromEntries(['X', ...names].map((name, i) => [name, gradients[i] ?? Float64Array.of(0)])),
    };
  });
  expect([tf.memory().numTensors, memory64.liveBlocks], 'tensors left behind').toEqual(before);
  return result;
}

/** Expects the gradients to agree with central differences of sixth order to 1e-8, relative to the largest of each. */
export function expectGradients(
  prior: Prior,
  X: MatrixLike,
  Y: MatrixLike = X,
  names: readonly string[] = ['X', ...Object.keys(prior.parameters)],
): void {
  const latents = Matrix.from(X);
  const { gradients } = density(prior, X, Y);
  for (const name of names) {
    const base = name === 'X' ? latents.data : entriesOf(prior.parameters[name]!.initial);
    const at = (index: number, move: number): number => {
      const entries = base.slice();
      entries[index]! += move;
      if (name === 'X') return density(prior, new Matrix(entries, latents.rows, latents.columns), Y).value;
      const value = entries.length === 1 ? entries[0]! : Array.from(entries);
      return density(prior, X, Y, { [name]: value }).value;
    };
    const expected = Float64Array.from(base, (entry, i) => {
      const h = 4e-3 * Math.max(Math.abs(entry), 0.2);
      const odd = (k: number) => at(i, k * h) - at(i, -k * h);
      return (45 * odd(1) - 9 * odd(2) + odd(3)) / (60 * h);
    });
    const scale = expected.reduce((largest, entry) => Math.max(largest, Math.abs(entry)), 0);
    expected.forEach((entry, i) => {
      expect(
        Math.abs(gradients[name]![i]! - entry) / scale,
        `${prior.name}: gradient in ${name}, entry ${i}`,
      ).toBeLessThan(1e-8);
    });
  }
}
