import { describe, expect, it } from 'vitest';
import * as op from '../../src/engine/tensors/ops.ts';
import {
  bounded,
  choleskyFactor,
  defineDensity,
  defineModel,
  gamma,
  halfNormal,
  inverseGamma,
  known,
  logDensityOf,
  logNormal,
  Matrix,
  normal,
  observed,
  ordered,
  type Parameter,
  positive,
  real,
  samplePosterior,
  seededRandom,
  simplex,
} from '../../src/index.ts';
import { defineTransform, type ParameterPrior } from '../../src/model/index.ts';

// Law: in the variables u that a sampler moves, a model whose parameter θ = T(u) meets no data has the density of the prior: p(u) of a prior on u, and
// p(θ)·|∂θ/∂u| of a prior on θ.

/** A model with a parameter that its log density reads without depending on it. */
function modelOf(theta: Parameter) {
  const density = defineDensity({
    name: 'flat',
    parameters: { theta },
    logDensity: (p, { value }) => op.add(op.mul(-0.5, op.sum(op.square(value))), op.mul(0, op.sum(p.theta))),
  });
  return defineModel({
    name: 'withoutData',
    variables: ({ y }: { y: Matrix }) => {
      const times = known(y);
      return { times, y: observed(y, { density: density(), given: times }) };
    },
  })({ y: Matrix.from([[0], [0]]) });
}

const { exp, log, PI } = Math;
const logSigmoid = (u: number) => -Math.log1p(exp(-u));

const halfCauchy = defineDensity({
  name: 'halfCauchy',
  parameters: { scale: positive(1) },
  entrywise: true,
  support: { above: 0 },
  logDensity: (p, { value: x }) =>
    op.sub(log(2 / PI), op.add(op.log(p.scale), op.log1p(op.square(op.div(x, p.scale))))),
});

/** log p of each distribution, written again, and points of its support. */
const distributions: Record<string, { of(on: On): ParameterPrior; logDensity(x: number): number; lower: number }> = {
  normal: {
    of: (on) => normal({ mean: 0.4, deviation: 0.8, on }),
    logDensity: (x) => -0.5 * ((x - 0.4) / 0.8) ** 2 - log(0.8) - 0.5 * log(2 * PI),
    lower: -Infinity,
  },
  gamma: {
    of: (on) => gamma({ shape: 3, rate: 2, on }),
    logDensity: (x) => 3 * log(2) - log(2) + 2 * log(x) - 2 * x,
    lower: 0,
  },
  inverseGamma: {
    of: (on) => inverseGamma({ shape: 3, scale: 2, on }),
    logDensity: (x) => 3 * log(2) - log(2) - 4 * log(x) - 2 / x,
    lower: 0,
  },
  logNormal: {
    of: (on) => logNormal({ mean: -0.3, deviation: 0.7, on }),
    logDensity: (x) => -0.5 * ((log(x) + 0.3) / 0.7) ** 2 - log(x) - log(0.7) - 0.5 * log(2 * PI),
    lower: 0,
  },
  halfNormal: {
    of: (on) => halfNormal({ scale: 0.6, on }),
    logDensity: (x) => 0.5 * log(2 / PI) - log(0.6) - 0.5 * (x / 0.6) ** 2,
    lower: 0,
  },
  'one of your own': {
    of: (on) => halfCauchy({ scale: 0.5, on }),
    logDensity: (x) => log(2 / PI) - log(0.5) - Math.log1p((x / 0.5) ** 2),
    lower: 0,
  },
};

type On = 'natural' | 'unconstrained';

/** Kinds of parameters whose entries have a variable each: the value and the logarithm of its slope. */
interface Kind {
  make(prior: ParameterPrior): Parameter;
  natural(u: number): number;
  logSlope(u: number): number;
}

