// @module-tag long
import {
  add,
  bernoulli,
  beta,
  bias,
  type DensityDefinition,
  defineDensity,
  defineKernel,
  defineLikelihood,
  defineModel,
  dynamics,
  fixed,
  gamma,
  gaussian,
  gaussianProcess,
  halfNormal,
  hiddenMarkov,
  inverseGamma,
  type Kernel,
  linear,
  logNormal,
  Matrix,
  markov,
  matern32,
  matern52,
  mixture,
  multiply,
  negativeBinomial,
  normal,
  observed,
  ordinal,
  pca,
  periodic,
  poisson,
  positive,
  rbf,
  real,
  simplex,
  standardNormal,
  studentT,
} from 'latentfield';
import { defineTransform } from 'latentfield/model';
import * as op from 'latentfield/ops';
import {
  type ConformanceReport,
  checkDensity,
  checkDistribution,
  checkKernel,
  checkLikelihood,
  checkModel,
  checkPrior,
} from 'latentfield/testing';
import { describe, expect, it } from 'vitest';

type Tensor2D = op.Tensor2D;

const off = { throws: false } as const;
const LOG_2PI = Math.log(2 * Math.PI);
const normals = (random: { normal(): number }, [n, D]: readonly number[]) =>
  op.tensor<Tensor2D>(
    Float64Array.from({ length: n! * D! }, () => random.normal()),
    [n!, D!],
  );
/** An operation with another gradient. */
const withSlope = (x: op.Tensor, slope: (x: op.Tensor) => op.Tensor) =>
  op.customGrad((own: op.Tensor, save: op.Save) => {
    save([own]);
    return { value: op.mul(1, own), gradFunc: (dy: op.Tensor, [kept]: op.Tensor[]) => [op.mul(dy, slope(kept!))] };
  })(x) as Tensor2D;

const squares = (x: op.Tensor, s: op.Tensor) => op.square(op.div(x, s));
/** log N(x | 0, s²) of every entry. */
const entries = (x: op.Tensor, s: op.Tensor) =>
  op.mul(-0.5, op.add(squares(x, s), op.add(LOG_2PI, op.mul(2, op.log(s))))) as Tensor2D;

/** A normal density of rows, right in all that it says, but for what is replaced. */
const density = (wrong: Partial<DensityDefinition<'s'>> = {}, options = {}) =>
  checkDensity(
    defineDensity({
      name: 'own',
      parameters: { s: positive(1.3) },
      logDensity: (p, { value }) => op.sum(entries(value, p.s), 1),
      sample: (p, random, shape) => op.mul<Tensor2D>(p.s, normals(random, shape)),
      condition: (p) => ({
        moments: () => ({ mean: op.zeros([6, 1]), variance: op.mul<Tensor2D>(op.square(p.s), op.ones([6, 1])) }),
      }),
      gaussian: {
        over: 'value',
        expected: (p, { value }) => {
          const { mean, variance } = value as { mean: Tensor2D; variance: Tensor2D };
          const lost = op.div(op.mul(0.5, variance), op.square(p.s));
          return op.sum(op.sub(entries(mean, p.s), lost), 1);
        },
      },
      ...wrong,
    })(),
    { ...off, ...options },
  );

/** A likelihood N(y | f, s²), right but for what is replaced. */
const likelihood = (wrong: object = {}) => {
  const own = defineLikelihood({
    name: 'own',
    parameters: { s: positive(0.8) },
    logDensity: (p, f, y) => entries(op.sub(y, f), p.s),
    sample: (p, f, random) => op.add<Tensor2D>(f, op.mul(p.s, normals(random, f.shape))),
    moments: (p, mean, variance) => ({ mean, variance: op.add<Tensor2D>(variance, op.square(p.s)) }),
    ...wrong,
  });
  return checkLikelihood(own(), { ...off, likelihoods: { own } });
};

