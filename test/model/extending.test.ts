import { readFileSync } from 'node:fs';
import * as tf from '@tensorflow/tfjs';
import {
  backConstrained,
  bounded,
  defineModel,
  definePrior,
  evaluate,
  fit,
  fixed,
  fixedAt,
  gaussianProcess,
  gplvm,
  InvalidInputError,
  knnGraph,
  latent,
  latentVariableModel,
  layersMap,
  loadFit,
  logDensityOf,
  Matrix,
  type MatrixLike,
  maxEntropy,
  observed,
  positive,
  rankGplvm,
  rbf,
  seededRandom,
  squaredDifferences,
  standardNormal,
} from 'latentfield';
import { initialLatents } from 'latentfield/latents';
import { box, type Viewed } from 'latentfield/model';
import * as op from 'latentfield/ops';
import { checkModel } from 'latentfield/testing';
import { describe, expect, it } from 'vitest';
import { expectClose } from '../tolerance.ts';
import { looseModel } from './looseModel.ts';

// What somebody outside of the library writes: its entry points only, and no cast.
const random = seededRandom(7);
const noisy = (entries: number[]) => entries.map((entry) => entry + 0.02 * random.normal());
const A = Array.from({ length: 20 }, (_, i) => noisy([Math.cos(i / 4), Math.sin(i / 4), i / 10]));
const B = Array.from({ length: 20 }, (_, i) => noisy([Math.sin(i / 4) ** 2, i / 20]));

// [shared GPLVM
const shared = (a: MatrixLike, b: MatrixLike) =>
  latentVariableModel({
    latentDim: 2,
    views: { a: { observations: a, kernel: rbf() }, b: { observations: b, kernel: rbf() } },
    priors: [standardNormal()],
  });
// shared GPLVM]

// [free-form shared GPLVM
const freeForm = defineModel({
  name: 'freeForm',
  variables: (data: { a: Matrix; b: Matrix }) => {
    const x = latent({ dim: 2, density: standardNormal(), init: initialLatents('pca', data.a, 2) });
    const seen = (Y: Matrix) => observed(Y, { density: gaussianProcess({ kernel: rbf() }), given: x, center: false });
    return { x, a: seen(data.a), b: seen(data.b) };
  },
});
// free-form shared GPLVM]

// [variance per column
const perColumn = gplvm(A, { latentDim: 2, noise: [0.01, 0.02, 0.03] });
// variance per column]

/** Lines of this file between the marks of this name. */
function linesOf(name: string): number {
  const lines = readFileSync(new URL(import.meta.url), 'utf8').split('\n');
  return lines.indexOf(`// ${name}]`) - lines.indexOf(`// [${name}`) - 1;
}

/** That points are placed from either view, or both, and their views found again, by a fit and by what came back of it with the same bits. */
async function expectSameFromEitherView(result: Viewed<'a' | 'b'>, again: typeof result) {
  for (const given of [{ a: A.slice(3, 5) }, { b: B.slice(3, 5) }, { a: A.slice(3, 5), b: B.slice(3, 5) }]) {
    const placed = await result.project(given);
    expect(await again.project(given)).toEqual(placed);
    for (const [view, Y] of [['a', A] as const, ['b', B] as const]) {
      const { mean } = result.predict(placed.latents, { view });
      expect(again.predict(placed.latents, { view }).mean).toEqual(mean);
      if (view in given) expectClose(mean, Y.slice(3, 5), 0.1, `${Object.keys(given)} to ${view}`);
    }
  }
  expectClose((await again.translate({ a: A.slice(3, 5) }, 'b')).mean, B.slice(3, 5), 0.15);
}

