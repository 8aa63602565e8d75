import {
  add,
  bias,
  defineDensity,
  evaluate,
  fit,
  fixed,
  gamma,
  gplvm,
  halfNormal,
  InvalidInputError,
  inverseGamma,
  latentVariableModel,
  loadFit,
  logNormal,
  Matrix,
  normal,
  type Parameter,
  positive,
  rbf,
  real,
  seededRandom,
} from 'latentfield';
import type { ParameterPrior } from 'latentfield/model';
import * as op from 'latentfield/ops';
import { checkModel } from 'latentfield/testing';
import { describe, expect, it } from 'vitest';
import { expectClose } from '../tolerance.ts';
import { type LooseDensity, looseModel } from './looseModel.ts';

const random = seededRandom(4);
const Y = Array.from({ length: 12 }, (_, i) =>
  [Math.cos(i / 2), Math.sin(i / 2), i / 8].map((entry) => entry + 0.05 * random.normal()),
);

/** A model of parameters alone. */
const scales = (parameters: Record<string, Parameter>) =>
  looseModel('scales', [[0.1], [0]], parameters, { only: ({ points }) => op.neg(op.sum(op.square(points!))) })(
    undefined,
  );

/** (45·odd(1) − 9·odd(2) + odd(3))/(60h) */
function difference(at: (step: number) => number, h: number): number {
  const odd = (k: number) => at(k * h) - at(-k * h);
  return (45 * odd(1) - 9 * odd(2) + odd(3)) / (60 * h);
}

const rate = () => positive(1.5, { prior: gamma({ shape: 2, rate: 0.5 }) });
const ARD = 'mapping.kernel.rbf.lengthscale';
const hierarchical = () =>
  latentVariableModel({
    observations: Y,
    latentDim: 2,
    kernel: rbf({ lengthscale: positive([0.8, 1.3], { prior: gamma({ shape: 3, rate: rate() }) }) }),
    noise: positive(0.1, { prior: logNormal({ mean: real(-2), deviation: 0.5 }) }),
  });

