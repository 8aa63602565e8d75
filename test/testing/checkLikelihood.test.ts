import { describe, expect, it } from 'vitest';
import * as op from '../../src/engine/tensors/ops.ts';
import type { Tensor, Tensor2D } from '../../src/engine/tensors/tensorflow.ts';
import {
  bernoulli,
  defineKernel,
  defineLikelihood,
  gaussian,
  type Likelihood,
  linear,
  negativeBinomial,
  ordinal,
  poisson,
  positive,
  studentT,
} from '../../src/index.ts';
import { ConformanceError, checkKernel, checkLikelihood } from '../../src/testing/index.ts';

type Density = (p: { width: Tensor }, f: Tensor2D, y: Tensor2D) => Tensor2D;
const laplaceDensity: Density = (p, f, y) =>
  op.neg(op.add(op.div(op.abs(op.sub(y, f)), p.width), op.log(op.mul(2, p.width)))) as Tensor2D;
const laplaceWith = (logDensity: Density, factor = 2) =>
  defineLikelihood({
    name: 'laplace',
    parameters: { width: positive(0.7) },
    logDensity,
    moments: (p, mean, variance) => ({
      mean,
      variance: op.add<Tensor2D>(variance, op.mul(factor, op.square(p.width))),
    }),
  });
const laplace = laplaceWith(laplaceDensity);

const CHECKS = [
  'a finite log density',
  'the same every time',
  'gradients',
  'gradients far out',
  'rows',
  'normalized',
  'new rows',
  'moments',
  'draws',
  'next',
  'draws of new rows',
  'expectations',
  'missing entries',
  'coincident rows',
  'entries',
  'uncertain functions',
  'JSON round trip',
  'leaves no tensors behind',
];

describe('checkLikelihood', () => {
  it('passes the Gaussian with one variance and one per column, and a likelihood written outside the library', () => {
    expect(checkLikelihood(gaussian({ variance: 0.4 })).passed).toBe(true);
    expect(checkLikelihood(gaussian({ variance: [0.1, 2] })).passed).toBe(true);
    const report = checkLikelihood(laplace({ width: 0.5 }), { likelihoods: { laplace } });
    expect(report.checks.map(({ name }) => name)).toEqual(CHECKS);
  });

  it('passes counts and classes without moments', () => {
    const geometric = defineLikelihood({
      name: 'geometric',
      parameters: {},
      // p = 1/(1 + eᶠ): y·log(1 − p) + log p
      logDensity: (_p, f, y) => op.sub<Tensor2D>(op.mul(y, f), op.mul(op.add(y, 1), op.log(op.add(1, op.exp(f))))),
    });
    const report = checkLikelihood(geometric(), { support: 'counts', likelihoods: { geometric } });
    expect(report.checks.find(({ name }) => name === 'uncertain functions')!.message).toBe('it gives none');
    const classes = defineLikelihood({
      name: 'classes',
      parameters: {},
      logDensity: (_p, f, y) => op.neg(op.log(op.add(1, op.exp(op.mul(f, op.sub(1, op.mul(2, y))))))) as Tensor2D,
    });
    expect(checkLikelihood(classes(), { support: [0, 1], likelihoods: { classes } }).passed).toBe(true);
  });

  it.each<[string, ReturnType<typeof laplaceWith>, string]>([
    [
      'a constant is missing',
      laplaceWith((p, f, y) => op.neg(op.div(op.abs(op.sub(y, f)), p.width)) as Tensor2D),
      'normalized',
    ],
    ['moments are wrong', laplaceWith(laplaceDensity, 1), 'moments'],
    [
      'entries are summed',
      laplaceWith((p, f, y) => op.sum(laplaceDensity(p, f, y), 1, true) as Tensor2D),
      'a finite log density',
    ],
    ['entries are mixed', laplaceWith((p, f, y) => op.sub(laplaceDensity(p, f, y), op.mean(op.square(f)))), 'entries'],
  ])('finds that %s', (_name, wrong, check) => {
    const report = checkLikelihood(wrong(), { likelihoods: { laplace: wrong }, throws: false });
    expect(report.checks.filter(({ passed }) => !passed).map(({ name }) => name)).toContain(check);
    expect(() => checkLikelihood(wrong(), { likelihoods: { laplace: wrong } })).toThrow(ConformanceError);
  });

  const title = 'passes those of the library at observations that they take: %s';
  const passes = (_: string, likelihood: Likelihood) => {
    const { passed, checks } = checkLikelihood(likelihood);
    expect([passed, checks.length]).toEqual([true, CHECKS.length]);
    expect(checks.find(({ name }) => name === 'uncertain functions')!.message).toMatch(/^largest error/);
  };
  it.each<[string, Likelihood]>([
    ['poisson', poisson()],
    ['bernoulli', bernoulli()],
    ['ordinal', ordinal({ levels: 4 })],
    ['studentT', studentT()],
  ])(title, passes);
  // Sums over thousands of counts.
  it.each<[string, Likelihood]>([['negativeBinomial', negativeBinomial()]])(title, { tags: 'long' }, passes);

  it('refuses one that reads the whole row of an observation', () => {
    expect(() => checkLikelihood(poisson({ offset: 'rowSums' }))).toThrow(/'poisson' reads the whole row/);
  });

  it('refuses values that are not likelihoods', () => {
    expect(() => checkLikelihood(gaussian as never)).toThrow(/Call the factory: gaussian\(\), not gaussian/);
  });
});

describe('checkKernel, for the parts of a kernel', () => {
  it('names the forms', () => {
    const { message } = checkKernel(linear()).checks.find(({ name }) => name.startsWith('its declared components'))!;
    expect(message).toBe('rewritten Gram matrix, features');
  });

  it('finds features of another covariance', () => {
    const wrong = defineKernel({
      name: 'wrong',
      parameters: { variance: positive(2) },
      covariance: (p, A, B) => op.mul<Tensor2D>(p.variance, op.matMul(A, B, false, true)),
      // The root is missing.
      capabilities: () => ({
        structure: { type: 'features', rank: (columns) => columns, at: (p, A) => op.mul<Tensor2D>(p.variance, A) },
      }),
    });
    expect(() => checkKernel(wrong())).toThrow(
      /its declared components give its covariance, 1 column: its features: entry/,
    );
  });
});
