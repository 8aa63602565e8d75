import { describe, expect, test } from 'vitest';
import { hmc, nuts, seededRandom } from '../../../src/index.ts';
import { ellipticalSlice, type Sampler, slice } from '../../../src/inference/index.ts';
import { type ChainState, newChain, runChain } from '../../../src/inference/sampling/chain.ts';
import { essBulk, mcseMean, mcseSd, rHat } from '../../../src/inference/sampling/convergence.ts';
import { warmupWindows } from '../../../src/inference/sampling/samplers/hamiltonian.ts';
import type { SampledDensity } from '../../../src/inference/sampling/samplers/sampler.ts';

interface Run {
  readonly chains?: number;
  readonly warmup?: number;
  readonly draws?: number;
  readonly seed?: number;
}

function run(density: SampledDensity, start: readonly number[], sampler: Sampler, given: Run = {}): ChainState[] {
  const { chains = 4, warmup = 500, draws = 500, seed = 1 } = given;
  return Array.from({ length: chains }, (_, c) => {
    const from = newChain(
      c,
      Float64Array.from(start, (entry) => entry + 0.1 * c),
    );
    const target = { density, jittered: () => 0 };
    const chain = runChain(target, sampler, { warmup, draws, seed, covariance: undefined }, from);
    while (!chain.isOver()) chain.step();
    return chain.state();
  });
}

/** Chains × draws of a function of the draws. */
const drawsOf = (states: readonly ChainState[], of: (x: Float64Array) => number) =>
  states.map(({ draws, x }) =>
    Array.from({ length: draws.length / x.length }, (_, s) => of(draws.subarray(s * x.length, (s + 1) * x.length))),
  );

/** Expects the mean of a function of the draws to be within 4 Monte Carlo errors of what it is. */
function expectMean(states: readonly ChainState[], of: (x: Float64Array) => number, expected: number, what: string) {
  const draws = drawsOf(states, of);
  const all = draws.flat();
  const mean = all.reduce((sum, entry) => sum + entry, 0) / all.length;
  const error = mcseMean(draws);
  expect(error, `${what}: its Monte Carlo error`).toBeGreaterThan(0);
  expect(Math.abs(mean - expected) / error, `${what}: mean ${mean} ± ${error}, expected ${expected}`).toBeLessThan(4);
}

const normals =
  (deviations: readonly number[]): SampledDensity =>
  (x) => ({
    value: -x.reduce((sum, entry, i) => sum + (entry / deviations[i]!) ** 2, 0) / 2,
    gradient: x.map((entry, i) => -entry / deviations[i]! ** 2),
  });

/** The log density of a list of variables from that of numbers with gradient by central differences, good to 1e-8. */
const differentiated =
  (logDensity: (x: ArrayLike<number>) => number): SampledDensity =>
  (x) => ({
    value: logDensity(x),
    gradient: x.map((entry, i) => {
      const h = 1e-5 * Math.max(1, Math.abs(entry));
      return (logDensity(x.with(i, entry + h)) - logDensity(x.with(i, entry - h))) / (2 * h);
    }),
  });

