import { describe, expect, it } from 'vitest';
import * as op from '../../src/engine/tensors/ops.ts';
import {
  add,
  bias,
  bounded,
  definePrior,
  evaluate,
  fit,
  fixed,
  gamma,
  halfNormal,
  InvalidInputError,
  inverseGamma,
  latentVariableModel,
  loadFit,
  logNormal,
  normal,
  type Parameter,
  positive,
  rbf,
  real,
} from '../../src/index.ts';
import { parameterFrom } from '../../src/model/parameter.ts';
import { parameterFromJSON } from '../../src/model/parameterJson.ts';
import { parameterToJSON } from '../../src/model/parameterToJson.ts';
import { expectClose } from '../tolerance.ts';
import { priorReference } from './priorReference.ts';

const { X, Y, parameters } = priorReference;

const PATH = 'mapping.kernel.rbf.variance';

const modelWith = (variance: Parameter) =>
  latentVariableModel({
    observations: Y,
    latentDim: 2,
    init: X,
    kernel: add(rbf({ variance }), bias()),
    noise: 0.1,
  });

/** The prior's term and its gradient at natural values of the variance of a kernel, out of a whole model. */
function termAt(variance: Parameter, value: number) {
  const withPrior = evaluate(modelWith(variance), { [PATH]: value });
  const without = evaluate(
    modelWith({ support: variance.support, free: true, initial: 1, lower: variance.lower, upper: variance.upper }),
    { [PATH]: value },
  );
  expectClose(withPrior.objective, without.objective + withPrior.terms[`hyper.${PATH}`]!, 1e-13, 'the terms add up');
  return {
    term: withPrior.terms[`hyper.${PATH}`]!,
    gradient: (withPrior.gradients[PATH] as number) - (without.gradients[PATH] as number),
  };
}

const cases = [
  ...parameters.gamma.map(({ logDensity, ...values }) => ['gamma', gamma(values), logDensity] as const),
  ...parameters.inverseGamma.map(
    ({ logDensity, ...values }) => ['inverseGamma', inverseGamma(values), logDensity] as const,
  ),
  ...parameters.logNormal.map(({ logDensity, ...values }) => ['logNormal', logNormal(values), logDensity] as const),
  ...parameters.halfNormal.map(({ logDensity, ...values }) => ['halfNormal', halfNormal(values), logDensity] as const),
  ...parameters.normal.map(({ logDensity, ...values }) => ['normal', normal(values), logDensity] as const),
];

