import { Worker } from 'node:worker_threads';
import * as tf from '@tensorflow/tfjs-core';
import {
  add,
  bayesianGplvm,
  essBulk,
  evaluate,
  fit,
  fixed,
  fixedAt,
  gamma,
  gplvm,
  InvalidInputError,
  isomap,
  latentVariableModel,
  loadDraws,
  Matrix,
  mcseMean,
  meu,
  NumericalError,
  normal,
  nuts,
  positive,
  rbf,
  real,
  type SamplePosteriorOptions,
  samplePosterior,
  seededRandom,
  white,
} from 'latentfield';
import type { DrawCheckpoint } from 'latentfield/inference';
import * as op from 'latentfield/ops';
import { describe, expect, test } from 'vitest';
import { openTarget } from '../../../src/inference/sampling/target.ts';
import { bundled } from '../../bundled.ts';
import { type LooseDensity, looseModel } from '../../model/looseModel.ts';
import { expectClose } from '../../tolerance.ts';

const random = seededRandom(5);
const inputs = Array.from({ length: 30 }, (_, i) => i / 6 - 2.5);
const Y = inputs.map((t) => [Math.sin(2 * t) + 0.15 * random.normal()]);
const prior = gamma({ shape: 2, rate: 2 });
const [VARIANCE, LENGTHSCALE, NOISE] = [
  'mapping.kernel.rbf.variance',
  'mapping.kernel.rbf.lengthscale',
  'mapping.noise',
];

/** Gaussian process regression of some of the points, with a gamma prior on each of its three hyperparameters. */
const regression = (points = 30) =>
  latentVariableModel({
    observations: Y.slice(0, points),
    latentDim: 1,
    posterior: fixedAt(inputs.slice(0, points).map((t) => [t])),
    kernel: rbf({ variance: positive(1, { prior }), lengthscale: positive(1, { prior }) }),
    noise: positive(0.1, { prior }),
    center: false,
  });
const short: SamplePosteriorOptions = { chains: 2, warmup: 40, draws: 40, seed: 3 };
const bits = (draws: { names: readonly string[]; values(name: string): Matrix }) =>
  draws.names.map((name) => Array.from(draws.values(name).data));

/** log p(y) + log prior + log Jacobian of the regression, at logarithms of its hyperparameters, in plain loops. */
function logDensity(logs: readonly number[]): number {
  const [v, l, s] = logs.map(Math.exp) as [number, number, number];
  const n = inputs.length;
  const L = Array.from({ length: n }, () => new Float64Array(n));
  let value = 0;
  const white = new Float64Array(n);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j <= i; j++) {
      let rest = v * Math.exp(-(((inputs[i]! - inputs[j]!) / l) ** 2) / 2) + (i === j ? s : 0);
      for (let k = 0; k < j; k++) rest -= L[i]![k]! * L[j]![k]!;
      L[i]![j] = i === j ? Math.sqrt(rest) : rest / L[j]![j]!;
    }
    let rest = Y[i]![0]!;
    for (let j = 0; j < i; j++) rest -= L[i]![j]! * white[j]!;
    white[i] = rest / L[i]![i]!;
    value -= white[i]! ** 2 / 2 + Math.log(L[i]![i]!);
  }
  return value + [v, l, s].reduce((sum, entry) => sum + 2 * Math.log(entry) - 2 * entry, 0);
}