describe('a prior whose values are parameters', () => {
  it('has them under its path, their priors as terms, and the gradients of differences', () => {
    const at = { [ARD]: [0.7, 1.6], [`${ARD}.prior.rate`]: 1.2, 'mapping.noise.prior.mean': -1.7 };
    const { terms, gradients } = evaluate(hierarchical(), at);
    expect(Object.keys(gradients)).toEqual([
      'latents',
      'mapping.kernel.rbf.variance',
      ARD,
      `${ARD}.prior.rate`,
      'mapping.noise',
      'mapping.noise.prior.mean',
    ]);
    // Γ(3) = 2, Γ(2) = 1
    const own = [0.7, 1.6].reduce((sum, l) => sum + 3 * Math.log(1.2) - Math.LN2 + 2 * Math.log(l) - 1.2 * l, 0);
    expectClose(terms[`hyper.${ARD}`]!, own, 1e-13);
    expectClose(terms[`hyper.${ARD}.prior.rate`]!, 2 * Math.log(0.5) + Math.log(1.2) - 0.5 * 1.2, 1e-13);
    for (const [path, value] of Object.entries(at)) {
      if (typeof value !== 'number') continue;
      const slope = difference((step) => evaluate(hierarchical(), { ...at, [path]: value + step }).objective, 1e-3);
      expectClose(gradients[path]!, slope, 1e-8, path);
    }
    const first = difference((step) => evaluate(hierarchical(), { ...at, [ARD]: [0.7 + step, 1.6] }).objective, 1e-3);
    expectClose(Array.from(gradients[ARD] as readonly number[])[0]!, first, 1e-8);
    expect(checkModel(hierarchical()).passed).toBe(true);
  });

  it('is fitted together with its parameter: its value moves to the mode given the entries', async () => {
    const lengths = [0.5, 1, 3];
    const model = scales({
      lengths: { ...real(0), initial: lengths, free: false },
      level: positive(2, { prior: gamma({ shape: 3, rate: rate() }) }),
    });
    const result = await fit(model, { maxIterations: 500, tolerance: 1e-9, relativeDecrease: 0 });
    // Maximum over x and b of 3·log b + 2·log x − b·x + log b − b/2: 2/x = b, 4/b = x + 1/2, so x = 1/2, b = 4.
    expectClose(result.parameters.level!, 0.5, 1e-6);
    expectClose(result.parameters['level.prior.rate']!, 4, 1e-6);
  });

  it('comes back from JSON with its values, and goes to restarts', async () => {
    const result = await fit(hierarchical(), { maxIterations: 5, restarts: 1 });
    const again = loadFit(JSON.parse(JSON.stringify(result)));
    expect(again.parameters).toEqual(result.parameters);
    expect(JSON.stringify(again)).toBe(JSON.stringify(result));
    expect(result.parameters[`${ARD}.prior.rate` as const]).not.toBe(1.5);
    expect(await fit(hierarchical(), { maxIterations: 5, restarts: 1 })).toMatchObject({ objective: result.objective });
  });

  it('may name a parameter of the model, which several then share', () => {
    const prior = gamma({ shape: 2, rate: 'level' });
    const model = scales({ a: positive(0.7, { prior }), b: positive([0.4, 1.1], { prior }), level: positive(1.3) });
    const { objective, gradients, terms } = evaluate(model);
    const of = (x: number) => 2 * Math.log(1.3) + Math.log(x) - 1.3 * x;
    expectClose(terms['hyper.a']!, of(0.7), 1e-14);
    expectClose(terms['hyper.b']!, of(0.4) + of(1.1), 1e-14);
    expectClose(gradients.level!, 6 / 1.3 - 2.2, 1e-13);
    expectClose(objective, of(0.7) + of(0.4) + of(1.1) - 0.01, 1e-13);
  });

  it.each<[string, (value: Parameter) => ParameterPrior, Record<string, number>]>([
    ['gamma shape', (shape) => gamma({ shape, rate: 0.7 }), { shape: 2.3 }],
    ['gamma rate', (value) => gamma({ shape: 2, rate: value }), { rate: 1.7 }],
    ['inverseGamma shape', (shape) => inverseGamma({ shape, scale: 2 }), { shape: 3.1 }],
    ['inverseGamma scale', (scale) => inverseGamma({ shape: 3, scale }), { scale: 0.6 }],
    ['logNormal mean', (mean) => logNormal({ mean, deviation: 0.7 }), { mean: 0.4 }],
    ['logNormal deviation', (deviation) => logNormal({ mean: 0.2, deviation }), { deviation: 0.8 }],
    ['normal mean', (mean) => normal({ mean, deviation: 0.7 }), { mean: 0.4 }],
    ['normal deviation', (deviation) => normal({ mean: 0.2, deviation }), { deviation: 1.4 }],
    ['halfNormal scale', (scale) => halfNormal({ scale }), { scale: 0.9 }],
    ['unconstrained normal', (mean) => normal({ mean, deviation: 0.6, on: 'unconstrained' }), { mean: -0.3 }],
  ])('has slopes in x and in %s', (_, make, given) => {
    const [[name, start]] = Object.entries(given) as [[string, number]];
    const model = scales({ x: positive([0.6, 1.9], { prior: make(positive(Math.abs(start))) }) });
    const path = `x.prior.${name}`;
    const place = Math.abs(start) * 1.1;
    const at = { x: [0.7, 1.4], [path]: place };
    const { gradients } = evaluate(model, at);
    const value = (moved: object) => evaluate(model, { ...at, ...moved }).objective;
    expectClose(
      gradients[path]!,
      difference((step) => value({ [path]: place + step }), 1e-3),
      1e-8,
    );
    expectClose(
      Array.from(gradients.x as readonly number[])[1]!,
      difference((step) => value({ x: [0.7, 1.4 + step] }), 1e-3),
      1e-8,
    );
  });

  it.each<[string, () => unknown, RegExp]>([
    [
      'a value that may leave its range',
      () => gamma({ shape: 2, rate: real(1) }),
      /'rate' of gamma must stay above 0.*positive/,
    ],
    [
      'a held value out of its range',
      () => gamma({ shape: 2, rate: fixed(-1) }),
      /'rate' of density 'gamma' must be greater than 0/,
    ],
    [
      'a path that no parameter has',
      () => evaluate(scales({ a: positive(1, { prior: gamma({ shape: 2, rate: 'levle' }) }), level: positive(1) })),
      /'rate' of the prior of 'a' is a path, and the model has no parameter 'levle'\. Did you mean 'level'/,
    ],
    [
      'a parameter of another range',
      () => evaluate(scales({ a: positive(1, { prior: gamma({ shape: 2, rate: 'level' }) }), level: real(1) })),
      /'level', 'rate' of the prior of 'a', must stay above 0/,
    ],
    [
      'a parameter of another shape',
      () =>
        evaluate(
          scales({ a: positive([1, 1, 1], { prior: gamma({ shape: 2, rate: 'level' }) }), level: positive([1, 1]) }),
        ),
      /'level', 'rate' of the prior of 'a', must have one entry or 3, as many as 'a', but it has 2/,
    ],
    [
      'priors in a circle',
      () =>
        evaluate(
          scales({
            a: positive(1, { prior: gamma({ shape: 2, rate: 'b' }) }),
            b: positive(1, { prior: gamma({ shape: 2, rate: 'a' }) }),
          }),
        ),
      /in a circle, but the prior of each of 'a', 'b', 'a' depends on/,
    ],
    ['no number', () => gamma({ shape: 2, rate: Number.NaN }), /start of a fixed parameter must be finite, but NaN/],
  ])('refuses %s', (_, work, message) => {
    expect(work).toThrow(InvalidInputError);
    expect(work).toThrow(message);
  });
});

// p(x) = 2/(π·s·(1 + x²/s²)), x > 0
const halfCauchy = defineDensity({
  name: 'halfCauchy',
  parameters: { scale: positive(1) },
  entrywise: true,
  support: { above: 0 },
  logDensity: (p, { value: x }) =>
    op.sub(Math.log(2 / Math.PI), op.add(op.log(p.scale), op.log1p(op.square(op.div(x, p.scale))))),
});

