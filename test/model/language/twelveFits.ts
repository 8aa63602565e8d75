import { Matrix } from '../../../src/core/matrix.ts';
import { adam, type FitOptions } from '../../../src/inference/index.ts';
import type { Fit } from '../../../src/model/fit.ts';
import type { Model } from '../../../src/model/model.ts';
import { reference } from '../../reference.ts';
import { models } from './twelveModels.ts';

interface Reference {
  readonly data: {
    readonly Y: number[][];
    readonly t: number[][];
    readonly inputs: number[][];
    readonly missing: [number, number];
  };
  readonly orders: readonly (readonly number[])[];
  readonly models: Readonly<
    Record<
      string,
      {
        readonly values: Readonly<Record<string, number | number[] | number[][]>>;
        readonly terms: Readonly<Record<string, number>>;
        readonly gradients: Readonly<Record<string, number | number[] | number[][]>>;
      }
    >
  >;
}

export const { data, orders, models: expected } = reference<Reference>('languageModels.json');
const [row, column] = data.missing;
export const whole = Matrix.from(data.Y);
export const holed = Matrix.from(
  data.Y.map((y, i) => y.map((entry, j) => (i === row && j === column ? Number.NaN : entry))),
);

export type Name = keyof typeof models;
export const names = Object.keys(models) as Name[];
const dataOf = (name: Name, y: Matrix) => ({
  y,
  ...(name === 'timed' && { t: Matrix.from(data.t) }),
  ...(name === 'horseshoe' && { x: Matrix.from(data.inputs) }),
});
const complete: readonly Name[] = ['alongGraph', 'autoencoder', 'outputs', 'bent'];
export const modelOf = (name: Name, y = complete.includes(name) ? whole : holed): Model =>
  models[name](dataOf(name, y) as never) as Model;
export const optionsOf = (name: Name): FitOptions => ({
  maxIterations: 12,
  seed: 3,
  ...(name === 'autoencoder' && { batchSize: 3, solver: adam({ learningRate: 0.02 }) }),
});
export const bitsOf = ({ latents, objective, parameters, terms, trace }: Fit) =>
  JSON.stringify([latents, objective, parameters, terms, trace]);
