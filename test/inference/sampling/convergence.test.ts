import { describe, expect, test } from 'vitest';
import { betaQuantile, incompleteBeta, normalQuantile } from '../../../src/engine/special/normal.ts';
import { essBulk, essTail, InvalidInputError, loo, Matrix, mcseMean, psis, rHat } from '../../../src/index.ts';
import { essMean, essQuantile, essSd, mcseQuantile, mcseSd, waic } from '../../../src/inference/index.ts';
import { reference } from '../../reference.ts';
import { expectClose } from '../../tolerance.ts';

interface Convergence {
  readonly draws: readonly (readonly number[])[];
  readonly [name: string]: unknown;
}
interface Psis {
  readonly logLikelihood: readonly (readonly number[])[];
  readonly rEff: number;
  readonly k: readonly number[];
  readonly nEff: readonly number[];
  readonly logWeights: readonly number[];
  readonly elpd: readonly number[];
  readonly pLoo: readonly number[];
  readonly total: readonly [elpd: number, pLoo: number, looic: number];
  readonly se: readonly number[];
}
const { convergence, psis: smoothed } = reference<{
  convergence: Record<string, Convergence>;
  psis: Record<string, Psis>;
}>('diagnostics.json');

describe('convergence diagnostics', () => {
  const functions: Record<string, (draws: Convergence['draws']) => number> = {
    rhat: rHat,
    essBulk,
    essTail,
    essMean,
    essSd,
    essMedian: (draws) => essQuantile(draws, 0.5),
    mcseMean,
    mcseSd,
    mcseMedian: (draws) => mcseQuantile(draws, 0.5),
  };
  test.each(Object.entries(convergence))("draws '%s' have the diagnostics of R's posterior", (_, reference) => {
    for (const [name, diagnostic] of Object.entries(functions)) {
      const expected = reference[name];
      const found = diagnostic(reference.draws);
      if (expected === null) expect(found, name).toBeNaN();
      else if (expected === 0) expect(found, name).toBe(0);
      else expectClose(found, expected, 1e-11, name);
    }
  });

  test('the forms of draws are alike: rows, doubles, a matrix and one chain', () => {
    const { draws } = convergence.slow!;
    const expected = essBulk(draws);
    expect(essBulk(draws.map((chain) => Float64Array.from(chain)))).toBe(expected);
    expect(essBulk(Matrix.from(draws))).toBe(expected);
    expect(rHat(draws[0]!)).toBe(rHat([draws[0]!]));
  });

  test('draws that are not finite, and fewer than can be judged, give NaN', () => {
    for (const diagnostic of Object.values(functions)) {
      expect(diagnostic([[1, 2, Number.NaN, 4, 5, 6]])).toBeNaN();
      expect(diagnostic([[1, 2, Infinity, 4, 5, 6]])).toBeNaN();
      expect(diagnostic([[1]])).toBeNaN();
    }
    expect(essBulk([[1, 2, 3, 4, 5]])).toBeNaN();
    expect(essBulk([[1, 2, 3, 4, 5, 3]])).toBeGreaterThan(1);
  });

  test('values that are not chains of one length are refused', () => {
    expect(() => rHat([[1, 2], [1]])).toThrow(InvalidInputError);
    expect(() => rHat([])).toThrow(InvalidInputError);
    expect(() => rHat([[]])).toThrow(InvalidInputError);
    expect(() => essBulk([['1', '2']] as never)).toThrow(InvalidInputError);
    expect(() => essBulk(undefined as never)).toThrow(InvalidInputError);
    expect(() => essQuantile([[1, 2, 3]], 1)).toThrow(InvalidInputError);
    expect(() => mcseQuantile([[1, 2, 3]], 0)).toThrow(InvalidInputError);
  });
});

describe('draws of any size', () => {
  const { draws } = Object.values(convergence).find(({ essMean }) => typeof essMean === 'number')!;
  test.each([1e-320, 1e-200, 1e-162, 1e155, 1e200, 1e300])(
    'that are %d times as large have the same diagnostics',
    (factor) => {
      // Denormal numbers have few digits left.
      const tolerance = factor < 1e-300 ? 1e-2 : 1e-11;
      const scaled = draws.map((chain) => chain.map((x) => x * factor));
      for (const diagnostic of [rHat, essMean, essSd]) {
        expectClose(diagnostic(scaled), diagnostic(draws), tolerance, diagnostic.name);
      }
      for (const error of [mcseMean, mcseSd, (of: typeof draws) => mcseQuantile(of, 0.9)]) {
        expectClose(error(scaled) / factor, error(draws), tolerance, error.name);
      }
    },
  );
});

