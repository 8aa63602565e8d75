import {
  bernoulli,
  beta,
  bounded,
  defineModel,
  evaluate,
  fit,
  gamma,
  gaussianProcess,
  halfNormal,
  InvalidInputError,
  inverseGamma,
  known,
  type Likelihood,
  latent,
  logNormal,
  Matrix,
  negativeBinomial,
  normal,
  observed,
  poisson,
  positive,
  rbf,
  real,
  studentT,
} from 'latentfield';
import type { DensityLike, ParameterPrior } from 'latentfield/model';
import * as op from 'latentfield/ops';
import { checkDensity, checkDistribution, checkLikelihood } from 'latentfield/testing';
import { describe, expect, it } from 'vitest';
import { doublesOf } from '../../src/engine/tensors/doubles.ts';
import { withFloat64 } from '../../src/engine/tensors/float64/scope.ts';
import { reference } from '../reference.ts';
import { expectClose } from '../tolerance.ts';

type Numbers = Readonly<Record<string, number>>;

/** What test/reference/scripts/entrywise.py wrote. */
interface Reference {
  readonly f: number[];
  readonly cases: Readonly<
    Record<
      string,
      {
        readonly values: Numbers;
        readonly driven: string;
        readonly y: number[];
        readonly logDensity: number[];
        readonly given: { readonly logDensity: number[]; readonly mean: number[]; readonly variance: number[] };
      }
    >
  >;
  readonly samples: Readonly<Record<string, { readonly y: number[]; readonly maximum: Numbers }>>;
}
const { f, cases, samples } = reference<Reference>('entrywise.json');

// Law: a density entry by entry is one density as the prior of a parameter, of latent entries, of observed entries, and of observations given functions.
const factories = {
  normal,
  studentT,
  gamma,
  logNormal,
  inverseGamma,
  halfNormal,
  beta,
  poisson,
  negativeBinomial,
  bernoulli,
} as unknown as Readonly<Record<string, (values?: object) => ParameterPrior & Likelihood>>;

const column = (entries: readonly number[]) => Matrix.from(entries.map((entry) => [entry]));
const sum = (entries: readonly number[]) => entries.reduce((total, one) => total + one, 0);

/** A table of one column with this density. */
const tableOf = (density: DensityLike) =>
  defineModel({
    name: 'table',
    variables: (y: Matrix) => ({ y: observed(y, { density, missing: 'ignore' }) }),
  });

describe.each(Object.entries(cases))('%s', (name, { values, driven, y, logDensity, given }) => {
  const make = factories[name]!;
  const own = Object.fromEntries(Object.entries(values).filter(([key]) => key !== driven));

  it('of observed entries has the log densities of scipy.stats, and leaves out missing ones', () => {
    const model = tableOf(make(values));
    expectClose(evaluate(model(column(y))).objective, sum(logDensity), 1e-12);
    const holes = y.map((entry, i) => (i === 1 ? Number.NaN : entry));
    expectClose(evaluate(model(column(holes))).objective, sum(logDensity.filter((_, i) => i !== 1)), 1e-12);
  });

  it('given functions has the log densities and moments of scipy.stats', () => {
    const density = make(own);
    const model = defineModel({
      name: 'given',
      variables: ({ x, Y }: { x: Matrix; Y: Matrix }) => {
        const f = known(x);
        return { f, y: observed(Y, { density, given: f }) };
      },
    })({ x: column(f), Y: column(y) });
    expectClose(evaluate(model).objective, sum(given.logDensity), 1e-12);
    withFloat64(() => {
      const functions = op.tensor<op.Tensor2D>(column(f).toArrays());
      const p = Object.fromEntries(
        Object.entries(density.parameters).map(([path, { initial }]) => [path, op.scalar(initial as number)]),
      );
      const fitted = { value: functions, given: [functions] };
      const { mean, noise } = density.condition!(p, fitted, {} as never).moments!([functions]);
      expectClose(doublesOf(mean), given.mean, 1e-12);
      expectClose(doublesOf(op.add(noise!, op.zerosLike(functions))), given.variance, 1e-12);
    });
  });

  it('passes the checks in each of its roles', () => {
    expect(checkDensity(make(values), { rows: 4 }).passed).toBe(true);
    // Nearer to its ends, fractions have mass that no double is left for.
    expect(checkLikelihood(make(own), { functions: column(f.map((one) => one / 3)) }).passed).toBe(true);
    if (make(values).ofParameter !== undefined) expect(checkDistribution(make(values)).passed).toBe(true);
  });
});