describe('a Gaussian process of 30 points', () => {
  test('means of its hyperparameters are those by quadrature', { tags: 'long' }, async () => {
    const grid = (from: number, to: number, count: number) =>
      Array.from({ length: count }, (_, i) => from + ((to - from) * (i + 0.5)) / count);
    const weights: { w: number; logs: readonly number[] }[] = [];
    for (const a of grid(-2.5, 3, 20)) {
      for (const b of grid(-1.5, 1.2, 20)) {
        for (const c of grid(-6, -1, 20)) weights.push({ w: logDensity([a, b, c]), logs: [a, b, c] });
      }
    }
    const most = Math.max(...weights.map(({ w }) => w));
    const total = weights.reduce((sum, { w }) => sum + Math.exp(w - most), 0);
    const draws = await samplePosterior(regression(), { warmup: 300, draws: 300, seed: 1 });
    [VARIANCE, LENGTHSCALE, NOISE].forEach((path, i) => {
      const expected = weights.reduce((sum, { w, logs }) => sum + (Math.exp(w - most) / total) * logs[i]!, 0);
      const logs = draws.values(path);
      const chains = logs.toArrays().map((chain) => chain.map(Math.log));
      const mean = chains.flat().reduce((sum, entry) => sum + entry, 0) / chains.flat().length;
      const error = mcseMean(chains);
      expect(Math.abs(mean - expected) / error, `${path}: ${mean} ± ${error}, expected ${expected}`).toBeLessThan(4);
      expect(essBulk(chains)).toBeGreaterThan(300);
    });
    expect(draws.message).toMatch(/The chains agree/);
    // The log density of each draw, but for its constant.
    const [variances, lengthscales, noises] = [VARIANCE, LENGTHSCALE, NOISE].map((path) => draws.values(path));
    const wanted = [0, 1].flatMap((chain) =>
      Array.from({ length: 20 }, (_, k) =>
        logDensity([variances!, lengthscales!, noises!].map((values) => Math.log(values.at(chain, k)))),
      ),
    );
    const found = [0, 1].flatMap((chain) => Array.from(draws.logDensity.row(chain).subarray(0, 20)));
    expectClose(
      found.map((own) => own - found[0]!),
      wanted.map((own) => own - wanted[0]!),
      1e-10,
    );
  });
});