/** An exponential kernel, right but for what is replaced. */
const kernel = (wrong: object = {}) =>
  checkKernel(
    defineKernel({
      name: 'own',
      parameters: { variance: positive(1.5), lengthscale: positive(0.8) },
      covariance: (p, A, B) =>
        op.mul(p.variance, op.exp(op.neg(op.distances(op.div(A, p.lengthscale), op.div(B, p.lengthscale))))),
      ...wrong,
    })() as Kernel,
    { ...off, dimensions: [2] },
  );
type P = Readonly<Record<'variance' | 'lengthscale', op.Tensor>>;
const away = (p: P, A: Tensor2D, B: Tensor2D) =>
  op.distances(op.div(A, p.lengthscale), op.div(B, p.lengthscale)) as Tensor2D;

/** A positive number x = exp(u), right but for what is replaced. */
const transformed = (wrong: object = {}) => {
  const own = defineTransform({
    name: 'own',
    toNatural: (u) => u.map((entry) => Math.exp(entry)),
    toUnconstrained: (x) => x.map((entry) => Math.log(entry)),
    pullBack: (gradient, x) => gradient.map((entry, i) => entry * x[i]!),
    logJacobian: (u) => ({ value: u.reduce((sum, entry) => sum + entry, 0), gradient: u.map(() => 1) }),
    refuses: (x) => (x.every((entry) => entry > 0) ? undefined : 'above 0'),
    ...wrong,
  });
  const scaledNormal = defineDensity({
    name: 'scaledNormal',
    parameters: { s: own([1.4]) },
    logDensity: (p, { value }) => op.sum(entries(value, p.s), 1),
  });
  const scaled = defineModel({
    name: 'scaled',
    variables: (y: number[][]) => ({ y: observed(y, { density: scaledNormal() }) }),
  });
  return checkModel(scaled([[0.3], [-1.2], [0.7]]) as never, { ...off, models: { scaled: scaled as never } });
};