const kinds: Record<string, Kind> = {
  real: { make: (prior) => real(0.5, { prior }), natural: (u) => u, logSlope: () => 0 },
  positive: { make: (prior) => positive(1.5, { prior }), natural: exp, logSlope: (u) => u },
  softplus: {
    make: (prior) => positive(1.5, { prior, transform: 'softplus' }),
    natural: (u) => Math.log1p(exp(u)),
    logSlope: logSigmoid,
  },
  bounded: {
    make: (prior) => bounded(-1, 3, 2, { prior }),
    natural: (u) => -1 + 4 / (1 + exp(-u)),
    logSlope: (u) => log(4) + logSigmoid(u) + logSigmoid(-u),
  },
  'a vector of reals': { make: (prior) => real([0.5, 0.7], { prior }), natural: (u) => u, logSlope: () => 0 },
  'a vector of positive numbers': {
    make: (prior) => positive([1.5, 2, 1.2], { prior }),
    natural: exp,
    logSlope: (u) => u,
  },
  'a matrix between bounds': {
    make: (prior) =>
      bounded(
        -1,
        3,
        Matrix.from([
          [2, 2.5],
          [1.5, 2],
        ]),
        { prior },
      ),
    natural: (u) => -1 + 4 / (1 + exp(-u)),
    logSlope: (u) => log(4) + logSigmoid(u) + logSigmoid(-u),
  },
};

/** Kinds whose entries depend on each other: which of them are coordinates of the value. */
const belowSix = defineTransform({
  name: 'belowSix',
  toNatural: (u) => u.map((entry) => 6 - exp(entry)),
  toUnconstrained: (x) => x.map((entry) => log(6 - entry)),
  pullBack: (gradient, x) => gradient.map((entry, i) => entry * (x[i]! - 6)),
  logJacobian: (u) => ({ value: u.reduce((sum, entry) => sum + entry, 0), gradient: u.map(() => 1) }),
  refuses: (x) => (x.every((entry) => entry < 6) ? undefined : 'below 6'),
});
const jointKinds: Record<string, { make(prior: ParameterPrior): Parameter; coordinates: readonly number[] }> = {
  simplex: { make: (prior) => simplex([0.5, 0.3, 0.2], { prior }), coordinates: [0, 1] },
  ordered: { make: (prior) => ordered([0.2, 0.9, 2], { prior }), coordinates: [0, 1, 2] },
  'a transform of your own': { make: (prior) => belowSix([1, 2], { prior }), coordinates: [0, 1] },
};

const pairs = Object.keys(kinds).flatMap((kind) =>
  Object.keys(distributions).flatMap((name) =>
    (['natural', 'unconstrained'] as const).map((on) => [kind, name, on] as const),
  ),
);

/** The log density in the variables, without the observed rows. */
function opened(parameter: Parameter) {
  const density = logDensityOf(modelOf(parameter), { jacobian: true });
  return {
    size: density.size,
    at: (u: readonly number[]) => {
      const { value, gradient, terms } = density.evaluate(u);
      return { value: value - terms.y!, gradient: [...gradient] };
    },
    entries: (u: readonly number[]) => {
      const value = density.values(u)['y.theta']!;
      return typeof value === 'number' ? [value] : value instanceof Matrix ? [...value.data] : [...value];
    },
    dispose: () => density.dispose(),
  };
}

/** Points in the support of a distribution, on θ or on u. */
const random = seededRandom(3);
const pointsOf = (size: number, lower: number) =>
  Array.from({ length: 3 }, () =>
    Array.from({ length: size }, () => (lower === 0 ? 0.1 + 1.5 * random.uniform() : 1.2 * random.normal())),
  );