describe('draws', () => {
  test('have the same bits by seed, and with 1 or 2 workers', { tags: 'long' }, async () => {
    const here = await samplePosterior(regression(8), short);
    expect(bits(await samplePosterior(regression(8), short))).toEqual(bits(here));
    const url = await bundled('src/app/workers/fitWorker.ts');
    const start = () => new Worker(url);
    expect(bits(await samplePosterior(regression(8), { ...short, workers: { count: 1, start } }))).toEqual(bits(here));
    expect(bits(await samplePosterior(regression(8), { ...short, workers: { count: 2, start } }))).toEqual(bits(here));
    expect(bits(await samplePosterior(regression(8), { ...short, seed: 4 }))).not.toEqual(bits(here));
  });

  // Both have trajectories, and both slices.
  for (const method of ['nuts', 'hmc', 'slice', 'ellipticalSlice'] as const)
    test(`continue from a checkpoint with the same bits: ${method}`, {
      tags: ['nuts', 'slice'].includes(method) ? [] : 'long',
    }, async () => {
      const options: SamplePosteriorOptions = { ...short, method };
      const whole = await samplePosterior(regression(8), options);
      const saved: string[] = [];
      const again = await samplePosterior(regression(8), {
        ...options,
        checkpoint: (checkpoint) => void saved.push(JSON.stringify(checkpoint)),
        checkpointInterval: 0,
      });
      expect(bits(again)).toEqual(bits(whole));
      expect(saved.length).toBeGreaterThan(0);
      for (const text of [saved[0]!, saved[Math.floor(saved.length / 2)]!, saved.at(-1)!]) {
        const resumed = await samplePosterior(regression(8), {
          ...options,
          resume: JSON.parse(text) as DrawCheckpoint,
        });
        expect(bits(resumed)).toEqual(bits(whole));
        expect(resumed.diagnostics.evaluations).toBe(whole.diagnostics.evaluations);
      }
      await expect(
        samplePosterior(regression(8), { ...options, seed: 9, resume: JSON.parse(saved[0]!) as DrawCheckpoint }),
      ).rejects.toThrow(/seed 3, but 9/);
    });

  test('leave no tensor behind', async () => {
    await samplePosterior(regression(8), short);
    const before = tf.memory().numTensors;
    const draws = await samplePosterior(regression(8), { ...short, method: nuts({ metric: 'laplace' }) });
    draws.predict([[0]], { draws: 3 });
    draws.loo();
    await samplePosterior(latentVariableModel({ observations: Y, latentDim: 1, kernel: rbf() })).catch(() => undefined);
    expect(tf.memory().numTensors).toBe(before);
  });

  test('are saved and loaded with the same bits, diagnostics and predictions', async () => {
    const draws = await samplePosterior(regression(8), short);
    const again = loadDraws(JSON.parse(JSON.stringify(draws)));
    expect(bits(again)).toEqual(bits(draws));
    expect(again.diagnostics).toEqual(draws.diagnostics);
    expect(again.message).toBe(draws.message);
    expect(String(again.summary())).toBe(String(draws.summary()));
    expect(again.predict([[0]])).toEqual(draws.predict([[0]]));
    for (const [part, name] of [
      ['values', NOISE],
      ['statistics', 'energy'],
    ] as const) {
      const json = JSON.parse(JSON.stringify(draws));
      json.record[part][name]['~float64'].pop();
      expect(() => loadDraws(json)).toThrow(/^What was saved cannot be read at record/);
    }
    const json = JSON.parse(JSON.stringify(draws));
    delete json.record.values[NOISE];
    expect(() => loadDraws(json)).toThrow(InvalidInputError);
    expect(() => loadDraws({ format: 'latentfield-fit' })).toThrow(InvalidInputError);
  });

  test('have predictions averaged over their fits, with the variance of the means', async () => {
    const draws = await samplePosterior(regression(8), short);
    const X = [[-2.4], [0.3]];
    const all = Array.from({ length: 80 }, (_, k) => draws.fitAt(Math.floor(k / 40), k % 40));
    const predictions = all.map((each) => (each as unknown as { predict: (typeof draws)['predict'] }).predict(X));
    const found = draws.predict(X, { draws: 80 });
    for (const i of [0, 1]) {
      const means = predictions.map(({ mean }) => mean.at(i, 0));
      const mean = means.reduce((sum, entry) => sum + entry, 0) / 80;
      const between = means.reduce((sum, entry) => sum + (entry - mean) ** 2, 0) / 80;
      const within = predictions.reduce((sum, { variance }) => sum + variance.at(i, 0), 0) / 80;
      expectClose(found.mean.at(i, 0), mean, 1e-12);
      expectClose(found.variance.at(i, 0), within + between, 1e-12);
    }
    expect(draws.sample(X, 2)).toEqual(draws.sample(X, 2));
    expect(draws.sample(X, 2)).not.toEqual(draws.sample(X, 3));
    const replicated = draws.predictive({ seed: 1, draws: 5 });
    expect(replicated.map(({ rows, columns }) => [rows, columns])).toEqual(new Array(5).fill([8, 1]));
  });

  test('leave each observation out as a model without it does', async () => {
    const draws = await samplePosterior(regression(8), { ...short, chains: 1, draws: 2 });
    const { pointwise } = draws.loo();
    for (const n of [0, 3, 7]) {
      const densities = [0, 1].map((s) => {
        const { [VARIANCE]: v, [LENGTHSCALE]: l, [NOISE]: noise } = draws.at(0, s);
        const values = { [VARIANCE]: v, [LENGTHSCALE]: l, [NOISE]: noise } as Record<string, number>;
        const rest = latentVariableModel({
          observations: Y.slice(0, 8).toSpliced(n, 1),
          latentDim: 1,
          posterior: fixedAt(
            inputs
              .slice(0, 8)
              .toSpliced(n, 1)
              .map((t) => [t]),
          ),
          kernel: rbf(),
          noise: 0.1,
          center: false,
        });
        const whole = evaluate(regression(8), values).terms.mapping!;
        return whole - evaluate(rest, values).objective;
      });
      // Two draws have no tail to be smoothed: the harmonic mean of their densities.
      const harmonic = -Math.log(densities.reduce((sum, entry) => sum + Math.exp(-entry), 0) / 2);
      expectClose(pointwise[n], harmonic, 1e-8, `observation ${n}`);
    }
    const noisy = latentVariableModel({
      observations: Y.slice(0, 8),
      latentDim: 1,
      posterior: fixedAt(inputs.slice(0, 8).map((t) => [t])),
      kernel: add(rbf(), white({ variance: fixed(0.1) })),
      noise: 0.1,
    });
    const others = await samplePosterior(noisy, { ...short, priors: 'weak' });
    expect(() => others.loo()).toThrow(/white kernel/);
  });

  test('are written for ArviZ, and as a table', async () => {
    const draws = await samplePosterior(regression(8), short);
    const data = JSON.parse(JSON.stringify(draws.toInferenceData()));
    expect(Object.keys(data.posterior)).toEqual(draws.names);
    expect(data.posterior[NOISE]).toEqual(draws.values(NOISE).toArrays());
    expect(data.sample_stats.lp).toEqual(draws.logDensity.toArrays());
    expect(data.sample_stats.diverging.flat().every((entry: unknown) => typeof entry === 'boolean')).toBe(true);
    expect(data.sample_stats.tree_depth).toEqual(draws.treeDepths.toArrays());
    const [head, first, ...rest] = draws.toCSV().trim().split('\n');
    expect(head).toBe(`chain,draw,${draws.names.join(',')}`);
    expect(first).toBe(['0', '0', ...draws.names.map((name) => draws.values(name).at(0, 0))].join(','));
    expect(rest.length).toBe(79);
  });

  test('stop at a signal, or when onProgress returns false, with the draws of all chains', async () => {
    const stop = new AbortController();
    const draws = await samplePosterior(regression(8), {
      ...short,
      draws: 100_000,
      signal: stop.signal,
      onProgress: ({ iteration, isWarmup, values }) => {
        if (!isWarmup && iteration > 100) stop.abort(new Error('enough'));
        expect(Object.keys(values())).toContain(NOISE);
      },
    });
    expect(draws.draws).toBeGreaterThan(10);
    expect(draws.draws).toBeLessThan(100_000);
    await expect(
      samplePosterior(regression(8), { ...short, warmup: 100_000, onProgress: () => false }),
    ).rejects.toThrow(/warm-up/);
    await expect(samplePosterior(regression(8), { signal: stop.signal })).rejects.toThrow('enough');
    await expect(
      samplePosterior(regression(8), {
        onProgress: () => {
          throw new Error('of the caller');
        },
      }),
    ).rejects.toThrow(/onProgress failed/);
  });
});

