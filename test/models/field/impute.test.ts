import { alle, drill, fit, InvalidInputError, isomap, loadFit, meu, mpme } from 'latentfield';
import { describe, expect, it } from 'vitest';
import { expectClose } from '../../tolerance.ts';
import { swissRoll } from '../spectral/columns.ts';
import { inverseOf, solved } from './dense.ts';

const Y = swissRoll(24);
const holes = Y.map((row, i) => row.map((entry, d) => ((3 * i + 7 * d) % 5 === 0 ? Number.NaN : entry)));

/** Squared errors of leaving each observed entry out, and their variances by the covariance. */
function leftOut(U: number[][], column: readonly number[]): { square: number; variance: number }[] {
  const observed = Array.from(column.keys()).filter((i) => !Number.isNaN(column[i]));
  return observed.map((i) => {
    const { mean, variance } = kriged(U, column.with(i, Number.NaN));
    return { square: (column[i]! - mean[i]!) ** 2, variance: variance[i]! };
  });
}

/** Minus twice the log density of the errors, each with the variance scale·V_i + constant. */
const loss = (errors: readonly { square: number; variance: number }[], scale: number, constant: number) =>
  errors.reduce((sum, { square, variance }) => {
    const own = scale * variance + constant;
    return sum + Math.log(own) + square / own;
  }, 0);

/** Checks that scale and constant, from 0, make the errors as probable as any do: by slopes, and by comparison with others. */
function expectMostProbable(errors: readonly { square: number; variance: number }[], scale: number, constant: number) {
  const slopes = errors.map(({ square, variance }) => {
    const own = scale * variance + constant;
    return { constant: (1 - square / own) / own, scale: ((1 - square / own) * variance) / own };
  });
  const [byScale, byConstant] = (['scale', 'constant'] as const).map((name) =>
    slopes.reduce((sum, slope) => sum + slope[name], 0),
  );
  expect(Math.abs(scale * byScale!)).toBeLessThan(1e-6);
  expect(Math.abs(constant * byConstant!)).toBeLessThan(1e-6);
  const typical = errors.reduce((sum, { square }) => sum + square, 0) / errors.length;
  const least = loss(errors, scale, constant);
  for (let a = -3; a <= 2; a += 0.25) {
    for (let b = -3; b <= 2; b += 0.25) {
      expect(loss(errors, scale * 10 ** a, typical * 10 ** b)).toBeGreaterThan(least - 1e-9);
    }
  }
}

/** The line scale·V + constant that variances at missing entries lie on. */
function lineThrough(V: readonly number[], variances: Float64Array): { scale: number; constant: number } {
  const missing = Array.from(V.keys()).filter((i) => V[i]! > 0);
  const lowest = missing.reduce((least, i) => (V[i]! < V[least]! ? i : least));
  const highest = missing.reduce((most, i) => (V[i]! > V[most]! ? i : most));
  const scale = (variances[highest]! - variances[lowest]!) / (V[highest]! - V[lowest]!);
  return { scale, constant: variances[lowest]! - scale * V[lowest]! };
}

/** Mean and variance at the missing entries by the covariance, with the mean of the column estimated: ordinary kriging. */
function kriged(U: number[][], column: readonly number[]): { mean: number[]; variance: number[] } {
  const observed = column.map((_, i) => i).filter((i) => !Number.isNaN(column[i]));
  const block = observed.map((i) => observed.map((j) => U[i]![j]!));
  const y = observed.map((i) => column[i]!);
  const ones = observed.map(() => 1);
  const dot = (a: readonly number[], b: readonly number[]) => a.reduce((sum, entry, k) => sum + entry * b[k]!, 0);
  const information = dot(ones, solved(block, ones));
  const center = dot(ones, solved(block, y)) / information;
  const weights = solved(
    block,
    y.map((entry) => entry - center),
  );
  const mean = column.map((entry, i) => {
    if (!Number.isNaN(entry)) return entry;
    return (
      center +
      dot(
        observed.map((j) => U[i]![j]!),
        weights,
      )
    );
  });
  const variance = column.map((entry, i) => {
    if (!Number.isNaN(entry)) return 0;
    const across = observed.map((j) => U[i]![j]!);
    const explained = solved(block, across);
    return U[i]![i]! - dot(across, explained) + (1 - dot(ones, explained)) ** 2 / information;
  });
  return { mean, variance };
}