describe('known densities', () => {
  const samplers = [nuts(), nuts({ metric: 'dense' }), hmc(), slice()];
  test.each(samplers.map((sampler) => [`${sampler.name} ${JSON.stringify(sampler.options)}`, sampler] as const))(
    'a skew density, a gamma distribution by its logarithm: %s',
    (_, sampler) => {
      // Gamma(3, 2) of exp(x): mean 1.5, variance 0.75; and a normal beside it.
      const density: SampledDensity = (x) => ({
        value: 3 * x[0]! - 2 * Math.exp(x[0]!) - (x[1]! - 1) ** 2 / 8,
        gradient: Float64Array.of(3 - 2 * Math.exp(x[0]!), -(x[1]! - 1) / 4),
      });
      const states = run(density, [0, 0], sampler);
      expectMean(states, (x) => Math.exp(x[0]!), 1.5, 'mean');
      expectMean(states, (x) => (Math.exp(x[0]!) - 1.5) ** 2, 0.75, 'variance');
      expectMean(states, (x) => x[1]!, 1, 'mean of the normal');
      expectMean(states, (x) => (x[1]! - 1) ** 2, 4, 'variance of the normal');
      for (const i of [0, 1]) expect(rHat(drawsOf(states, (x) => x[i]!))).toBeLessThan(1.02);
    },
  );

  test('elliptical slice sampling of a normal prior and a likelihood', () => {
    // x ~ N(0, 1), 1 observed with deviation 1: N(1/2, 1/2).
    const density: SampledDensity = (x) => ({
      value: -(x[0]! ** 2) / 2 - (1 - x[0]!) ** 2 / 2,
      gradient: Float64Array.of(1 - 2 * x[0]!),
    });
    const states = run(density, [0], ellipticalSlice());
    expectMean(states, (x) => x[0]!, 0.5, 'mean');
    expectMean(states, (x) => (x[0]! - 0.5) ** 2, 0.5, 'variance');
    // The same density from another normal, which is not its prior.
    const other = run(density, [0], ellipticalSlice({ mean: 1, deviation: 1.5 }));
    expectMean(other, (x) => x[0]!, 0.5, 'mean by another normal');
    expectMean(other, (x) => (x[0]! - 0.5) ** 2, 0.5, 'variance by another normal');
  });

  test('normals of condition 1e6: means and deviations', () => {
    const deviations = [1, 10, 100, 1000];
    const states = run(normals(deviations), [0, 0, 0, 0], nuts(), { warmup: 1000, draws: 1000 });
    deviations.forEach((deviation, i) => {
      expectMean(states, (x) => x[i]!, 0, `variable ${i}`);
      const draws = drawsOf(states, (x) => x[i]!);
      const all = draws.flat();
      const sd = Math.sqrt(all.reduce((sum, entry) => sum + entry * entry, 0) / all.length);
      expect(Math.abs(sd - deviation) / mcseSd(draws)).toBeLessThan(4);
      // Independent draws would have 4000.
      expect(essBulk(draws)).toBeGreaterThan(2000);
    });
  });

  test('a dense metric takes shorter trajectories of dependent normals than a diagonal one', () => {
    const correlation = 0.999;
    const density: SampledDensity = (x) => {
      const scale = 1 / (1 - correlation ** 2);
      const gradient = Float64Array.of(-scale * (x[0]! - correlation * x[1]!), -scale * (x[1]! - correlation * x[0]!));
      return { value: (x[0]! * gradient[0]! + x[1]! * gradient[1]!) / 2, gradient };
    };
    const evaluations = (['diagonal', 'dense'] as const).map((metric) => {
      const states = run(density, [0, 0], nuts({ metric }));
      expectMean(states, (x) => x[0]! * x[1]!, correlation, metric);
      return states.reduce((sum, state) => sum + state.statistics.evaluations.reduce((a, b) => a + b, 0), 0);
    });
    expect(evaluations[1]! * 4).toBeLessThan(evaluations[0]!);
  });

  test('the funnel, with scales separate from the scaled variables', () => {
    // v ~ N(0, 9), x_i ~ N(0, eᵛ) as e^(v/2)·z_i.
    const states = run(normals([3, 1, 1, 1]), [1, 0.5, -0.5, 0], nuts(), { draws: 1000 });
    expectMean(states, (z) => z[0]!, 0, 'v');
    expectMean(states, (z) => z[0]! ** 2, 9, 'v²');
    expectMean(states, (z) => Math.tanh(Math.exp(z[0]! / 2) * z[1]!), 0, 'tanh x');
  });

  test('the funnel as it is diverges, and the message reports it', { tags: 'long' }, () => {
    const density = differentiated((x) => {
      const [v, ...rest] = Array.from(x);
      return -(v! ** 2) / 18 - rest.reduce((sum, entry) => sum + (entry * entry * Math.exp(-v!) + v!) / 2, 0);
    });
    const states = run(density, [0, 1, 1, 1, 1, 1], nuts());
    const divergences = states.reduce((sum, s) => sum + s.statistics.divergent.reduce((a, b) => a + b, 0), 0);
    expect(divergences).toBeGreaterThan(0);
  });

  test('eight schools against quadrature over their mean and deviation', { tags: 'long' }, () => {
    const effects = [28, 8, -3, 7, -1, 1, 18, 12];
    const errors = [15, 10, 16, 11, 9, 11, 10, 18];
    // μ ~ N(0, 5²), τ ~ half-Cauchy(5), θ_i = μ + τ·z_i.
    const logPrior = (mu: number, tau: number) => -(mu ** 2) / 50 - Math.log1p((tau / 5) ** 2);
    const density: SampledDensity = (x) => {
      const [mu, tau] = [x[0]!, Math.exp(x[1]!)];
      const gradient = new Float64Array(10);
      let value = logPrior(mu, tau) + x[1]!;
      gradient[0] = -mu / 25;
      gradient[1] = 1 - (2 * (tau / 5) ** 2) / (1 + (tau / 5) ** 2);
      effects.forEach((effect, i) => {
        const z = x[i + 2]!;
        const residual = (effect - mu - tau * z) / errors[i]!;
        value -= (residual * residual + z * z) / 2;
        const slope = residual / errors[i]!;
        gradient[0]! += slope;
        gradient[1]! += slope * tau * z;
        gradient[i + 2] = slope * tau - z;
      });
      return { value, gradient };
    };
    let [weight, meanMu, meanTau, meanFirst] = [0, 0, 0, 0];
    for (let a = 0; a < 120; a++) {
      for (let b = 0; b < 400; b++) {
        const mu = -20 + (50 * (a + 0.5)) / 120;
        const logTau = -9 + (14 * (b + 0.5)) / 400;
        const tau = Math.exp(logTau);
        let logDensity = logPrior(mu, tau) + logTau;
        effects.forEach((effect, i) => {
          const variance = errors[i]! ** 2 + tau * tau;
          logDensity -= ((effect - mu) ** 2 / variance + Math.log(variance)) / 2;
        });
        const w = Math.exp(logDensity);
        const shrunk = (effects[0]! * tau * tau + mu * errors[0]! ** 2) / (errors[0]! ** 2 + tau * tau);
        weight += w;
        meanMu += w * mu;
        meanTau += w * tau;
        meanFirst += w * shrunk;
      }
    }
    const states = run(density, [0, 0, ...new Array(8).fill(0.1)], nuts({ targetAcceptance: 0.9 }), { draws: 1000 });
    expectMean(states, (x) => x[0]!, meanMu / weight, 'μ');
    expectMean(states, (x) => Math.exp(x[1]!), meanTau / weight, 'τ');
    expectMean(states, (x) => x[0]! + Math.exp(x[1]!) * x[2]!, meanFirst / weight, 'θ of the first school');
  });

  test('horseshoe regression on orthonormal columns against quadrature over each scale', { tags: 'long' }, () => {
    // y_j ~ N(β_j, 1), β_j ~ N(0, λ_j²), λ_j half-Cauchy: small coefficients go to 0, large ones stay.
    const estimates = [0.5, 2, 6];
    const density: SampledDensity = (x) => {
      const gradient = new Float64Array(6);
      let value = 0;
      estimates.forEach((estimate, j) => {
        const [z, logScale] = [x[2 * j]!, x[2 * j + 1]!];
        const scale = Math.exp(logScale);
        const residual = estimate - scale * z;
        value += logScale - Math.log1p(scale * scale) - (z * z + residual * residual) / 2;
        gradient[2 * j] = residual * scale - z;
        gradient[2 * j + 1] = 1 - (2 * scale * scale) / (1 + scale * scale) + residual * scale * z;
      });
      return { value, gradient };
    };
    const states = run(density, [0.5, 0, 0.5, 0, 0.5, 0], nuts({ targetAcceptance: 0.95 }), { draws: 1500 });
    estimates.forEach((estimate, j) => {
      let [weight, mean] = [0, 0];
      for (let k = 0; k < 20_000; k++) {
        const logScale = -12 + (30 * (k + 0.5)) / 20_000;
        const squared = Math.exp(2 * logScale);
        const w = Math.exp(logScale - Math.log1p(squared) - (estimate ** 2 / (1 + squared) + Math.log1p(squared)) / 2);
        weight += w;
        mean += (w * estimate * squared) / (1 + squared);
      }
      expectMean(states, (x) => x[2 * j]! * Math.exp(x[2 * j + 1]!), mean / weight, `β of ${estimate}`);
    });
  });
});