describe('priors', () => {
  const bare = () =>
    latentVariableModel({
      observations: Y.slice(0, 8),
      latentDim: 1,
      posterior: fixedAt(inputs.slice(0, 8).map((t) => [t])),
      kernel: rbf(),
      noise: positive(0.1, { prior }),
    });

  test('a free parameter without one is an error that names it', async () => {
    const failing = samplePosterior(bare(), short);
    await expect(failing).rejects.toThrow(InvalidInputError);
    await expect(samplePosterior(bare(), short)).rejects.toThrow(`'${VARIANCE}', '${LENGTHSCALE}'`);
    await expect(samplePosterior(bare(), short)).rejects.not.toThrow(NOISE);
    // The latents of gplvm have one, its kernel has not.
    await expect(samplePosterior(gplvm(Y, { latentDim: 1, noise: fixed(0.1) }), short)).rejects.not.toThrow(
      "'latents'",
    );
    await expect(
      samplePosterior(
        latentVariableModel({
          observations: Y,
          latentDim: 1,
          kernel: rbf({ variance: fixed(1), lengthscale: fixed(1) }),
          noise: fixed(0.1),
        }),
        short,
      ),
    ).rejects.toThrow("'latents'");
  });

  test('weak ones are added on request, and reported', async () => {
    const draws = await samplePosterior(bare(), { ...short, priors: 'weak' });
    expect(draws.diagnostics.addedPriors).toEqual([
      `${VARIANCE} ~ logNormal({ mean: 0, deviation: 3 })`,
      `${LENGTHSCALE} ~ logNormal({ mean: 0, deviation: 3 })`,
    ]);
    expect(draws.message).toContain('Weak priors were added');
  });

  test('a prior in a separate term counts, and a value of a prior needs one too', async () => {
    const half = (x: op.Tensor) => op.mul<op.Scalar>(-0.5, op.square(x));
    const school = (densities: Record<string, LooseDensity>) =>
      looseModel('school', [[0], [0]], { mu: real(0.3), theta: real(0.2) }, densities, true)(undefined);
    // The density of the observations is nobody's prior.
    const y = ({ points }: Record<string, op.Tensor>) => op.mul<op.Scalar>(0, op.sum(points!));
    const both = school({ y, mu: ({ mu }) => half(mu!), theta: ({ mu, theta }) => half(op.sub(theta!, mu!)) });
    const draws = await samplePosterior(both, { ...short, draws: 400 });
    const mean = draws.values('theta').data.reduce((sum, entry) => sum + entry, 0) / draws.values('theta').data.length;
    expect(Math.abs(mean) / mcseMean(draws.values('theta'))).toBeLessThan(4);
    const one = school({ y, all: ({ mu, theta }) => op.add(half(mu!), half(op.sub(theta!, mu!))) });
    await expect(samplePosterior(one, short)).rejects.toThrow(/'theta'/);
    await samplePosterior(one, { ...short, priors: 'inTerms' });
    const hierarchical = latentVariableModel({
      observations: Y.slice(0, 8),
      latentDim: 1,
      posterior: fixedAt(inputs.slice(0, 8).map((t) => [t])),
      kernel: rbf({ variance: fixed(1), lengthscale: positive(1, { prior: gamma({ shape: 2, rate: positive(1) }) }) }),
      noise: fixed(0.1),
    });
    await expect(samplePosterior(hierarchical, { ...short, priors: 'weak' })).rejects.toThrow(
      `'${LENGTHSCALE}.prior.rate'`,
    );
  });
});

