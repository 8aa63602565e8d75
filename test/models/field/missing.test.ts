import { evaluate, fit, InvalidInputError, knnGraph, loadFit, Matrix, meu, seededRandom } from 'latentfield';
import { pipeFlow } from 'latentfield/data';
import { checkModel } from 'latentfield/testing';
import { describe, expect, it } from 'vitest';
import { fieldFactor } from '../../../src/fields/density/fieldDensity.ts';
import { commonEntriesGraph } from '../../../src/fields/observed/commonEntries.ts';
import { observedField } from '../../../src/fields/observed/observedField.ts';
import { fieldMaximum } from '../../fields/fieldObjective.ts';
import { expectClose } from '../../tolerance.ts';
import { swissRoll } from '../spectral/columns.ts';
import { inverseOf, logDeterminantOf, solved } from './dense.ts';

/** Points with some entries removed at random, at most one a row. */
function withHoles(points: number, part: number) {
  const complete = swissRoll(points);
  const random = seededRandom(3);
  const holes: [number, number][] = [];
  for (let i = 0; i < points; i++) {
    const [draw, column] = [random.uniform(), random.uniform()];
    if (draw < part) holes.push([i, Math.floor(3 * column)]);
  }
  const Y = complete.map((row) => row.slice());
  for (const [i, d] of holes) Y[i]![d] = Number.NaN;
  return { complete, Y, holes };
}

const { complete, Y } = withHoles(30, 0.4);
const lambda = 1e-2;
const { graph } = commonEntriesGraph(Matrix.from(Y), 4);

function laplacian(weights: ArrayLike<number>, base: number): number[][] {
  const Q = Y.map((_, i) => Y.map((_, j) => (i === j ? base : 0)));
  graph.sources.forEach((i, e) => {
    const [j, w] = [graph.targets[e]!, weights[e]!];
    Q[i]![i]! += w;
    Q[j]![j]! += w;
    Q[i]![j]! -= w;
    Q[j]![i]! -= w;
  });
  return Q;
}

/** Σ_d log density of contrasts of the observed entries of column d, by their covariance; constants in w left out. */
function marginalDensity(weights: ArrayLike<number>): number {
  const U = inverseOf(laplacian(weights, lambda));
  let sum = 0;
  for (let d = 0; d < 3; d++) {
    const observed = Y.map((_, i) => i).filter((i) => !Number.isNaN(Y[i]![d]));
    const block = observed.map((i) => observed.map((j) => U[i]![j]!));
    const ones = observed.map(() => 1);
    const y = observed.map((i) => Y[i]![d]!);
    const dot = (a: readonly number[], b: readonly number[]) => a.reduce((total, entry, k) => total + entry * b[k]!, 0);
    const information = dot(ones, solved(block, ones));
    const mean = dot(ones, solved(block, y)) / information;
    const rest = y.map((entry) => entry - mean);
    sum -= 0.5 * (logDeterminantOf(block) + Math.log(information) + dot(rest, solved(block, rest)));
  }
  return sum;
}

const some = (shift: number) => Array.from(graph.sources, (_, e) => 0.02 * (1 + ((e + shift) % 5)));