describe('maxima of the likelihood', () => {
  it.each(Object.entries(samples))('of %s are those that scipy.optimize finds', async (name, { y, maximum }) => {
    const { objective, ...expected } = maximum;
    const free = Object.fromEntries(
      Object.entries(cases[name]!.values).map(([key, value]) => [
        key,
        key !== 'mean' ? positive(value) : name === 'beta' ? bounded(0, 1, value) : real(value),
      ]),
    );
    const result = await fit(tableOf(factories[name]!(free))(column(y)), { tolerance: 1e-9, relativeDecrease: 0 });
    expectClose(result.objective, objective!, 1e-9);
    for (const [key, value] of Object.entries(expected)) expectClose(result.parameters[`y.${key}`]!, value, 1e-4);
  });
});

describe('roles', () => {
  it('latent entries have the density, within its support by a transform', () => {
    const model = defineModel({
      name: 'heavy',
      variables: (y: Matrix) => {
        const z = latent({
          dim: 1,
          density: studentT({ mean: 0.4, scale: 0.8, degreesOfFreedom: 5 }),
          init: column(cases.studentT!.y),
        });
        return { z, y: observed(y, { density: normal({ deviation: 1 }), given: z }) };
      },
    });
    const { terms } = evaluate(model(column([0, 1, 2, 3])));
    expectClose(terms.z!, sum(cases.studentT!.logDensity), 1e-12);
    const amounts = defineModel({
      name: 'amounts',
      variables: (y: Matrix) => {
        const density = gamma({ shape: 2.3, rate: 1.7 });
        const z = latent({ dim: 1, density, transform: 'positive', init: column(cases.gamma!.y) });
        return { z, y: observed(y, { density: normal({ deviation: 1 }), given: z }) };
      },
    });
    expectClose(evaluate(amounts(column([0, 1, 2, 3]))).terms.z!, sum(cases.gamma!.logDensity), 1e-12);
    expect(() => latent({ dim: 1, density: gamma({ shape: 2, rate: 1 }) })).toThrow("Set transform: 'positive'");
  });

  it('amounts and fractions are likelihoods of processes', { tags: 'long' }, async () => {
    const t = Array.from({ length: 12 }, (_, i) => i / 4);
    for (const [likelihood, y] of [
      [gamma(), t.map((x) => Math.exp(Math.sin(x)))],
      [logNormal(), t.map((x) => Math.exp(Math.sin(x)))],
      [beta(), t.map((x) => 0.5 + 0.4 * Math.sin(x))],
    ] as const) {
      const model = defineModel({
        name: 'process',
        variables: ({ x, Y }: { x: Matrix; Y: Matrix }) => {
          const at = known(x);
          return {
            at,
            y: observed(Y, { density: gaussianProcess({ kernel: rbf(), likelihood, inducing: 6 }), given: at }),
          };
        },
      });
      const result = await fit(model({ x: column(t), Y: column(y) }), { maxIterations: 60 });
      const { mean } = result.predict({ at: column(t) }, { noise: true }).y;
      const errors = Array.from(mean.data, (own, i) => Math.abs(own - y[i]!));
      expect(Math.max(...errors)).toBeLessThan(0.2);
    }
  });

  it('other uses are refused', () => {
    expect(() => positive(1, { prior: poisson({ rate: 2 }) as never })).toThrow(/prior takes one of gamma/);
    expect(() => gamma({ rate: 1 } as never)).toThrow("gamma needs 'shape' in addition to 'rate'");
    expect(() => beta({ mean: 1.5, concentration: 2 })).toThrow(
      "'mean' of density 'beta' must be greater than 0 and less than 1",
    );
    expect(() => evaluate(tableOf(gamma({ shape: 2, rate: 'level' }))(column([1, 2])))).toThrow(InvalidInputError);
    expect(() => evaluate(tableOf(gamma({ shape: 2, rate: 1 }))(column([1, -2])))).toThrow(
      /is a number above 0, but entry \[1\]/,
    );
  });
});