test('intervals are calibrated: ranks of 200 simulated truths are uniform', { tags: 'long' }, () => {
  const random = seededRandom(20);
  const [replicates, draws, thinning] = [200, 99, 4];
  const bins = 10;
  const counts = [0, 1].map(() => new Array<number>(bins).fill(0));
  for (let r = 0; r < replicates; r++) {
    // μ and log σ standard normal, five observations.
    const truth = [random.normal(), random.normal()];
    const y = Array.from({ length: 5 }, () => truth[0]! + Math.exp(truth[1]!) * random.normal());
    const density: SampledDensity = (x) => {
      const [mu, logSigma] = [x[0]!, x[1]!];
      const precision = Math.exp(-2 * logSigma);
      const sum = y.reduce((total, entry) => total + (entry - mu), 0);
      const squares = y.reduce((total, entry) => total + (entry - mu) ** 2, 0);
      return {
        value: -(mu * mu + logSigma * logSigma + precision * squares) / 2 - y.length * logSigma,
        gradient: Float64Array.of(precision * sum - mu, precision * squares - y.length - logSigma),
      };
    };
    const given = { chains: 1, warmup: 200, draws: draws * thinning, seed: r };
    const [state] = run(density, [0, 0], nuts(), given);
    counts.forEach((count, i) => {
      const kept = drawsOf([state!], (x) => x[i]!)[0]!.filter((_, s) => s % thinning === 0);
      const rank = kept.filter((entry) => entry < truth[i]!).length;
      count[Math.floor((rank * bins) / (draws + 1))]! += 1;
    });
  }
  for (const count of counts) {
    const expected = replicates / bins;
    const chiSquared = count.reduce((sum, entry) => sum + (entry - expected) ** 2 / expected, 0);
    // The 99 % quantile of χ² with 9 degrees of freedom.
    expect(chiSquared, `ranks ${count.join(' ')}`).toBeLessThan(21.67);
  }
});

test('the windows of a warm-up agree with Stan', () => {
  expect(warmupWindows(1000)).toEqual({ first: 75, last: 950, ends: [99, 149, 249, 449, 949] });
  expect(warmupWindows(500)).toEqual({ first: 75, last: 450, ends: [99, 149, 249, 449] });
  expect(warmupWindows(150)).toEqual({ first: 75, last: 100, ends: [99] });
  expect(warmupWindows(100)).toEqual({ first: 15, last: 90, ends: [89] });
  expect(warmupWindows(10).ends).toEqual([]);
});

describe('options of samplers', () => {
  test.each([
    ['nuts', () => nuts({ metric: 'full' as never })],
    ['nuts', () => nuts({ targetAcceptance: 1 })],
    ['nuts', () => nuts({ maxDepth: 0 })],
    ['hmc', () => hmc({ steps: 0 })],
    ['slice', () => slice({ width: 0 })],
    ['ellipticalSlice', () => ellipticalSlice({ deviation: -1 })],
  ])('%s refuses what is out of range', (name, make) => {
    expect(make).toThrow(new RegExp(`of ${name}`));
  });
});
