import { describe, expect, it } from 'vitest';
import { doublesOf } from '../../src/engine/tensors/doubles.ts';
import { withFloat64 } from '../../src/engine/tensors/float64/scope.ts';
import * as op from '../../src/engine/tensors/ops.ts';
import type { Tensor2D } from '../../src/engine/tensors/tensorflow.ts';
import { evaluate, latentVariableModel, type Matrix, meu, rbf } from '../../src/index.ts';
import { reference } from '../reference.ts';

interface Value {
  readonly value: number;
  /** How far it moves, to first order, when the matrix moves by a unit of rounding. */
  readonly bound: number;
}
interface Table {
  readonly value: number[][];
  readonly bound: number[][];
}
interface Named {
  readonly name: string;
  readonly condition: number;
}
interface System extends Named {
  readonly A: number[][];
  readonly B: number[][];
  readonly logDeterminant: Value;
  readonly solution: Table;
}
interface Process extends Named {
  readonly X: number[][];
  readonly Y: number[][];
  readonly values: Record<string, number>;
  readonly density: Value;
  readonly gradients: Record<string, Value>;
  readonly latents: Table;
}
interface Field extends Named {
  readonly size: number;
  readonly edges: [number, number][];
  readonly weights: number[];
  readonly squaredDistances: number[];
  readonly basePrecision: number;
  readonly copies: number;
  readonly density: Value;
  readonly gradient: Table;
}
const { systems, processes, fields } = reference<{ systems: System[]; processes: Process[]; fields: Field[] }>(
  'stress.json',
);

/** Units of the bound for each row of the matrix: what a backward stable method stays below. */
const MOST = 1;

/** How many units of the bound, for each of n rows, what was computed is away from what is right. */
const away = (found: number, { value, bound }: Value, n: number) =>
  found === value ? 0 : Math.abs(found - value) / (n * bound);
const farthest = (found: ArrayLike<number>, { value, bound }: Table, n: number) =>
  value
    .flat()
    .reduce((most, right, i) => Math.max(most, away(found[i]!, { value: right, bound: bound.flat()[i]! }, n)), 0);
const within = (what: string, units: number) => expect.soft(units, what).toBeLessThan(MOST);

it('the cases reach conditions of 1e16', () => {
  const largest = (cases: readonly Named[]) => Math.max(...cases.map(({ condition }) => condition));
  expect(largest(systems)).toBeGreaterThan(1e16);
  expect(largest(processes)).toBeGreaterThan(1e12);
  expect(largest(fields)).toBeGreaterThan(1e12);
});

it('a matrix in single precision is far outside', () => {
  const { A, logDeterminant } = systems[0]!;
  const single = A.map((row) => row.map(Math.fround));
  const [determinant] = withFloat64(() => Array.from(doublesOf(op.logDeterminant(op.tensor<Tensor2D>(single)))));
  expect(away(determinant!, logDeterminant, A.length)).toBeGreaterThan(1e3);
});

describe('compared with 60 digits', () => {
  it.each(systems)('factors, determinants and solutions: $name', ({ name, A, B, logDeterminant, solution }) => {
    const jitters: number[] = [];
    const options = { onJitter: (jitter: number) => void jitters.push(jitter) };
    withFloat64(() => {
      const a = op.tensor<Tensor2D>(A);
      const [determinant] = doublesOf(op.logDeterminant(a, options));
      within(`${name}, log determinant`, away(determinant!, logDeterminant, A.length));
      const x = doublesOf(op.choleskySolve(op.cholesky(a, options), op.tensor<Tensor2D>(B)));
      within(`${name}, solution`, farthest(x, solution, A.length));
    });
    expect(jitters).toEqual([]);
  });

  it.each(processes)('densities and gradients of processes: $name', ({ name, X, Y, values, density, ...known }) => {
    const model = latentVariableModel({ observations: Y, latentDim: 2, kernel: rbf(), center: false, priors: [] });
    const { objective, gradients } = evaluate(model, { latents: X, ...values });
    within(`${name}, density`, away(objective, density, X.length));
    for (const [path, right] of Object.entries(known.gradients)) {
      within(`${name}, ${path}`, away(gradients[path] as number, right, X.length));
    }
    within(`${name}, latents`, farthest((gradients.latents as Matrix).data, known.latents, X.length));
  });

  it.each(fields)('log determinants and gradients of fields: $name', ({ name, size, edges, ...known }) => {
    const graph = {
      size,
      sources: Int32Array.from(edges, ([i]) => i),
      targets: Int32Array.from(edges, ([, j]) => j),
      weights: new Float64Array(edges.length).fill(1),
    };
    const { squaredDistances, basePrecision, copies } = known;
    const model = meu({ graph, squaredDistances }, { basePrecision, copies, latentDim: 2 });
    const { objective, gradients } = evaluate(model, { 'field.weights': known.weights });
    within(`${name}, density`, away(objective, known.density, size));
    within(`${name}, weights`, farthest(gradients['field.weights'] as number[], known.gradient, size));
  });
});
