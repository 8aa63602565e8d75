// @module-tag long
import {
  defineDensity,
  defineKernel,
  defineLikelihood,
  definePrior,
  gamma,
  logNormal,
  normal,
  poisson,
  positive,
  standardNormal,
  studentT,
} from 'latentfield';
import * as op from 'latentfield/ops';
import {
  type ConformanceReport,
  checkDensity,
  checkDistribution,
  checkKernel,
  checkLikelihood,
  checkPrior,
} from 'latentfield/testing';
import { describe, expect, it } from 'vitest';

type Tensor2D = op.Tensor2D;

const failures = ({ checks }: ConformanceReport) =>
  checks.filter(({ passed }) => !passed).map(({ name, message }) => `${name}: ${message}`);
const off = { throws: false } as const;
const normals = (random: { normal(): number }, n: number, D: number) =>
  op.tensor<Tensor2D>(
    Float64Array.from({ length: n * D }, () => random.normal()),
    [n, D],
  );
const LOG_2PI = Math.log(2 * Math.PI);

describe('planted faults are detected', () => {
  it('a constant that is right where the parameter starts', () => {
    const twice = defineDensity({
      name: 'twice',
      parameters: { s: positive(1) },
      // −2·log s in the place of −log s
      logDensity: (p, { value }) =>
        op.sub(
          op.sum(op.mul(-0.5, op.add(op.square(op.div(value, p.s)), LOG_2PI)), 1),
          op.mul(2 * value.shape[1], op.log(p.s)),
        ),
    });
    expect(failures(checkDensity(twice(), off))).toEqual([
      expect.stringMatching(/^normalized: where its parameters move: /),
    ]);
    const likelihood = defineLikelihood({
      name: 'twice',
      parameters: { s: positive(1) },
      logDensity: (p, f, y) =>
        op.sub(op.mul(-0.5, op.add(op.square(op.div(op.sub(y, f), p.s)), LOG_2PI)), op.mul(2, op.log(p.s))) as Tensor2D,
    });
    expect(failures(checkLikelihood(likelihood(), { ...off, likelihoods: { twice: likelihood } }))).toEqual([
      expect.stringMatching(/^normalized: where its parameters move: /),
    ]);
  });

  const wide = (factor: number) =>
    defineDensity({
      name: 'wide',
      logDensity: (_, { value }) => op.sum(op.mul(-0.5, op.add(op.square(value), LOG_2PI)), 1),
      sample: (_, random, [n, D]) => op.mul<Tensor2D>(factor, normals(random, n, D)),
    })();
  it.each([1.15, 0.85])('draws that are %f times as wide as the density', (factor) => {
    expect(failures(checkDensity(wide(factor), off))).toEqual([expect.stringMatching(/^draws: /)]);
    expect(failures(checkDensity(wide(1), off))).toEqual([]);
  });

  it('draws of a likelihood that are too wide', () => {
    const of = (factor: number) =>
      defineLikelihood({
        name: 'laplaceLike',
        parameters: { s: positive(0.8) },
        logDensity: (p, f, y) =>
          op.mul(
            -0.5,
            op.add(op.square(op.div(op.sub(y, f), p.s)), op.add(LOG_2PI, op.log(op.square(p.s)))),
          ) as Tensor2D,
        sample: (p, f, random) => op.add<Tensor2D>(f, op.mul(op.mul(factor, p.s), normals(random, ...f.shape))),
      });
    const check = (factor: number) => {
      const own = of(factor);
      return failures(checkLikelihood(own(), { ...off, likelihoods: { laplaceLike: own } }));
    };
    expect(check(1.15)).toEqual([expect.stringMatching(/^draws: /), expect.stringMatching(/^draws of new rows: /)]);
    expect(check(1)).toEqual([]);
  });

  it('constants of two columns, and of a prior that is one number of all points', () => {
    const columns = defineDensity({
      name: 'columns',
      // One column's constant in the place of all.
      logDensity: (_, { value }) => op.sub(op.mul(-0.5, op.sum(op.square(value), 1)), LOG_2PI / 2),
    });
    expect(failures(checkDensity(columns(), { ...off, columns: 2 }))).toEqual([
      expect.stringMatching(/^normalized: the total probability of 1×2 entries is 2\.\d+ and should be 1/),
    ]);
    expect(failures(checkDensity(standardNormal(), { ...off, columns: 2 }))).toEqual([]);
    const chain = (constant: number) =>
      definePrior({
        name: 'chain',
        independent: false,
        logDensity: (_, X) => {
          const [n, q] = X.shape;
          const steps = op.sub(op.slice(X, [1, 0], [n - 1, q]), op.slice(X, [0, 0], [n - 1, q]));
          const squares = op.add(op.sum(op.square(steps)), op.sum(op.square(op.slice(X, [0, 0], [1, q]))));
          return op.sub<op.Scalar>(op.mul(-0.5, squares), (n * q * constant) / 2);
        },
        sample: (_, random, [n, q]) => {
          const rows = normals(random, n, q);
          const sums = Array.from({ length: n }, (_, i) => op.sum(op.slice(rows, [0, 0], [i + 1, q]), 0, true));
          return op.concat(sums, 0) as Tensor2D;
        },
      });
    const latents = normalRows(3, 2);
    const check = (constant: number) => {
      const own = chain(constant);
      return failures(checkPrior(own(), { ...off, latents, priors: { chain: own } }));
    };
    expect(check(LOG_2PI)).toEqual([]);
    expect(check(0)).toEqual([expect.stringMatching(/^normalized: the total probability/)]);
  });

  it('moments of the next row that disagree with the next rows', () => {
    const chain = (factor: number, variance: number) =>
      definePrior({
        name: 'chain',
        independent: false,
        logDensity: (_, X) => {
          const [n, q] = X.shape;
          const before = op.slice(X, [0, 0], [n - 1, q]);
          const steps = op.sub(op.slice(X, [1, 0], [n - 1, q]), op.mul(0.8, before));
          return op.mul<op.Scalar>(-0.5, op.sum(op.square(steps)));
        },
        condition: () => ({
          next: (before) => ({ mean: op.mul<Tensor2D>(factor, before(1)), variance: op.scalar(variance) }),
        }),
      });
    const check = (factor: number, variance = 1) => {
      const own = chain(factor, variance);
      return failures(checkPrior(own(), { ...off, priors: { chain: own } }));
    };
    expect(check(0.8)).toEqual([]);
    expect(check(0.9)).toEqual([expect.stringMatching(/^next: the mean of column 0: /)]);
    expect(check(0.8, 0.9)).toEqual([expect.stringMatching(/^next: the variance of column 0: /)]);
  });

  it('a kernel that is a covariance of few points only', () => {
    const flat = defineKernel({
      name: 'flat',
      parameters: { width: positive(1.5) },
      // exp(−r⁴) is none.
      covariance: (p, A, B) => op.exp(op.neg(op.square(op.div(op.squaredDistances(A, B), op.square(p.width))))),
    });
    expect(failures(checkKernel(flat(), { ...off, dimensions: [2] }))).toContainEqual(
      expect.stringMatching(/^positive semi-definite on a lattice, 2 columns: /),
    );
  });

  it('distributions of parameters: a constant, a gradient, a support', () => {
    const exponential = (constant: number) =>
      defineDensity({
        name: 'exponential',
        parameters: { rate: positive(1) },
        entrywise: true,
        support: { above: 0 },
        logDensity: (p, { value: x }) => op.sub(op.mul(constant, op.log(p.rate)), op.mul(p.rate, x)),
      })();
    expect(failures(checkDistribution(exponential(1), off))).toEqual([]);
    expect(failures(checkDistribution(exponential(2), off))).toEqual([
      expect.stringMatching(/^normalized: where its parameters move: /),
    ]);
    const own = exponential(1);
    const twiceTheSlope = op.customGrad((x: op.Tensor, _save: op.Save) => ({
      value: op.mul(1, x),
      gradFunc: (dy: op.Tensor) => [op.mul(2, dy)],
    }));
    const { logDensity } = own.ofParameter;
    const steep = {
      ...own.ofParameter,
      logDensity: (...[p, x]: Parameters<typeof logDensity>) => logDensity(p, twiceTheSlope(x) as op.Tensor2D),
    };
    expect(failures(checkDistribution({ ...own, ofParameter: steep }, off))).toEqual([
      expect.stringMatching(/^gradients: /),
    ]);
    const wider = { ...own.ofParameter, support: [-1, Infinity] as const };
    expect(failures(checkDistribution({ ...own, ofParameter: wider }, off)).length).toBeGreaterThan(0);
  });
});

describe('right parts pass', () => {
  it.each([
    ['normal', normal({ mean: 0.3, deviation: 2 })],
    ['logNormal', logNormal({ mean: 0.3, deviation: 0.5 })],
    ['gamma', gamma({ shape: 2.5, rate: 1.5 })],
  ])('the distribution %s', (_, prior) => {
    expect(failures(checkDistribution(prior, off))).toEqual([]);
  });
  it.each([
    ['poisson', poisson()],
    ['studentT', studentT()],
  ])('the likelihood %s', (_, likelihood) => {
    expect(failures(checkLikelihood(likelihood, off))).toEqual([]);
  });

  it('lists the checks that are not made, and the reasons', () => {
    const report = checkDensity(standardNormal(), off);
    const next = report.checks.find(({ name }) => name === 'next')!;
    expect(next).toMatchObject({ passed: true, skipped: true, message: 'it gives none' });
    expect(report.toString()).toContain('skipped next (it gives none)');
  });
});

function normalRows(n: number, q: number): number[][] {
  return Array.from({ length: n }, (_, i) => Array.from({ length: q }, (_, d) => Math.sin(1 + 3 * i + d)));
}
