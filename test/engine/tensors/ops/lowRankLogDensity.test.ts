import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../../../src/core/random.ts';
import { withEngine } from '../../../../src/engine/dense/index.ts';
import { withFloat64 } from '../../../../src/engine/tensors/float64/scope.ts';
import { valueAndGradients } from '../../../../src/engine/tensors/gradients.ts';
import { radialLogDensity } from '../../../../src/engine/tensors/ops/radialGramMatrix.ts';
import * as op from '../../../../src/engine/tensors/ops.ts';
import type { Scalar, Tensor2D } from '../../../../src/engine/tensors/tensorflow.ts';
import { maternProfiles } from '../../../../src/kernels/matern.ts';
import { rbfProfile } from '../../../../src/kernels/rbf.ts';

interface Problem {
  points: Float64Array;
  q: number;
  columns: number;
  variance: number;
  lengthscale: number[];
  bias: number;
  noise: number;
  profile: op.RadialProfile;
  /** What stands at row 5, column 1 of the observations, when it is not what belongs there. */
  observed?: number;
  /** Whether all observations are 0, so that the density is that of the log determinant. */
  zero?: boolean;
}

const { normal } = seededRandom(1);
/** Points on two arcs, a little beside them. */
const arcs = (n: number, q: number) =>
  Float64Array.from({ length: n * q }, (_, k) => {
    const [i, d] = [Math.floor(k / q), k % q];
    const angle = (Math.PI * i) / n;
    return (i % 2) + (d === 0 ? Math.cos(angle) : Math.sin(angle + d)) + 0.05 * normal();
  });
const half = arcs(600, 2).subarray(0, 600);
const usual: Problem = {
  points: arcs(600, 2),
  q: 2,
  columns: 3,
  variance: 1.3,
  lengthscale: [0.9],
  bias: 0.2,
  noise: 0.1,
  profile: rbfProfile,
};

/** Value and gradients by one operation, which may take a form of low rank, and by two, which factor the whole covariance. */
function both(problem: Partial<Problem>, engine: 'wasm' | 'typescript', differentiated = true) {
  const { points, q, columns, variance, lengthscale, bias, noise, profile, observed, zero } = { ...usual, ...problem };
  const n = points.length / q;
  const smooth = (i: number, c: number) => Math.sin(points[i * q]! * (c + 1)) + 0.3 * points[i * q + q - 1]!;
  const errors = seededRandom(2);
  const y = Float64Array.from({ length: n * columns }, (_, k) => {
    return smooth(Math.floor(k / columns), k % columns) + 0.3 * errors.normal();
  });
  if (zero) y.fill(0);
  if (observed !== undefined) y[5 * columns + 1] = observed;
  return withFloat64(({ memory64 }) =>
    withEngine(memory64, engine, () => {
      const Y = op.tensor<Tensor2D>(y, [n, columns]);
      const inputs = [
        op.tensor<Tensor2D>(points, [n, q]),
        op.scalar(variance),
        lengthscale.length === 1 ? op.scalar(lengthscale[0]!) : op.tensor(lengthscale),
        op.scalar(bias),
        op.scalar(noise),
      ];
      const parameters = { variance: inputs[1]!, lengthscale: inputs[2]!, bias: inputs[3]!, noise: inputs[4]! };
      const X = inputs[0] as Tensor2D;
      const data = { observations: Y, constant: true };
      const ranks: number[] = [];
      const onRank = (rank: number) => void ranks.push(rank);
      const one = () => radialLogDensity(X, profile, parameters, data, { name: 'The covariance', onRank });
      const two = () => op.gaussianLogDensity(op.radialGramMatrix(X, profile, parameters), data);
      const of = (density: () => Scalar) => {
        if (differentiated) return valueAndGradients(density, inputs);
        return { value: op.valueOf(density()), gradients: [] };
      };
      return { lowRank: of(one), whole: of(two), ranks, n };
    }),
  );
}

const largest = (entries: Float64Array) => entries.reduce((most, entry) => Math.max(most, Math.abs(entry)), 0);

/** Differences of the gradients in the points, and in the four parameters, relative to the largest of each. */
function gradientDifferences({ lowRank, whole }: ReturnType<typeof both>): number[] {
  const grouped = ({ gradients: [points, ...parameters] }: typeof whole) => [
    points!,
    Float64Array.from(parameters.flatMap((own) => Array.from(own!))),
  ];
  const found = grouped(lowRank);
  return grouped(whole).map((expected, k) => {
    return largest(found[k]!.map((entry, i) => entry - expected[i]!)) / (largest(expected) || 1);
  });
}

const cases: Record<string, Partial<Problem>> = {
  'points of a plane': {},
  'one dimension': { points: arcs(600, 1), q: 1 },
  'three dimensions, a lengthscale each': { points: arcs(900, 3), q: 3, lengthscale: [1.5, 2, 3] },
  'one column': { columns: 1 },
  'many columns': { columns: 40 },
  'no bias': { bias: 0 },
  'a large bias': { bias: 50, noise: 1 },
  'a large variance': { variance: 400, noise: 6 },
  'little noise': { noise: 0.0165 },
  'much noise': { noise: 20 },
  'points that are there twice': { points: Float64Array.of(...half, ...half) },
  'all points alike': { points: new Float64Array(1200).fill(0.5) },
  'points far from 0': { points: arcs(600, 2).map((entry) => entry + 1000) },
};