describe('priors on parameters', () => {
  it.each(cases)('%s: values agree with scipy.stats, gradients with differences', (name, prior, logDensity) => {
    const parameter = positive(1, { prior });
    parameters.points.forEach((point, i) => {
      const { term, gradient } = termAt(parameter, point);
      expectClose(term, logDensity[i]!, 1e-12, `${name} at ${point}`);
      const h = 1e-3 * point;
      const odd = (k: number) => termAt(parameter, point + k * h).term - termAt(parameter, point - k * h).term;
      expect(Math.abs(gradient - (45 * odd(1) - 9 * odd(2) + odd(3)) / (60 * h))).toBeLessThan(1e-8);
    });
  });

  it('on the unconstrained value are densities of the logarithm, and of the logit', () => {
    const onLogarithm = positive(2, { prior: normal({ mean: 0.3, deviation: 0.7, on: 'unconstrained' }) });
    const { term, gradient } = termAt(onLogarithm, 1.7);
    const u = Math.log(1.7);
    const expected = -((u - 0.3) ** 2) / (2 * 0.49) - Math.log(0.7) - 0.5 * Math.log(2 * Math.PI);
    expectClose(term, expected, 1e-14);
    expectClose(gradient, -(u - 0.3) / 0.49 / 1.7, 1e-10);
    const onGamma = termAt(positive(2, { prior: gamma({ shape: 2, rate: 1.5, on: 'unconstrained' }) }), 1.7);
    expectClose(onGamma.term, 2 * Math.log(1.5) + Math.log(u) - 1.5 * u, 1e-14);
    const onLogit = termAt(bounded(0, 4, 2, { prior: normal({ mean: 0, deviation: 1, on: 'unconstrained' }) }), 1);
    expectClose(onLogit.term, -(Math.log(1 / 3) ** 2) / 2 - 0.5 * Math.log(2 * Math.PI), 1e-14);
    const line = real(1, { prior: normal({ mean: 0.5, deviation: 2, on: 'unconstrained' }) });
    expect(termAt(line, 1.2).term).toBe(termAt(real(1, { prior: normal({ mean: 0.5, deviation: 2 }) }), 1.2).term);
  });

  it('of vectors add up over the entries, and each parameter has its own term', () => {
    const prior = gamma({ shape: 2, rate: 1 });
    const model = latentVariableModel({
      observations: Y,
      latentDim: 2,
      kernel: rbf({ variance: positive(1, { prior }), lengthscale: positive([0.5, 2], { prior }) }),
      noise: positive(0.1, { prior: halfNormal({ scale: 0.3 }) }),
    });
    const { terms, objective } = evaluate(model);
    expect(Object.keys(terms)).toEqual([
      'mapping',
      'hyper.mapping.kernel.rbf.variance',
      'hyper.mapping.kernel.rbf.lengthscale',
      'hyper.mapping.noise',
    ]);
    expectClose(terms['hyper.mapping.kernel.rbf.lengthscale'], Math.log(0.5) - 0.5 + Math.log(2) - 2, 1e-14);
    expectClose(
      objective,
      Object.values(terms).reduce((sum, term) => sum + term),
      1e-14,
    );
  });

  it('make the estimate the mode in natural space: no Jacobian of the logarithm', async () => {
    // The likelihood does not see this parameter, so that the fit ends at the mode of the gamma prior, (a − 1)/b.
    const idle = definePrior({
      name: 'idle',
      parameters: { level: positive(2.3, { prior: gamma({ shape: 3, rate: 4 }) }) },
      logDensity: (p) => op.mul(0, p.level),
    });
    const model = latentVariableModel({
      observations: Y,
      latentDim: 2,
      init: X,
      kernel: rbf({ variance: fixed(1), lengthscale: fixed(1) }),
      noise: fixed(0.5),
      priors: [idle()],
    });
    const result = await fit(model, { maxIterations: 500, tolerance: 1e-7, relativeDecrease: 0 });
    expectClose(result.parameters['priors.idle.level'], 0.5, 1e-6);
    expectClose(result.terms['hyper.priors.idle.level'], 3 * Math.log(4) - Math.log(2) + 2 * Math.log(0.5) - 2, 1e-10);
  });

  it('are kept by numbers in place of a default, dropped by fixed values, and survive JSON', async () => {
    const prior = gamma({ shape: 2, rate: 1 });
    const standard = positive(1, { prior });
    expect(parameterFrom(3, standard, 'it').prior).toBe(prior);
    expect(parameterFrom(fixed(3), standard, 'it').prior).toBeUndefined();
    const onLogit = bounded(0, 2, 1.5, { prior: normal({ mean: 0, deviation: 3, on: 'unconstrained' }) });
    for (const parameter of [standard, onLogit]) {
      const again = parameterFromJSON(JSON.parse(JSON.stringify(parameterToJSON(parameter))));
      expect(parameterToJSON(again)).toEqual(parameterToJSON(parameter));
    }
    const result = await fit(modelWith(standard), { maxIterations: 5 });
    const again = loadFit(JSON.parse(JSON.stringify(result)));
    expect(again.terms).toEqual(result.terms);
    expect(JSON.stringify(again)).toBe(JSON.stringify(result));
  });
});

describe('bad input is refused with a sentence', () => {
  const refused: [string, () => unknown, RegExp][] = [
    [
      'a rate that is missing',
      () => positive(1, { prior: gamma({ shape: 1 }) as never }),
      /called with all of its values/,
    ],
    ['a shape that is missing', () => gamma({ rate: 1 }), /gamma needs 'shape' in addition to 'rate'/],
    [
      'a value below its range',
      () => gamma({ shape: 0, rate: 1 }),
      /'shape' of density 'gamma' must be greater than 0/,
    ],
    ['a value of another name', () => inverseGamma({ shape: 1, scale: 1, rate: 1 } as never), /no parameter 'rate'/],
    [
      'a place that is none',
      () => normal({ mean: 0, deviation: 1, on: 'log' as never }),
      /no place 'log'.*Known are natural, unconstrained/,
    ],
    ['a factory', () => positive(1, { prior: gamma as never }), /called with all of its values/],
    [
      'a start outside the support',
      () => positive(0.5, { prior: gamma({ shape: 2, rate: 1, on: 'unconstrained' }) }),
      /unconstrained value .* above 0, but the parameter starts where it is -0.69/,
    ],
    ['a negative start', () => real(-1, { prior: halfNormal({ scale: 1 }) }), /a value above 0, but .* -1/],
    [
      'a distribution that is not known',
      () =>
        parameterFromJSON({
          support: 'real',
          free: true,
          initial: 1,
          prior: { distribution: 'cauchy', values: {}, on: 'natural' },
        }),
      /no distribution 'cauchy'/,
    ],
  ];
  it.each(refused)('%s', (_, work, message) => {
    expect(work).toThrow(InvalidInputError);
    expect(work).toThrow(message);
  });
});