describe('a shared GPLVM', () => {
  it.each(['shared GPLVM', 'free-form shared GPLVM'])('takes at most 20 lines: %s', (name) => {
    expect(linesOf(name)).toBeGreaterThan(3);
    expect(linesOf(name)).toBeLessThanOrEqual(20);
  });

  it('places points from either view, and comes back with the same bits', { tags: 'long' }, async () => {
    const model = shared(A, B);
    const result = await fit(model, { maxIterations: 40 });
    const again = loadFit<typeof model>(JSON.parse(JSON.stringify(result)));
    await expectSameFromEitherView(result, again);
  });

  it('written free-form has the density of the one that is named, and does the same', async () => {
    const model = freeForm({ a: Matrix.from(A), b: Matrix.from(B) });
    const latents = initialLatents('pca', A, 2);
    const at = (part: string, view: string) => ({
      [`${part}${view}.kernel.rbf.variance`]: 0.8,
      [`${part}${view}.kernel.rbf.lengthscale`]: 1.1,
      [`${part}${view}.noise`]: 0.02,
    });
    const named = latentVariableModel({
      latentDim: 2,
      views: {
        a: { observations: A, kernel: rbf(), center: false },
        b: { observations: B, kernel: rbf(), center: false },
      },
    });
    const mine = evaluate(model, { x: latents, ...at('', 'a'), ...at('', 'b') });
    const theirs = evaluate(named, { latents, ...at('views.', 'a'), ...at('views.', 'b') });
    for (const view of ['a', 'b']) expectClose(mine.terms[view]!, theirs.terms[view]!, 1e-13, view);
    expect(checkModel(model, { models: { freeForm } }).passed).toBe(true);

    const result = await fit(model, { maxIterations: 10 });
    const again = loadFit<typeof model>(JSON.parse(JSON.stringify(result)), { models: { freeForm } });
    await expectSameFromEitherView(result, again);
  });

  it('written free-form predicts as the one that is named', async () => {
    const model = freeForm({ a: Matrix.from(A), b: Matrix.from(B) });
    const result = await fit(model, { maxIterations: 10 });
    const named = latentVariableModel({
      latentDim: 2,
      views: {
        a: { observations: A, kernel: started('a'), noise: fixed(result.parameters['a.noise']!), center: false },
        b: { observations: B, kernel: started('b'), noise: fixed(result.parameters['b.noise']!), center: false },
      },
      posterior: fixedAt(result.latents),
      priors: [standardNormal()],
    });
    const theirs = await fit(named, { maxIterations: 1 });
    expectClose(result.objective, theirs.objective, 1e-12);
    const X = [
      [0.3, -0.2],
      [1, 0.4],
    ];
    for (const view of ['a', 'b'] as const) {
      for (const noise of [false, true]) {
        const [mine, wanted] = [result.predict(X, { view, noise }), theirs.predict(X, { view, noise })];
        expectClose(mine.mean, wanted.mean, 1e-9, view);
        expectClose(mine.variance, wanted.variance, 1e-9, view);
      }
    }
    /** The kernel of the fit, held. */
    function started(view: 'a' | 'b') {
      const own = (name: 'variance' | 'lengthscale') => fixed(result.parameters[`${view}.kernel.rbf.${name}`]!);
      return rbf({ variance: own('variance'), lengthscale: own('lengthscale') });
    }
  });
});

it('a GPLVM with one variance per column takes at most 5 lines, and has the density of its columns', () => {
  expect(linesOf('variance per column')).toBeLessThanOrEqual(5);
  const latents = initialLatents('pca', A, 2);
  const density = (observations: number[][], noise: number | number[]) =>
    evaluate(latentVariableModel({ observations, latentDim: 2, posterior: fixedAt(latents), kernel: rbf(), noise }))
      .objective;
  const noises = [0.01, 0.02, 0.03];
  const alone = noises.map((noise, j) =>
    density(
      A.map((row) => [row[j]!]),
      noise,
    ),
  );
  expectClose(
    density(A, noises),
    alone.reduce((sum, own) => sum + own),
    1e-12,
  );
  expect(evaluate(perColumn).gradients['mapping.noise']).toHaveLength(3);
});

// A constraint layer of one's own: c/2·log|L(w) + λI| − ½·Σ w_e‖x_i − x_j‖², with dense matrices.
const graph = knnGraph(A, 3);
const incidence = Matrix.from(
  Array.from(graph.sources, (source, e) =>
    Array.from({ length: graph.size }, (_, i) => Number(i === source) - Number(i === graph.targets[e])),
  ),
);
const denseField = definePrior({
  name: 'denseField',
  parameters: { weights: box(0, 4, Array(graph.sources.length).fill(0.5)) },
  logDensity: (p, X) => {
    const edges = op.tensor<op.Tensor2D>(incidence);
    const weighted = op.mul<op.Tensor2D>(op.reshape(p.weights, [-1, 1]), edges);
    const precision = op.addDiagonal(op.matMul<op.Tensor2D>(edges, weighted, true), op.scalar(0.3));
    const squares = op.sum(op.square(op.matMul(edges, X)), 1);
    const entropy = op.mul(X.shape[1] / 2, op.logDeterminant(precision));
    return op.sub(entropy, op.mul(0.5, op.sum(op.mul(p.weights, squares))));
  },
});