describe('Pareto smoothed importance sampling', () => {
  test.each(Object.entries(smoothed))(
    "log likelihoods '%s' have the k, weights and elpd of R's loo",
    (_, reference) => {
      const { logLikelihood, rEff } = reference;
      const found = loo(logLikelihood, { relativeEfficiency: rEff });
      expectClose(found.k, reference.k, 1e-11, 'k');
      expectClose(found.pointwise, reference.elpd, 1e-11, 'elpd');
      expectClose([found.elpd, found.effectiveParameters], reference.total.slice(0, 2), 1e-11, 'totals');
      expectClose(found.se, reference.se[0]!, 1e-11, 'se');
      const ratios = logLikelihood.map((row) => row.map((entry) => -entry));
      const weights = psis(ratios, { relativeEfficiency: rEff });
      expectClose(weights.k, reference.k, 1e-11, 'k');
      expectClose(weights.effectiveSize, reference.nEff, 1e-11, 'effective size');
      expectClose(weights.logWeights.column(0), reference.logWeights, 1e-11, 'weights');
      const first = psis(
        ratios.map((row) => row[0]!),
        { relativeEfficiency: [rEff] },
      );
      expectClose(first.logWeights.column(0), reference.logWeights, 1e-11, 'weights of one observation');
    },
  );

  test('advice names how many observations cannot be trusted', () => {
    const { logLikelihood, k } = smoothed.heavy!;
    const { message, kLimit } = loo(logLikelihood);
    expect(kLimit).toBeCloseTo(1 - 1 / Math.log10(400), 12);
    expect(message).toMatch(`for ${k.filter((entry) => entry > kLimit).length} of 6 observations`);
    const steady = Array.from({ length: 400 }, (_, s) => [-1 + 0.1 * Math.sin(7 * s), -2 + 0.1 * Math.cos(3 * s)]);
    expect(loo(steady).message).toMatch('can be trusted');
  });

  test('equal ratios are left as they are without alarm, and too few with k infinite', () => {
    const equal = psis(new Array(100).fill(0.3));
    expect(equal.k[0]).toBe(Number.NEGATIVE_INFINITY);
    expectClose(equal.logWeights.column(0), new Array(100).fill(-Math.log(100)), 1e-14);
    expect(psis([0, 1, 2, 3]).k[0]).toBe(Infinity);
    const many = Array.from({ length: 400 }, (_, s) => s);
    const columns: Record<string, [logLikelihood: readonly number[], elpd: number]> = {
      equal: [many.map(() => -1.5), -1.5],
      'equal but for rounding': [many.map((s) => -1e6 + 1e-9 * (s % 3)), -1e6],
      // 1 / mean of 1/p, a hundred draws of p = e⁻² and three hundred of e⁻¹.
      'in two steps': [many.map((s) => (s % 4 === 0 ? -2 : -1)), -Math.log((Math.E ** 2 + 3 * Math.E) / 4)],
    };
    for (const [name, [column, elpd]] of Object.entries(columns)) {
      const found = loo(column.map((entry) => [entry]));
      expectClose(found.pointwise, [elpd], 1e-13, name);
      expect(found.message, name).toMatch('can be trusted');
    }
    // One draw that is e⁹⁹⁹ as unlikely as the others remains an alarm.
    expect(loo(many.map((s) => [s === 0 ? -1000 : -1])).message).toMatch('for 1 of 1 observations');
  });

  test('waic is the mean density less the variance of its logarithm', () => {
    // By hand: two draws of two observations.
    const { elpd, effectiveParameters, pointwise } = waic([
      [-1, -2],
      [-2, -2],
    ]);
    const first = Math.log((Math.exp(-1) + Math.exp(-2)) / 2) - 0.5;
    expectClose(pointwise, [first, -2], 1e-14);
    expectClose([elpd, effectiveParameters], [first - 2, 0.5], 1e-14);
  });

  test('log densities that are not finite are refused with their position', () => {
    expect(() =>
      loo([
        [-1, -2],
        [-1, Number.NEGATIVE_INFINITY],
      ]),
    ).toThrow(/draw 1 and observation 1/);
    expect(() => psis([1, 2], { relativeEfficiency: [1, 1] })).toThrow(InvalidInputError);
    expect(() => psis([1, 2], { relativeEfficiency: 0 })).toThrow(InvalidInputError);
    expect(() => waic([])).toThrow(InvalidInputError);
  });
});

describe('quantile functions', () => {
  test('the normal quantiles agree with SciPy', () => {
    const expected = [
      -37.0470962993612, -9.262340089798409, -4.264890793922825, -2.3263478740408408, 0.5244005127080407,
    ];
    const found = [1e-300, 1e-20, 1e-5, 0.01, 0.7].map(normalQuantile);
    expected.forEach((entry, i) => {
      expectClose(found[i], entry, 1e-15);
    });
    expect([0, 1].map(normalQuantile)).toEqual([-Infinity, Infinity]);
  });

  test('the beta quantiles agree with SciPy, and its distribution function returns their probability', () => {
    expectClose(betaQuantile(0.1586553, 401, 401), 0.48234439300399595, 1e-12);
    expectClose(betaQuantile(0.84, 3.2, 700), 0.0069425468141287505, 1e-12);
    expectClose(incompleteBeta(betaQuantile(0.3, 0.5, 2), 0.5, 2), 0.3, 1e-13);
  });
});