describe('a custom distribution', () => {
  const density = (x: number, s: number) => Math.log(2 / Math.PI) - Math.log(s) - Math.log1p((x / s) ** 2);
  const model = () =>
    gplvm(Y, {
      latentDim: 2,
      kernel: add(
        rbf({ variance: positive(1, { prior: halfCauchy({ scale: 2 }) }), lengthscale: fixed(1) }),
        bias({ variance: positive(0.5, { prior: halfCauchy({ scale: positive(1.2, { prior: halfCauchy() }) }) }) }),
      ),
      noise: positive(0.1, { prior: halfCauchy({ scale: 0.3, on: 'natural' }) }),
    });

  it('is a prior like any other, in hierarchies too, with the gradients of differences', () => {
    const { terms } = evaluate(model());
    expectClose(terms['hyper.mapping.kernel.rbf.variance']!, density(1, 2), 1e-14);
    expectClose(terms['hyper.mapping.kernel.bias.variance']!, density(0.5, 1.2), 1e-14);
    expectClose(terms['hyper.mapping.kernel.bias.variance.prior.scale']!, density(1.2, 1), 1e-14);
    expectClose(terms['hyper.mapping.noise']!, density(0.1, 0.3), 1e-14);
    expect(checkModel(model(), { distributions: { halfCauchy } }).passed).toBe(true);
  });

  it('is saved by its name', async () => {
    const result = await fit(model(), { maxIterations: 5 });
    const text = JSON.stringify(result);
    expect(() => loadFit(JSON.parse(text))).toThrow(
      /\{ distributions \}, or --parts FILE\) has no distribution 'halfCauchy'/,
    );
    const again = loadFit(JSON.parse(text), { distributions: { halfCauchy } });
    expect(again.predict(result.latents)).toEqual(result.predict(result.latents));
    expect(JSON.stringify(again)).toBe(text);
  });

  it('is refused when it does not give a number for each entry', () => {
    const summed = defineDensity({
      name: 'summed',
      entrywise: true,
      logDensity: (_, { value }) => op.sum<op.Scalar>(value),
    });
    const run = () => evaluate(scales({ a: positive(1, { prior: summed() }) }));
    expect(run).toThrow(InvalidInputError);
    expect(run).toThrow(/log density of Density 'summed' must have one number for each of the 1×1 entries/);
    expect(() => halfCauchy({ scale: 0 })).toThrow(/'scale' of density 'halfCauchy' must be greater than 0/);
    expect(() => halfCauchy({ width: 1 } as never)).toThrow(/'halfCauchy' has no parameter 'width'/);
  });
});

describe('gradients by term', () => {
  it('agree with differences term by term, and add up to the whole', () => {
    const model = gplvm(Y, { latentDim: 2, noise: positive(0.1, { prior: gamma({ shape: 2, rate: rate() }) }) });
    const at = { 'mapping.noise': 0.2, 'mapping.noise.prior.rate': 1.1 };
    const { terms, gradients, termGradients, objective } = evaluate(model, at, { gradients: 'byTerm' });
    expect(Object.keys(termGradients)).toEqual(Object.keys(terms));
    expect({ terms, gradients, objective }).toEqual(evaluate(model, at));
    for (const [path, whole] of Object.entries(gradients)) {
      const parts = Object.values(termGradients).map((own) => entries(own[path]));
      expectClose(
        entries(whole).map((_, i) => parts.reduce((sum, part) => sum + part[i]!, 0)),
        entries(whole),
        1e-12,
        path,
      );
    }
    for (const term of Object.keys(terms)) {
      for (const [path, value] of Object.entries(at)) {
        const slope = difference((step) => evaluate(model, { ...at, [path]: value + step }).terms[term]!, 1e-3);
        expect(Math.abs(entries(termGradients[term]![path])[0]! - slope), `${term} in ${path}`).toBeLessThan(1e-7);
      }
    }
    const X = Matrix.from(Y.map((row) => row.slice(0, 2)));
    const { termGradients: atX } = evaluate(model, { latents: X }, { gradients: 'byTerm' });
    expectClose(
      atX.standardNormal!.latents,
      X.data.map((entry) => -entry),
      1e-13,
    );
    expect(entries(atX['hyper.mapping.noise']!.latents).every((entry) => entry === 0)).toBe(true);
  });

  it('draw the same numbers in each term', () => {
    const densities: Record<string, LooseDensity> = {
      first: ({ scale }, own) => op.mul(own.normal(), scale!),
      second: ({ points }, own) => op.mul(own.normal(), op.sum(points!)),
    };
    const noisy = looseModel('noisy', [[0.4], [0]], { scale: positive(2) }, densities)(undefined);
    const { gradients, termGradients } = evaluate(noisy, {}, { gradients: 'byTerm', seed: 3 });
    expect(termGradients.y!.scale).toBe(gradients.scale);
    expect(termGradients['y.second']!.points).toEqual(gradients.points);
  });
});

function entries(value: unknown): number[] {
  if (typeof value === 'number') return [value];
  return value instanceof Matrix ? Array.from(value.data) : Array.from(value as readonly number[]);
}