describe('a custom field layer', () => {
  const model = (prior: Parameters<typeof gplvm>[1]['priors']) =>
    gplvm(A, { latentDim: 2, priors: [...(prior ?? []), standardNormal()] });
  const own = model([denseField()]);
  const latents = initialLatents('pca', A, 2);

  it('has the density and gradients of the built-in one', () => {
    // Weights of its own, which are no parameters unless given.
    const initial = box(0, 4, Array(graph.sources.length).fill(0.5));
    const layer = maxEntropy({
      base: 0.3,
      copies: 2,
      slack: 1,
      multipliers: { weights: initial },
      expect: { weights: squaredDifferences(graph) },
    });
    const builtIn = model([layer]);
    const weights = Array.from(graph.sources, (_, e) => 0.1 + (e % 5) / 4);
    const [mine, theirs] = [
      evaluate(own, { 'priors.denseField.weights': weights }),
      evaluate(builtIn, { 'priors.field.weights': weights }),
    ];
    expectClose(mine.terms.denseField!, theirs.terms.field!, 1e-12);
    expectClose(mine.gradients.latents!, theirs.gradients.latents!, 1e-10);
    expectClose(mine.gradients['priors.denseField.weights']!, theirs.gradients['priors.field.weights']!, 1e-10);
  });

  it('is fitted, weights within their bounds, and comes back by its name', async () => {
    const kernel = rbf({ variance: fixed(1), lengthscale: fixed(1) });
    const options = { kernel, noise: fixed(0.1), posterior: fixedAt(latents), priors: [denseField()] };
    const held = latentVariableModel({ observations: A, latentDim: 2, ...options });
    const result = await fit(held, { maxIterations: 500, tolerance: 1e-6, relativeDecrease: 0 });
    expect(result.status).toBe('converged');
    const { gradients } = evaluate(held, result.parameters);
    const slopes = Array.from(Matrix.from([gradients['priors.denseField.weights']].map(list)).data);
    list(result.parameters['priors.denseField.weights']).forEach((weight, e) => {
      const isHeld = (weight <= 1e-9 && slopes[e]! <= 0) || (weight >= 4 - 1e-9 && slopes[e]! >= 0);
      if (!isHeld) expect(Math.abs(slopes[e]!), `edge ${e} of weight ${weight}`).toBeLessThan(1e-5);
    });
    const again = loadFit(JSON.parse(JSON.stringify(result)), { priors: { denseField } });
    expect(again.predict(result.latents)).toEqual(result.predict(result.latents));
  });
});

/** A value that is a list. */
function list(value: unknown): number[] {
  if (Array.isArray(value)) return value;
  throw new TypeError('not a list');
}

it('a network of tf.layers is a back-constraint', async () => {
  const { dense } = tf.layers;
  const kernelInitializer = tf.initializers.glorotUniform({ seed: 1 });
  const network = tf.sequential({
    layers: [
      dense({ inputShape: [3], units: 5, activation: 'tanh', kernelInitializer }),
      dense({ units: 2, kernelInitializer }),
    ],
  });
  const before = network.getWeights().map((weight) => Array.from(weight.dataSync()));
  const map = layersMap('network', network);
  const result = await fit(gplvm(A, { latentDim: 2, posterior: backConstrained(map()) }), { maxIterations: 30 });
  const placed = await result.project(A.slice(2, 5));
  expectClose(placed.latents, result.latents.toArrays().slice(2, 5), 1e-12);
  const again = loadFit(JSON.parse(JSON.stringify(result)), { maps: { network: map } });
  expect(await again.project(A.slice(2, 5))).toEqual(placed);
  expect(network.getWeights().map((weight) => Array.from(weight.dataSync()))).toEqual(before);
  const outside = network.predict(tf.tensor2d(A.slice(0, 1)));
  expect(outside instanceof tf.Tensor && outside.shape).toEqual([1, 2]);
  const density = logDensityOf(gplvm(A, { latentDim: 2, posterior: backConstrained(map()) }));
  const { gradient } = density.evaluate(density.start);
  for (const i of [0, 7, 16, 20]) {
    const at = (step: number) => density.evaluate(density.start.with(i, density.start[i]! + step)).value;
    const odd = (k: number) => at(k * 1e-3) - at(-k * 1e-3);
    expectClose(gradient[i]!, (45 * odd(1) - 9 * odd(2) + odd(3)) / 0.06, 1e-6, `variable ${i}`);
  }
  density.dispose();
});