describe('what cannot be drawn', () => {
  test('options out of range, unknown paths and models without a posterior are refused', async () => {
    const refused: [Promise<unknown>, RegExp][] = [
      [samplePosterior(regression(8), { chains: 0 }), /chains/],
      [samplePosterior(regression(8), { method: 'gibbs' as never }), /'nuts'/],
      [samplePosterior(regression(8), { warmupp: 3 } as never), /'warmup'/],
      [samplePosterior(regression(8), { hold: ['mapping.nois'] }), /'mapping.noise'/],
      [samplePosterior(regression(8), { start: { [NOISE]: -1 } }), /mapping.noise/],
      [samplePosterior(regression(8), { hold: [VARIANCE, LENGTHSCALE, NOISE] }), /nothing to sample/],
      [samplePosterior(isomap(Y, { neighbors: 5, latentDim: 1 }), short), /computes its solution/],
      [samplePosterior(meu(Y, { neighbors: 5, latentDim: 1 }), short), /may reach its bounds|has no|computes/],
      [samplePosterior(bayesianGplvm(Y, { latentDim: 1, inducing: 5 }), { ...short, priors: 'weak' }), /bound/],
      [samplePosterior({} as never), /model/],
    ];
    for (const [failing, message] of refused) {
      await expect(failing).rejects.toThrow(InvalidInputError);
      await expect(failing).rejects.toThrow(message);
    }
  });

  test('a start without a density names the term that has none', async () => {
    const broken = looseModel(
      'broken',
      [[0], [0]],
      { scale: real(1, { prior: normal({ mean: 0, deviation: 1 }) }) },
      { root: ({ scale }) => op.log(op.sub(op.mul(0, scale!), 1)) },
      true,
    )(undefined);
    await expect(samplePosterior(broken, short)).rejects.toThrow(NumericalError);
    await expect(samplePosterior(broken, short)).rejects.toThrow(/'y'/);
  });

  test('a density with jitter does not count, and is reported', async () => {
    // Two equal points and no noise: K has no factor.
    const observations = Matrix.from([[0.1], [0.1], [0.9]]);
    const singular = latentVariableModel({
      observations,
      latentDim: 1,
      posterior: fixedAt([[0], [0], [1]]),
      kernel: rbf({ variance: positive(1, { prior }), lengthscale: fixed(1) }),
      noise: positive(1e-6, { prior: gamma({ shape: 0.02, rate: 1 }) }),
      center: false,
    });
    const draws = await samplePosterior(singular, { ...short, draws: 200, method: 'slice' });
    expect(draws.diagnostics.jittered).toBeGreaterThan(0);
    expect(draws.message).toMatch(/needed jitter/);
    const target = openTarget(singular, { seed: 0, start: { [NOISE]: 1e-20 }, hold: [] });
    expect(target.open.evaluate(target.open.start).value).toBeGreaterThan(-1e6);
    expect(target.density(target.open.start).value).toBe(Number.NEGATIVE_INFINITY);
    expect(target.jittered()).toBe(1);
    expect(target.whyNot(target.open.start)).toMatch(/without jitter/);
    target.open.dispose();
  });
});