describe('impute', () => {
  it.each([
    ['meu', meu(Y, { neighbors: 4, basePrecision: 1e-2 })],
    ['mpme', mpme(Y, { basePrecision: 1e-3 })],
    ['alle', alle(Y, { neighbors: 3, basePrecision: 1e-2 })],
    ['drill', drill(Y, { neighbors: 5 })],
  ])('fills the holes of %s as ordinary kriging by its covariance does', async (_, model) => {
    const result = await fit(model);
    const { mean, variance } = await result.impute!(holes);
    const U = inverseOf(result.precision!().toArrays());
    for (let d = 0; d < 3; d++) {
      const column = holes.map((row) => row[d]!);
      const expected = kriged(U, column);
      expectClose(mean.column(d), expected.mean, 1e-8, `mean of column ${d}`);
      const { scale, constant } = lineThrough(expected.variance, variance.column(d));
      const onLine = expected.variance.map((entry) => (entry > 0 ? scale * entry + constant : 0));
      expectClose(variance.column(d), onLine, 1e-8, `variance of column ${d}`);
      expectMostProbable(leftOut(U, column), scale, constant);
      column.forEach((entry, i) => {
        if (!Number.isNaN(entry)) expect(mean.at(i, d)).toBe(entry);
      });
    }
    const again = loadFit(JSON.parse(JSON.stringify(result)));
    expect(await again.impute!(holes)).toEqual({ mean, variance });
  });

  it('has intervals in the unit of a column, for any unit', async () => {
    const result = await fit(meu(Y, { neighbors: 4 }));
    const one = holes.map((row) => [row[0]!]);
    const other = one.map(([entry]) => [1e6 * entry! - 3]);
    const [a, b] = [await result.impute!(one), await result.impute!(other)];
    expectClose(
      b.variance.data.map((entry) => Math.sqrt(entry)),
      a.variance.data.map((entry) => 1e6 * Math.sqrt(entry)),
      1e-9,
    );
    // Of a constant column, and of one observation, nothing says the scale: it is that of the field.
    const flat = await result.impute!(one.map(([entry]) => [Number.isNaN(entry!) ? entry! : 2]));
    const field = result.covariance!();
    expect(flat.mean.data.every((entry) => Math.abs(entry - 2) < 1e-9)).toBe(true);
    expect(flat.variance.data.reduce((most, entry) => Math.max(most, entry))).toBeLessThan(
      Math.max(...Array.from(field.data)),
    );
    expect(flat.variance.data.some((entry) => entry > 0)).toBe(true);
  });

  it('spreads a few known values over the graph, regardless of a constant added to all', async () => {
    const result = await fit(meu(Y, { neighbors: 4, basePrecision: 1e-9 }));
    const known = Y.map((_, i) => [i === 0 ? 1 : i === 23 ? 3 : Number.NaN]);
    const { mean } = await result.impute!(known);
    // Without λ the mean is harmonic: between two known values each point is at the weighted mean of its neighbors.
    const { sources, targets, weights } = result.graph!;
    const pulled = new Float64Array(24);
    sources.forEach((i, e) => {
      const flow = weights[e]! * (mean.at(i, 0) - mean.at(targets[e]!, 0));
      pulled[i]! += flow;
      pulled[targets[e]!]! -= flow;
    });
    expectClose(pulled.slice(1, 23), new Float64Array(22), 1e-7);
    expectClose(pulled[0]! + pulled[23]!, 0, 1e-7);
    const shifted = await result.impute!(known.map(([entry]) => [entry! + 1e6]));
    expectClose(
      shifted.mean.column(0).map((entry) => entry - 1e6),
      mean.column(0),
      1e-9,
    );
  });

  it('is Y itself where nothing is missing', async () => {
    const { mean, variance } = await (await fit(meu(Y))).impute!(Y);
    expect(mean.toArrays()).toEqual(Y);
    expect(Math.max(...variance.data)).toBe(0);
  });

  it.each<[string, readonly (readonly number[])[], RegExp]>([
    ['other points', Y.slice(1), /over the 24 points that were fitted, but a 23×3 matrix.*project/],
    [
      'a column of nothing',
      Y.map(([x]) => [x!, Number.NaN]),
      /Column index 1 of the observations contains missing entries only/,
    ],
    ['infinite entries', Y.map(() => [Infinity]), /entry \[0\]\[0\] is Infinity/],
  ])('refuses %s', async (_, given, message) => {
    const result = await fit(meu(Y));
    await expect(result.impute!(given as number[][])).rejects.toThrow(InvalidInputError);
    await expect(result.impute!(given as number[][])).rejects.toThrow(message);
  });

  it('is not there for models without a field', async () => {
    expect(await fit(isomap(Y, { neighbors: 8 }))).not.toHaveProperty('impute');
  });
});