describe('a parameter that meets no data', () => {
  it.each(pairs)('%s, %s on the %s value: has the density of its prior', (kind, name, on) => {
    const { make, natural, logSlope } = kinds[kind]!;
    const { of, logDensity, lower } = distributions[name]!;
    const density = opened(make(of(on)));
    const expected = (u: number) => (on === 'unconstrained' ? logDensity(u) : logDensity(natural(u)) + logSlope(u));
    for (const u of pointsOf(density.size, lower)) {
      const { value, gradient } = density.at(u);
      const sum = u.reduce((total, entry) => total + expected(entry), 0);
      expect(Math.abs(value - sum)).toBeLessThan(1e-12 * Math.max(1, Math.abs(sum)));
      gradient.forEach((slope, i) => {
        const h = 1e-3;
        const odd = (k: number) => expected(u[i]! + k * h) - expected(u[i]! - k * h);
        const difference = (45 * odd(1) - 9 * odd(2) + odd(3)) / (60 * h);
        expect(Math.abs(slope - difference)).toBeLessThan(1e-8 * Math.max(1, Math.abs(difference)));
      });
    }
    density.dispose();
  });

  it.each(
    Object.keys(jointKinds).flatMap((kind) => ['normal', 'gamma', 'logNormal'].map((name) => [kind, name] as const)),
  )('%s, %s: has the density of its prior times the change of volume', (kind, name) => {
    const { make, coordinates } = jointKinds[kind]!;
    const { of, logDensity } = distributions[name]!;
    const density = opened(make(of('natural')));
    for (const u of pointsOf(density.size, 0)) {
      const x = density.entries(u);
      const h = 1e-3;
      const moved = (i: number, k: number) => density.entries(u.map((entry, j) => (i === j ? entry + k * h : entry)));
      const columns = u.map((_, i) => {
        const at = [1, 2, 3].map((k) => [moved(i, k), moved(i, -k)] as const);
        return coordinates.map((c) => {
          const odd = (k: number) => at[k - 1]![0][c]! - at[k - 1]![1][c]!;
          return (45 * odd(1) - 9 * odd(2) + odd(3)) / (60 * h);
        });
      });
      const sum = x.reduce((total, entry) => total + logDensity(entry), 0) + log(Math.abs(determinant(columns)));
      expect(Math.abs(density.at(u).value - sum)).toBeLessThan(1e-9 * Math.max(1, Math.abs(sum)));
    }
    density.dispose();
  });

  it('refuses a prior on variables, several per value', () => {
    const prior = normal({ mean: 0, deviation: 1, on: 'unconstrained' });
    for (const parameter of [simplex(3, { prior }), ordered([0, 1], { prior }), choleskyFactor(2, { prior })]) {
      const density = opened(parameter);
      expect(() => density.at(new Array(density.size).fill(0.1))).toThrow(/natural value/);
      density.dispose();
    }
  });

  it('is drawn from its prior, on its value and on its variable', async () => {
    const standard = normal({ mean: 0, deviation: 1, on: 'unconstrained' });
    const cases = [
      { theta: positive(1, { prior: standard }), variable: log, mean: 0, variance: 1 },
      {
        theta: bounded(0, 1, 0.5, { prior: standard }),
        variable: (x: number) => log(x / (1 - x)),
        mean: 0,
        variance: 1,
      },
      { theta: positive(1, { prior: gamma({ shape: 4, rate: 2 }) }), variable: (x: number) => x, mean: 2, variance: 1 },
    ];
    for (const { theta, variable, mean, variance } of cases) {
      const draws = await samplePosterior(modelOf(theta), { chains: 2, warmup: 300, draws: 1500, seed: 1 });
      const values = [...draws.values('y.theta').data].map(variable);
      const average = values.reduce((sum, value) => sum + value, 0) / values.length;
      const spread = values.reduce((sum, value) => sum + (value - average) ** 2, 0) / (values.length - 1);
      // Four standard errors of some 1000 independent draws.
      expect(Math.abs(average - mean)).toBeLessThan(0.13);
      expect(Math.abs(spread / variance - 1)).toBeLessThan(0.25);
    }
  });
});

/** Determinant of a matrix of at most three rows. */
function determinant(m: readonly (readonly number[])[]): number {
  if (m.length === 1) return m[0]![0]!;
  return m[0]!.reduce((sum, entry, j) => {
    const minor = m.slice(1).map((row) => row.filter((_, column) => column !== j));
    return sum + (j % 2 === 0 ? 1 : -1) * entry * determinant(minor);
  }, 0);
}