it('a network that cannot be a map is refused', () => {
  const { dense, conv1d, flatten } = tf.layers;
  const wide = tf.sequential({ layers: [dense({ inputShape: [3], units: 5 })] });
  expect(() => evaluate(gplvm(A, { latentDim: 2, posterior: backConstrained(layersMap('wide', wide)()) }))).toThrow(
    /Map 'wide' must give one row of latents .* its result has shape \[20,5\]/,
  );
  const filters = tf.sequential({ layers: [conv1d({ inputShape: [3, 1], filters: 2, kernelSize: 2 }), flatten()] });
  expect(() => layersMap('filters', filters)).toThrow(/such as dense layers, but weight0 has shape \[2,1,2\]/);
  expect(() => layersMap('none', {} as never)).toThrow(InvalidInputError);
  const kept = tf.sequential({ layers: [dense({ inputShape: [3], units: 2, trainable: false })] });
  const model = gplvm(A, { latentDim: 2, posterior: backConstrained(layersMap('kept', kept)()) });
  expect(Object.keys(evaluate(model).gradients)).not.toContain('latents.weight0');
});

// [Hamiltonian Monte Carlo
function hamiltonianDraws(target: Parameters<typeof logDensityOf>[0], count: number, step: number, seed: number) {
  const stream = seededRandom(seed);
  const density = logDensityOf(target, { jacobian: true });
  const kept = [];
  let [x, now, accepted] = [density.start, density.evaluate(density.start), 0];
  for (let k = 0; k < count; k++) {
    const momentum = x.map(() => stream.normal());
    const energy = (value: number) => value - momentum.reduce((sum, m) => sum + (m * m) / 2, 0);
    const before = energy(now.value);
    let [place, at] = [x, now];
    for (let leap = 0; leap < 10; leap++) {
      for (let i = 0; i < momentum.length; i++) momentum[i]! += 0.5 * step * at.gradient[i]!;
      place = place.map((entry, i) => entry + step * momentum[i]!);
      at = density.evaluate(place);
      for (let i = 0; i < momentum.length; i++) momentum[i]! += 0.5 * step * at.gradient[i]!;
    }
    if (Math.log(stream.uniform()) < energy(at.value) - before) [x, now, accepted] = [place, at, accepted + 1];
    kept.push(density.values(x));
  }
  density.dispose();
  return { kept, accepted };
}
// Hamiltonian Monte Carlo]

describe('a sampler over open(model)', () => {
  // Gamma(3, 4) on a positive parameter, a logit-uniform one in (0, 2) of density (2x)/4, and a normal: moments are known.
  const known = looseModel(
    'known',
    [[0.3], [0.2]],
    { scale: positive(1), place: bounded(0, 2) },
    {
      scale: ({ scale }) => op.sub(op.mul(2, op.log(scale!)), op.mul(4, scale!)),
      place: ({ place }) => op.log<op.Scalar>(place as op.Scalar),
      points: ({ points }) => op.mul(-0.5, op.sum(op.square(op.sub(points!, 1)))),
    },
  )(undefined);

  it('draws natural values from their density, the same from the same seed', () => {
    const { kept, accepted } = hamiltonianDraws(known, 500, 0.25, 1);
    expect(accepted / 500).toBeGreaterThan(0.8);
    const mean = (of: (values: (typeof kept)[number]) => number) =>
      kept.reduce((sum, values) => sum + of(values), 0) / kept.length;
    const number = (value: unknown) => (typeof value === 'number' ? value : Number.NaN);
    // Standard errors of means of 500 draws that are nearly independent are at most 0.045.
    expectClose(
      mean(({ scale }) => number(scale)),
      3 / 4,
      0.1,
    );
    expectClose(
      mean(({ place }) => number(place)),
      4 / 3,
      0.1,
    );
    expectClose(
      mean(({ points }) => (points instanceof Matrix ? points.at(0, 0) : Number.NaN)),
      1,
      0.12,
    );
    expect(hamiltonianDraws(known, 5, 0.25, 1).kept).toEqual(kept.slice(0, 5));
  });

  it('has the gradient of differences, volumes included', () => {
    const density = logDensityOf(known, { jacobian: true });
    const x = Float64Array.of(0.4, -0.7, 0.2, 0.1);
    const { gradient, terms, value } = density.evaluate(x);
    expectClose(
      Object.values(terms).reduce((sum, term) => sum + term),
      value,
      1e-14,
    );
    x.forEach((_, i) => {
      const at = (step: number) => density.evaluate(x.with(i, x[i]! + step)).value;
      const odd = (k: number) => at(k * 1e-3) - at(-k * 1e-3);
      expectClose(gradient[i]!, (45 * odd(1) - 9 * odd(2) + odd(3)) / 0.06, 1e-9);
    });
    density.dispose();
  });

  it('is refused where several variables mean one value', () => {
    const model = rankGplvm(A, { latentDim: 2 });
    expect(() => logDensityOf(model, { jacobian: true })).toThrow(InvalidInputError);
    expect(() => logDensityOf(model, { jacobian: true })).toThrow(/'latents' have no separate density/);
  });
});