describe.each(Object.entries(cases))('a smooth covariance of many points: %s', (_name, problem) => {
  it('has the log density and the gradients that it has when it is factored whole', () => {
    const result = both(problem, 'wasm');
    const { lowRank, whole, ranks, n } = result;
    expect(ranks).toHaveLength(1);
    expect(ranks[0]).toBeGreaterThan(0);
    expect(ranks[0]).toBeLessThanOrEqual(0.3 * n);
    expect(Math.abs(lowRank.value / whole.value - 1)).toBeLessThan(2e-12);
    for (const difference of gradientDifferences(result)) expect(difference).toBeLessThan(5e-11);
  });
});

it('a covariance that is negligible compared with the noise has rank 0', () => {
  const result = both({ variance: 1e-12, bias: 0, noise: 10 }, 'wasm');
  const { lowRank, whole, ranks } = result;
  expect(ranks).toEqual([0]);
  expect(Math.abs(lowRank.value / whole.value - 1)).toBeLessThan(1e-12);
  for (const difference of gradientDifferences(result)) expect(difference).toBeLessThan(5e-11);
});

it.each([600, 1000])(
  'the log determinant of %i points is right to 1e-10, also where there is hardly noise enough',
  (n) => {
    const noise = 0.0000275 * n;
    const { lowRank, whole, ranks } = both({ points: arcs(n, 2), noise, columns: 1, zero: true }, 'wasm', false);
    expect(ranks).toHaveLength(1);
    expect(2 * Math.abs(lowRank.value - whole.value)).toBeLessThan(1e-10);
  },
);

it('the value alone is the value with gradients', () => {
  const { lowRank, ranks } = both({}, 'wasm', false);
  expect(ranks).toHaveLength(1);
  expect(lowRank.value).toBe(both({}, 'wasm').lowRank.value);
});

it('the TypeScript engine does the same', { tags: 'long' }, () => {
  const [wasm, typescript] = [both({}, 'wasm'), both({}, 'typescript')];
  expect(typescript.ranks).toHaveLength(1);
  expect(Math.abs(typescript.lowRank.value / wasm.lowRank.value - 1)).toBeLessThan(1e-12);
  for (const difference of gradientDifferences(typescript)) expect(difference).toBeLessThan(5e-11);
});

const factoredWhole: Record<string, Partial<Problem>> = {
  'few points': { points: arcs(300, 2) },
  'a short lengthscale': { lengthscale: [0.02] },
  'a rough covariance': { profile: maternProfiles.matern32 },
  'a constant that is taken off': { bias: -0.001 },
  'less noise than rounding leaves room for': { noise: 0.0155 },
};

describe.each(Object.entries(factoredWhole))('the whole covariance is factored: %s', (_name, problem) => {
  it('with the bits of the two operations', () => {
    const { lowRank, whole, ranks } = both(problem, 'wasm');
    expect(ranks).toEqual([]);
    expect(lowRank).toEqual(whole);
  });
});

const refused: Record<string, Partial<Problem>> = {
  'nothing at all': { variance: 0, bias: 0, noise: 0 },
  'a negative variance': { variance: -1, bias: 2 },
  'infinite noise': { noise: Infinity },
  'lengthscales of 0': { lengthscale: [0] },
};

it('a covariance that is not positive semidefinite is refused, though its diagonal would not show it', () => {
  const parabola: op.RadialProfile = {
    name: 'parabola',
    value: (s) => {
      for (let i = 0; i < s.length; i++) s[i] = 1 - s[i]!;
    },
    slope: (s) => {
      s.fill(-1);
    },
  };
  // Two places at a squared distance of 4: variances of 1 and a covariance of −3.
  const points = Float64Array.from({ length: 600 }, (_, i) => 2 * (i % 2));
  const indefinite = { points, q: 1, profile: parabola, variance: 1, lengthscale: [1], bias: 0 };
  expect(() => both(indefinite, 'wasm')).toThrow(/^The covariance \(600×600\) is not positive definite/);
});

it.each(Object.entries(refused))('%s is an error of the covariance', (_name, problem) => {
  expect(() => both(problem, 'wasm')).toThrow(/^The covariance \(600×600\)/);
});

it('leaves no memory behind after an error', () => {
  const live = () => withFloat64(({ memory64 }) => memory64.liveBytes);
  const before = live();
  expect(() => both({ observed: Number.NaN }, 'wasm')).toThrow(
    /observations \(600×3\) must be finite, but entry \[5\]\[1\] is NaN/,
  );
  expect(live()).toBe(before);
});

it('takes the form of low rank from 500 points on', () => {
  expect(both({ points: arcs(499, 2), lengthscale: [3] }, 'wasm').ranks).toEqual([]);
  expect(both({ points: arcs(500, 2), lengthscale: [3] }, 'wasm').ranks).toHaveLength(1);
});

it.each<[string, Partial<Problem>]>([
  ['', {}],
  [', also where the covariance is nothing beside the noise', { variance: 1e-12, bias: 0, noise: 10 }],
])('an entry that is not finite is an error with its position%s', (_where, problem) => {
  const points = arcs(600, 2);
  points[7] = Number.NaN;
  expect(() => both({ ...problem, points }, 'wasm')).toThrow(
    /^The covariance .*(entry \[3\]\[\d+\] is NaN|entry \[\d+\]\[3\] is NaN)/,
  );
});