const faults: Record<string, readonly [() => ConformanceReport, RegExp]> = {
  'a density without its constant': [
    () => density({ logDensity: (p, { value }) => op.sum(op.mul(-0.5, squares(value, p.s)), 1) }),
    /^normalized: /,
  ],
  'a density with twice the gradient': [
    () =>
      density({
        logDensity: (p, { value }) =>
          op.sum(
            entries(
              withSlope(value, (x) => op.mul(2, op.onesLike(x))),
              p.s,
            ),
            1,
          ),
      }),
    /^gradients: /,
  ],
  'a gradient that is wrong beyond 3': [
    () =>
      density({
        logDensity: (p, { value }) =>
          op.sum(
            entries(
              withSlope(value, (x) => op.add(1, op.maximum(0, op.sub(op.abs(x), 3)))),
              p.s,
            ),
            1,
          ),
      }),
    /^gradients far out: /,
  ],
  'a gradient that is wrong in a parameter': [
    () =>
      density({
        logDensity: (p, { value }) =>
          op.sum(
            entries(
              value,
              withSlope(p.s, (s) => op.mul(0.9, op.onesLike(s))),
            ),
            1,
          ),
      }),
    /^gradients: .*s/,
  ],
  'a parameter that is not used': [
    () => density({ logDensity: (_, { value }) => op.sum(entries(value, op.scalar(1.3)), 1) }),
    /^gradients: no gradient arrives in 'parameter s'/,
  ],
  'draws with another mean': [
    () => density({ sample: (p, random, shape) => op.add<Tensor2D>(0.4, op.mul(p.s, normals(random, shape))) }),
    /^draws: /,
  ],
  'draws of the transposed shape': [
    () => density({ sample: (_, random, [n, D]) => normals(random, [D, n]) }),
    /^draws: .*1×6/,
  ],
  'a mean of new rows that is off': [
    () =>
      density({
        condition: (p) => ({
          moments: () => ({
            mean: op.mul<Tensor2D>(0.1, op.ones([6, 1])),
            variance: op.mul<Tensor2D>(op.square(p.s), op.ones([6, 1])),
          }),
        }),
      }),
    /^moments: the mean/,
  ],
  'a deviation in the place of a variance': [
    () =>
      density({
        condition: (p) => ({
          moments: () => ({ mean: op.zeros([6, 1]), variance: op.mul<Tensor2D>(p.s, op.ones([6, 1])) }),
        }),
      }),
    /^moments: the variance/,
  ],
  'a density of new rows with another scale': [
    () =>
      density({ condition: (p) => ({ logPredictive: ({ value }) => op.sum(entries(value, op.mul(1.1, p.s)), 1) }) }),
    /^new rows: /,
  ],
  'an expectation without the variance': [
    () =>
      density({
        gaussian: {
          over: 'value',
          expected: (p, { value }) => op.sum(entries((value as { mean: Tensor2D }).mean, p.s), 1),
        },
      }),
    /^expectations: /,
  ],
  'rows that see each other': [
    () => density({ logDensity: (p, { value }) => op.sum(entries(op.sub(value, op.mean(value)), p.s), 1) }),
    /^rows: /,
  ],
  'another number every time': [
    () => density({ logDensity: (p, { value }) => op.add(op.sum(entries(value, p.s), 1), 1e-9 * Math.random()) }),
    /^the same every time: /,
  ],
  'missing entries that count as 0': [() => density({ takesMissing: true }), /^missing entries: /],
  'a number for each column': [
    () => density({ logDensity: (p, { value }) => op.sum(entries(value, p.s), 0) as op.Tensor1D }),
    /^a finite log density: .*shape/,
  ],
  'a density of positive numbers on all real ones': [
    () =>
      density({
        logDensity: (p, { value }) => op.sum(op.sub(op.log(p.s), op.mul(p.s, op.abs(value))), 1),
        sample: undefined as never,
        gaussian: undefined as never,
        condition: undefined as never,
      }),
    /^normalized: .* 2\.?\d* /,
  ],
  'a likelihood of counts without the factorial': [
    () => {
      const own = defineLikelihood({
        name: 'own',
        support: 'counts',
        logDensity: (_, f, y) => op.sub(op.mul(y, f), op.exp(f)) as Tensor2D,
      });
      return checkLikelihood(own(), { ...off, likelihoods: { own } });
    },
    /^normalized: /,
  ],
  'a likelihood of classes that add up to less than 1': [
    () => {
      const own = defineLikelihood({
        name: 'own',
        support: [0, 1],
        logDensity: (_, f, y) =>
          op.log(op.sigmoid(op.mul(op.sub(op.mul(2, y), 1), op.sub(f, op.mul(0.2, y))))) as Tensor2D,
      });
      return checkLikelihood(own(), { ...off, likelihoods: { own } });
    },
    /^normalized: /,
  ],
  'moments of a likelihood without its noise': [
    () => likelihood({ moments: (_: object, mean: Tensor2D, variance: Tensor2D) => ({ mean, variance }) }),
    /^moments: the variance/,
  ],
  'a closed expectation with half of the variance': [
    () =>
      likelihood({
        expectation: (p: { s: op.Tensor }, mean: Tensor2D, variance: Tensor2D, y: Tensor2D) =>
          op.sub(entries(op.sub(y, mean), p.s), op.div(op.mul(0.25, variance), op.square(p.s))),
      }),
    /^(uncertain functions: the expected log density|expectations)/,
  ],
  'entries that depend on the functions of others': [
    () =>
      likelihood({
        logDensity: (p: { s: op.Tensor }, f: Tensor2D, y: Tensor2D) =>
          entries(op.sub(y, op.add(f, op.mul(0.1, op.mean(f)))), p.s),
      }),
    /^entries: /,
  ],
  'a diagonal that is another': [
    () => kernel({ diagonal: (p: P, A: Tensor2D) => op.mul(op.square(p.variance), op.ones([A.shape[0]])) }),
    /^diagonal agrees with the Gram matrix/,
  ],
  'a covariance that is not symmetric': [
    () =>
      kernel({
        covariance: (p: P, A: Tensor2D, B: Tensor2D) =>
          op.mul(
            op.mul(p.variance, op.exp(op.neg(away(p, A, B)))),
            op.add(1, op.mul(0.01, op.slice(A, [0, 0], [-1, 1]))),
          ),
      }),
    /^symmetric/,
  ],
  'a covariance with half the gradient in its lengthscale': [
    () =>
      kernel({
        covariance: (p: P, A: Tensor2D, B: Tensor2D) => {
          const lengthscale = withSlope(p.lengthscale, (own) => op.mul(0.5, op.onesLike(own)));
          return op.mul(p.variance, op.exp(op.neg(away({ ...p, lengthscale }, A, B))));
        },
      }),
    /^gradients of the Gram matrix/,
  ],
  'a covariance with negative eigenvalues': [
    () => kernel({ covariance: (p: P, A: Tensor2D, B: Tensor2D) => op.mul(p.variance, op.sub(1, away(p, A, B))) }),
    /^positive semi-definite/,
  ],
  'a covariance that looks at the mean of its points': [
    () =>
      kernel({
        covariance: (p: P, A: Tensor2D, B: Tensor2D) =>
          op.mul(op.mul(p.variance, op.exp(op.neg(away(p, A, B)))), op.exp(op.neg(op.square(op.mean(A))))),
      }),
    /^(cross covariances agree with the Gram matrix|entries depend on their own two points)/,
  ],
  'gradients that are not finite at coincident points': [
    () =>
      kernel({
        covariance: (p: P, A: Tensor2D, B: Tensor2D) =>
          op.mul(
            p.variance,
            op.exp(op.neg(op.sqrt(op.squaredDistances(op.div(A, p.lengthscale), op.div(B, p.lengthscale))))),
          ),
      }),
    /^(coincident points|gradients)/,
  ],
  'a log Jacobian with the other sign': [
    () => transformed({ logJacobian: (u: Float64Array) => ({ value: -u[0]!, gradient: u.map(() => -1) }) }),
    /^transforms: the logJacobian of/,
  ],
  'a log Jacobian with another gradient': [
    () => transformed({ logJacobian: (u: Float64Array) => ({ value: u[0]!, gradient: u.map(() => 0.5) }) }),
    /^transforms: the gradient of the logJacobian/,
  ],
  'a transform whose pullBack is of its inverse': [
    () =>
      transformed({ pullBack: (gradient: Float64Array, x: Float64Array) => gradient.map((entry, i) => entry / x[i]!) }),
    /^(transforms: the gradient|gradients: )/,
  ],
  'the distribution of a parameter without a constant': [
    () =>
      checkDistribution(
        defineDensity({
          name: 'own',
          parameters: { rate: positive(1.5) },
          entrywise: true,
          support: { above: 0 },
          logDensity: (p, { value }) => op.neg(op.mul(p.rate, value)) as Tensor2D,
        })() as never,
        off,
      ),
    /^normalized: /,
  ],
  'a distribution of positive numbers on real ones': [
    () =>
      checkDistribution(
        defineDensity({
          name: 'own',
          parameters: { rate: positive(1.5) },
          entrywise: true,
          logDensity: (p, { value }) => op.sub(op.log(p.rate), op.mul(p.rate, op.abs(value))) as Tensor2D,
        })() as never,
        off,
      ),
    /^normalized: /,
  ],
  'draws of a chain that stand still': [
    () =>
      checkPrior(
        {
          ...markov(),
          sample: (_p: object, random: { normal(): number }, shape: number[]) => normals(random, shape),
        } as never,
        off,
      ),
    /^draws: /,
  ],
};