describe('latents', () => {
  test('fixed at a fit, the hyperparameters are drawn', async () => {
    const model = gplvm(
      Y.map(([y], i) => [y!, Math.cos(2 * inputs[i]!), inputs[i]! / 3]),
      {
        latentDim: 1,
        kernel: rbf({ variance: positive(1, { prior }), lengthscale: positive(1, { prior }) }),
        noise: positive(0.1, { prior }),
      },
    );
    const fitted = await fit(model, { maxIterations: 60 });
    const draws = await samplePosterior(model, { ...short, start: fitted, hold: ['latents'] });
    expect(draws.names).toEqual([VARIANCE, LENGTHSCALE, NOISE]);
    expect(draws.at(1, 3).latents).toEqual(fitted.latents);
    expect(draws.latents).toBeUndefined();
  });

  test('are turned onto each other, with R̂ of distances', async () => {
    const points = inputs.slice(0, 6);
    const model = gplvm(
      points.map((t) => [Math.sin(t), Math.cos(t), t / 2]),
      { latentDim: 2, kernel: rbf({ variance: fixed(1), lengthscale: fixed(1) }), noise: fixed(0.05) },
    );
    const fitted = await fit(model, { maxIterations: 100 });
    const draws = await samplePosterior(model, {
      ...short,
      start: fitted,
      method: nuts({ maxDepth: 6 }),
      warmup: 100,
      draws: 100,
    });
    const { mean, covariances, aligned, rHat, essBulk: size } = draws.latents!;
    expect(covariances.length).toBe(6);
    expect(rHat).toBeLessThan(1.2);
    expect(size).toBeGreaterThan(10);
    // Turning changes no distance: the second points of each draw are as far from the first as before.
    const distance = (X: Matrix) => Math.hypot(X.at(0, 0) - X.at(5, 0), X.at(0, 1) - X.at(5, 1));
    [0, 7, 40].forEach((s) => {
      expectClose(distance(aligned[s]!), distance(draws.at(0, s).latents as Matrix), 1e-10);
    });
    // Spread about the mean is less than that of points that turn freely.
    const turning = draws.values('latents[0, 0]').data.reduce((sum, entry) => sum + entry * entry, 0) / 200;
    expect(covariances[0]!.at(0, 0)).toBeLessThan(turning + mean.at(0, 0) ** 2);
    expect(Object.keys(draws.summary())).toEqual([]);
  });
});