describe('missing entries of meu', () => {
  it('leave the density of the others, whose gradient agrees with EM', () => {
    const model = meu(Y, { neighbors: 4, basePrecision: lambda, missing: 'ignore' });
    const at = (weights: number[]) => evaluate(model, { 'field.weights': weights }).objective;
    expectClose(at(some(0)) - at(some(2)), marginalDensity(some(0)) - marginalDensity(some(2)), 1e-9);
    expectClose(at(some(0)) - at(some(3)), marginalDensity(some(0)) - marginalDensity(some(3)), 1e-9);
    checkModel(model, { values: { 'field.weights': some(1) }, entries: 20 });
  });

  it('are filled in by rounds of EM that each raise the density', () => {
    const evaluateAt = observedField(Matrix.from(Y), graph, fieldFactor(graph), lambda);
    let weights: Float64Array = Float64Array.from(some(1));
    let at = evaluateAt(weights);
    const before = at.value;
    for (let round = 0; round < 12; round++) {
      const problem = { ...graph, basePrecision: lambda, copies: 3, upper: Infinity };
      const steps = fieldMaximum({ ...problem, squaredDistances: at.expectedDistances }, weights).x;
      const next = evaluateAt(steps);
      expect(next.value).toBeGreaterThan(at.value);
      weights = steps;
      at = next;
    }
    expect(at.value).toBeGreaterThan(before + 1);
  });

  it('end where the conditions are satisfied for the distances expected then', async () => {
    const model = meu(Y, { neighbors: 4, basePrecision: lambda, missing: 'ignore' });
    const result = await fit(model);
    expect(result.diagnostics.kktResidual).toBeLessThan(1e-10);
    expect(result.message).toContain('for the distances expected given the observed entries');
    expectClose(
      result.objective,
      evaluate(model, { 'field.weights': result.parameters['field.weights']! }).objective,
      1e-12,
    );
    expect(result.status).toBe('converged');
    const weights = result.parameters['field.weights'] as number[];
    const U = inverseOf(laplacian(weights, lambda));
    // Other columns than those that were fitted are filled in by the field itself.
    const { mean } = await result.impute!(Y.map((row) => row.map((entry) => entry + 1)));
    // Expected distances by the covariances of the conditional, mean and all.
    const Q = laplacian(weights, lambda).map((row) => row.map((entry) => entry - lambda / 30));
    const conditional = [0, 1, 2].map((d) => {
      const missing = Y.map((_, i) => i).filter((i) => Number.isNaN(Y[i]![d]));
      const V = inverseOf(missing.map((i) => missing.map((j) => Q[i]![j]!)));
      return (i: number, j: number) => V[missing.indexOf(i)]?.[missing.indexOf(j)] ?? 0;
    });
    let worst = 0;
    graph.sources.forEach((i, e) => {
      const j = graph.targets[e]!;
      const R = U[i]![i]! + U[j]![j]! - 2 * U[i]![j]!;
      const phi = conditional.reduce(
        (sum, V, d) => sum + (mean.at(i, d) - mean.at(j, d)) ** 2 + V(i, i) + V(j, j) - 2 * V(i, j),
        0,
      );
      const violation = (3 * R) / phi - 1;
      worst = Math.max(worst, weights[e]! > 0 ? Math.abs(violation) : violation);
    });
    expect(worst).toBeLessThan(1e-8);
    // No weights nearby do better.
    const best = marginalDensity(weights);
    for (const shift of [0, 1, 2, 3]) {
      const moved = weights.map((w, e) => w * (1 + 0.02 * (((e * 7 + shift * 3) % 5) - 2)));
      expect(marginalDensity(moved)).toBeLessThan(best);
    }
  });

  it('are filled in better than by the mean of their column, and the fit is as any other', {
    tags: 'long',
  }, async () => {
    const complete = pipeFlow({ points: 100, seed: 2 }).observations;
    const Y = Matrix.from(complete);
    const random = seededRandom(4);
    const holes = Array.from(Y.data.keys()).filter(() => random.uniform() < 0.1);
    for (const index of holes) Y.data[index] = Number.NaN;
    const result = await fit(meu(Y, { neighbors: 6, missing: 'ignore' }));
    const { mean } = await result.impute!(Y);
    const error = (fill: (index: number) => number) =>
      Math.sqrt(holes.reduce((sum, index) => sum + (fill(index) - complete.data[index]!) ** 2, 0) / holes.length);
    const means = Array.from({ length: 12 }, (_, d) => {
      const observed = Y.column(d).filter((entry) => !Number.isNaN(entry));
      return observed.reduce((sum, entry) => sum + entry, 0) / observed.length;
    });
    // Neighbors in twelve columns tell the rest; 0.105 here.
    expect(error((index) => mean.data[index]!)).toBeLessThan(0.2 * error((index) => means[index % 12]!));
    const again = loadFit(JSON.parse(JSON.stringify(result)));
    expect(again.latents).toEqual(result.latents);
    const fresh = [complete.row(3)];
    expect(await again.project(fresh)).toEqual(await result.project(fresh));
  });

  it('of a column are filled in by the field of the other columns, which has not seen it', async () => {
    const result = await fit(meu(Y, { neighbors: 4, missing: 'ignore' }));
    const { mean, variance } = await result.impute(Y);
    const withoutFirst = meu(
      Y.map(([, b, c]) => [b!, c!]),
      { neighbors: 4, missing: 'ignore' },
    );
    const others = await fit(withoutFirst, { maxIterations: 30 });
    const first = await others.impute(Y.map(([a]) => [a!]));
    expect(mean.column(0)).toEqual(first.mean.column(0));
    expect(variance.column(0)).toEqual(first.variance.column(0));
    expect((await result.impute(Y, { calibrated: false })).mean).toEqual(mean);
  });

  it("are within their intervals of 90 % as often as stated, where the fitted field's intervals cover too few", {
    tags: 'long',
  }, async () => {
    const complete = pipeFlow({ points: 100, seed: 5 }).observations;
    const random = seededRandom(6);
    const noisy = complete.data.map((entry) => entry + 0.3 * random.normal());
    const Y = new Matrix(noisy.slice(), 100, 12);
    const holes = Array.from(Y.data.keys()).filter(() => random.uniform() < 0.2);
    for (const k of holes) Y.data[k] = Number.NaN;
    // Columns 0 and 10 are left out together: of this row the others say nothing.
    Y.data.fill(Number.NaN, 0, 12);
    Y.data[10] = noisy[10]!;
    const result = await fit(meu(Y, { neighbors: 6, missing: 'ignore' }));
    const held = ({ mean, variance }: { mean: Matrix; variance: Matrix }) =>
      holes.filter((k) => Math.abs(noisy[k]! - mean.data[k]!) < 1.645 * Math.sqrt(variance.data[k]!)).length /
      holes.length;
    // As columns that were not fitted, by the field that has seen them.
    const seen = await result.impute(Y.toArrays().map((row) => row.map((entry) => entry * 2)));
    const half = { mean: Matrix.from(seen.mean), variance: Matrix.from(seen.variance) };
    half.mean.data.forEach((entry, k) => {
      half.mean.data[k] = entry / 2;
      half.variance.data[k]! /= 4;
    });
    expect(held(half)).toBeLessThan(0.8);
    // ± two standard errors of 240 entries.
    const filled = await result.impute(Y);
    expect(Math.abs(held(filled) - 0.9)).toBeLessThan(0.04);
    const column = Y.column(0).filter((entry) => !Number.isNaN(entry));
    const mean = column.reduce((sum, entry) => sum + entry / column.length, 0);
    const variance = column.reduce((sum, entry) => sum + (entry - mean) ** 2, 0) / (column.length - 1);
    expectClose(filled.mean.at(0, 0), mean, 1e-12);
    expectClose(filled.variance.at(0, 0), variance, 1e-12);
  });

  it('fix rows that agree where both are observed together', async () => {
    const result = await fit(
      meu([...Y, [Y[0]![0]!, Number.NaN, Y[0]![2]!]], { neighbors: 3, missing: 'ignore', latentDim: 2 }),
    );
    expect(result.status).toBe('converged');
    const distance = (i: number, j: number) =>
      Math.hypot(...result.latents.row(i).map((entry, c) => entry - result.latents.at(j, c)));
    const others = Y.flatMap((_, i) => Y.slice(0, i).map((__, j) => distance(i, j)));
    expect(distance(0, 30)).toBeLessThan(Math.min(...others));
  });

  it.each([
    ['no other row', [0, 1, 3], 1, 'Row index 2 of the observations shares no observed column with another row'],
    [
      'one other row',
      [0, 3],
      2,
      'Row index 2 of the observations has entries in common with 1 other row only, so it has no 2 neighbors',
    ],
  ])('are refused where a row shares entries with %s', (_, without, neighbors, said) => {
    const rows = [
      [0, 1, 2],
      [3, 1, 0],
      [Number.NaN, Number.NaN, 5],
      [1, 4, 2],
    ];
    for (const i of without) rows[i]![2] = Number.NaN;
    expect(() => meu(rows, { neighbors, missing: 'ignore' })).toThrow(said);
  });

  it('change nothing when there are none', async () => {
    const ignored = await fit(meu(complete, { neighbors: 4, missing: 'ignore' }));
    const plain = await fit(meu(complete, { neighbors: 4 }));
    expect(ignored.latents).toEqual(plain.latents);
    expect(commonEntriesGraph(Matrix.from(complete), 4).graph).toEqual(knnGraph(complete, 4));
  });

  it.each<[string, () => unknown, RegExp]>([
    ['NaN without being told', () => meu(Y), /missing: 'ignore'/],
    ['k ≥ N', () => meu(Y, { neighbors: 30, missing: 'ignore' }), /from 1 to 29/],
    ['infinite entries', () => meu([[Infinity, 1], ...Y.map(() => [1, 2])], { missing: 'ignore' }), /is Infinity/],
    [
      'a row without entries',
      () => meu(Y.with(4, [Number.NaN, Number.NaN, Number.NaN]), { neighbors: 4, missing: 'ignore' }),
      /Row index 4 of the observations has no observed entries.* Leave that row out/,
    ],
    [
      'a column without entries',
      () =>
        evaluate(
          meu(
            Y.map((row) => [...row, Number.NaN]),
            { missing: 'ignore' },
          ),
        ),
      /Column index 3 .* missing entries only/,
    ],
  ])('refuses %s', (_, make, message) => {
    expect(make).toThrow(InvalidInputError);
    expect(make).toThrow(message);
  });
});