const one = (density: object, given: object = {}) => checkDensity(density as never, { ...off, ...given });
const rights: Record<string, () => ConformanceReport> = {
  'a density': () => density(),
  'a likelihood': () => likelihood(),
  'a kernel': () => kernel(),
  'a transform': () => transformed(),
  normal: () => checkDistribution(normal({ mean: 0.3, deviation: 2 }), off),
  logNormal: () => checkDistribution(logNormal({ mean: 0.3, deviation: 0.5 }), off),
  gamma: () => checkDistribution(gamma({ shape: 2.5, rate: 1.5 }), off),
  inverseGamma: () => checkDistribution(inverseGamma({ shape: 3.5, scale: 1.5 }), off),
  halfNormal: () => checkDistribution(halfNormal({ scale: 1.5 }), off),
  beta: () => checkDistribution(beta({ mean: 0.4, concentration: 5 }), off),
  gaussian: () => checkLikelihood(gaussian({ variance: 0.5 }), off),
  bernoulli: () => checkLikelihood(bernoulli(), off),
  poisson: () => checkLikelihood(poisson(), off),
  negativeBinomial: () => checkLikelihood(negativeBinomial(), off),
  studentT: () => checkLikelihood(studentT(), off),
  ordinal: () => checkLikelihood(ordinal({ levels: 4 }) as never, off),
  rbf: () => checkKernel(rbf(), off),
  matern32: () => checkKernel(matern32(), off),
  matern52: () => checkKernel(matern52(), off),
  linear: () => checkKernel(linear(), off),
  periodic: () => checkKernel(periodic(), off),
  'a sum': () => checkKernel(add(rbf(), bias()), off),
  'a product': () => checkKernel(multiply(linear(), rbf()), off),
  standardNormal: () => checkPrior(standardNormal({ precision: positive(2) }) as never, off),
  markov: () => checkPrior(markov({ coefficient: real(0.8), variance: positive(0.5) }) as never, off),
  dynamics: () => checkPrior(dynamics({ kernel: rbf() }) as never, off),
  'a process': () => one(gaussianProcess({ kernel: rbf(), noise: 0.1 })),
  'a process of two columns': () => one(gaussianProcess({ kernel: rbf(), noise: [0.1, 0.4] }), { columns: 2 }),
  'a mixture': () =>
    one(
      mixture([
        normal({ mean: real(-1), deviation: positive(1) }),
        normal({ mean: real(1), deviation: positive(0.5) }),
      ]),
    ),
  'a hidden Markov model': () =>
    one(
      hiddenMarkov([
        normal({ mean: real(-1), deviation: fixed(1) }),
        normal({ mean: real(2), deviation: positive(0.5) }),
      ]),
    ),
  'a simplex': () => {
    const shares = defineModel({
      name: 'shares',
      variables: (y: number[][]) => ({
        y: observed(y, {
          density: mixture([normal({ mean: -1, deviation: 1 }), normal({ mean: 1, deviation: 0.5 })], {
            weights: simplex(2),
          }),
        }),
      }),
    });
    return checkModel(shares([[0.3], [-1.2], [0.7]]) as never, { ...off, models: { shares: shares as never } });
  },
  'a computed model': () =>
    checkModel(
      pca(
        Matrix.from([
          [1, 2, 0],
          [0.3, 1, 2],
          [2, -1, 1],
          [0, 0.5, -1],
        ]),
        { latentDim: 2 },
      ) as never,
      off,
    ),
};

const failures = ({ checks }: ConformanceReport) =>
  checks.filter(({ passed }) => !passed).map(({ name, message }) => `${name}: ${message}`);

describe(`${Object.keys(faults).length} planted faults`, () => {
  it.each(Object.keys(faults))('%s is detected', (name) => {
    const [check, sentence] = faults[name]!;
    const found = failures(check());
    expect(found).toContainEqual(expect.stringMatching(sentence));
    // It is the fault that is reported, not an error in this file.
    expect(found.join()).not.toMatch(/is not a function|undefined/);
  });
  it('are 33', () => expect(Object.keys(faults)).toHaveLength(33));
});

describe(`${Object.keys(rights).length} right parts`, () => {
  it.each(Object.keys(rights))('%s passes', (name) => {
    expect(failures(rights[name]!())).toEqual([]);
  });
});
