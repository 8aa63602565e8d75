import { describe, expect, it } from 'vitest';
import { symmetricEigenpairs } from '../../src/engine/dense/eigenpairs.ts';
import * as op from '../../src/engine/tensors/ops.ts';
import type { Tensor2D } from '../../src/engine/tensors/tensorflow.ts';
import {
  bernoulli,
  defineMap,
  defineModel,
  describe as described,
  evaluate,
  fit,
  fixed,
  gaussian,
  gaussianLatents,
  known,
  latent,
  linearMap,
  Matrix,
  mapped,
  mlpMap,
  observed,
  seededRandom,
  standardNormal,
} from '../../src/index.ts';
import { logDeterminantOf, solved } from '../models/field/dense.ts';

/** An objective that is called a bound is below the evidence wherever that is closed, and reaches it where the posterior is in the family. */

const random = seededRandom(3);
const normals = (rows: number, columns: number) =>
  Array.from({ length: rows }, () => Array.from({ length: columns }, () => random.normal()));
const product = (A: readonly number[][], B: readonly number[][]) =>
  A.map((row) => B[0]!.map((_, d) => row.reduce((sum, own, k) => sum + own * B[k]![d]!, 0)));
const plus = (A: readonly number[][], B: readonly number[][], scale: number) =>
  A.map((row, i) => row.map((own, d) => own + scale * B[i]![d]!));
const rowsOf = (Y: Matrix) => Array.from({ length: Y.rows }, (_, i) => Array.from(Y.row(i)));

const [N, D] = [20, 6];
const Y = Matrix.from(plus(product(normals(N, 3), normals(3, D)), normals(N, D), 0.5));

/** Σ_i log N(y_i | 0, C). */
function normalEvidence(rows: readonly number[][], C: readonly number[][]): number {
  const constant = C.length * Math.log(2 * Math.PI) + logDeterminantOf(C);
  return rows.reduce(
    (sum, row) => sum - 0.5 * (constant + solved(C, row).reduce((total, own, d) => total + own * row[d]!, 0)),
    0,
  );
}

describe('probabilistic principal components with Gaussian rows', () => {
  const ppca = defineModel({
    name: 'linearGaussian',
    variables: ({ y, q }: { y: Matrix; q: number }) => {
      const z = latent({ dim: q, density: standardNormal(), posterior: gaussianLatents() });
      const f = mapped(z, linearMap());
      return { z, f, y: observed(y, { density: gaussian({ variance: 0.2 }), given: f, center: true }) };
    },
  });
  const centered = rowsOf(Y).map((row) =>
    row.map((own, d) => own - rowsOf(Y).reduce((sum, other) => sum + other[d]! / N, 0)),
  );
  const scatter = Matrix.from(
    product(
      centered[0]!.map((_, d) => centered.map((row) => row[d]!)),
      centered,
    ).map((row) => row.map((own) => own / N)),
  );
  const evidenceAt = (W: readonly number[][], variance: number) => {
    const C = product(
      W[0]!.map((_, d) => W.map((row) => row[d]!)),
      W,
    ).map((row, i) => row.map((own, d) => own + (i === d ? variance : 0)));
    return normalEvidence(centered, C);
  };

  it.each([2, 3, 4])('is below the evidence at any values, and reaches its maximum: q = %i', async (q) => {
    const model = ppca({ y: Y, q });
    for (let trial = 0; trial < 5; trial++) {
      const W = normals(q, D);
      const values = {
        'z.posterior.mean': normals(N, q),
        'z.posterior.variance': normals(N, q).map((row) => row.map((own) => Math.exp(own))),
        'f.weights': W,
        'y.noise': 0.3 + trial / 5,
      };
      expect(evaluate(model, values).objective).toBeLessThan(evidenceAt(W, 0.3 + trial / 5));
    }
    const result = await fit(model, { maxIterations: 1000 });
    const values = Array.from(symmetricEigenpairs(scatter).values).sort((a, b) => b - a);
    const noise = values.slice(q).reduce((sum, own) => sum + own / (D - q), 0);
    const logs = values.slice(0, q).reduce((sum, own) => sum + Math.log(own), 0) + (D - q) * Math.log(noise);
    const maximum = -0.5 * N * (D * Math.log(2 * Math.PI) + logs + D);
    expect(result.objective).toBeLessThan(maximum + 1e-9);
    expect(result.objective).toBeGreaterThan(maximum - 1e-5);
    expect(result.message).not.toMatch(/draws|quadrature/);
  });
});

describe('a sum of two variables of Gaussian rows', () => {
  const variance = 0.01;
  const n = 40;
  const y = Matrix.from(plus(plus(normals(n, 1), normals(n, 1), 1), normals(n, 1), 0.1));
  const sum = defineMap({ name: 'sum', affine: true, apply: (_, u, v) => op.add(u, v!) });
  const of = (map: Parameters<typeof mapped>[1]) =>
    defineModel({
      name: 'sumOfTwo',
      variables: (data: Matrix) => {
        const [u, v] = [0, 1].map(() => latent({ dim: 1, density: standardNormal(), posterior: gaussianLatents() }));
        const f = mapped([u!, v!], map);
        return {
          ...{ u: u!, v: v!, f },
          y: observed(data, { density: gaussian({ variance: fixed(variance) }), given: f, center: false }),
        };
      },
    })(y);
  // Of factorized Gaussians the best has the conditional variances; it is below the evidence by ½·(Σ log Λ_ii − log|Λ|) a row.
  const [own, cross] = [1 + 1 / variance, 1 / variance];
  const gap = (n / 2) * (2 * Math.log(own) - Math.log(own * own - cross * cross));
  const best = normalEvidence(rowsOf(y), [[2 + variance]]) - gap;

  it.each([
    ['by its linear map', sum(), undefined],
    [
      'by quadrature of each row',
      (u: Tensor2D, v: Tensor2D) => op.add<Tensor2D>(u, v),
      /'u' and 'v' are by quadrature/,
    ],
  ])('%s ends at the best of its family', async (_, map, words) => {
    const model = of(map);
    const result = await fit(model, { maxIterations: 2000 });
    expect(result.objective).toBeLessThan(best + 1e-9);
    expect(result.objective).toBeGreaterThan(best - 1e-5);
    for (const name of ['u', 'v'] as const) {
      for (const own of (result.parameters as Record<string, Matrix>)[`${name}.posterior.variance`]!.data) {
        expect(own).toBeCloseTo(1 / (1 + 1 / variance), 6);
      }
    }
    if (words === undefined) expect(described(model)).not.toContain('Expectations under the Gaussian rows');
    else for (const text of [result.message, described(model)]) expect(text).toMatch(words);
  });
});

it('Bayesian linear regression with Gaussian weights is below its evidence, and at it where columns are orthogonal', async () => {
  const X = [1, -1, 1, -1, 1, -1, 1, -1].map((own, i) => [own, i < 4 ? 1 : -1]);
  const variance = 0.3;
  const y = X.map(([a, b]) => [0.7 * a! - 0.4 * b! + 0.5 * random.normal()]);
  const weigh = defineMap({ name: 'weigh', affine: true, apply: (_, w, x) => op.matMul(x!, w, false, true) });
  const regression = defineModel({
    name: 'regression',
    variables: (given: { x: Matrix; y: Matrix }) => {
      const w = latent({ dim: 2, rows: 1, density: standardNormal(), posterior: gaussianLatents() });
      const x = known(given.x);
      const f = mapped([w, x], weigh());
      return {
        w,
        x,
        f,
        y: observed(given.y, { density: gaussian({ variance: fixed(variance) }), given: f, center: false }),
      };
    },
  });
  const evidence = normalEvidence(
    [y.map(([own]) => own!)],
    X.map((a, i) => X.map((b, j) => a[0]! * b[0]! + a[1]! * b[1]! + (i === j ? variance : 0))),
  );
  const result = await fit(regression({ x: Matrix.from(X), y: Matrix.from(y) }), { maxIterations: 500 });
  expect(result.objective).toBeLessThan(evidence + 1e-9);
  expect(result.objective).toBeGreaterThan(evidence - 1e-6);
});

it('the expectation of a product of Gaussian rows follows from its second moments', () => {
  const n = 5;
  const y = Matrix.from(normals(n, 1));
  const model = defineModel({
    name: 'product',
    variables: (data: Matrix) => {
      const [u, v] = [0, 1].map(() => latent({ dim: 1, density: standardNormal(), posterior: gaussianLatents() }));
      const f = mapped([u!, v!], (a: Tensor2D, b: Tensor2D) => op.mul<Tensor2D>(a, b));
      const density = gaussian({ variance: fixed(0.5) });
      return { u: u!, v: v!, f, y: observed(data, { density, given: f, center: false }) };
    },
  })(y);
  const [mu, mv] = [normals(n, 1), normals(n, 1)];
  const [su, sv] = [0, 1].map(() => normals(n, 1).map(([own]) => [Math.exp(own!)]));
  const values = {
    ...{ 'u.posterior.mean': mu, 'v.posterior.mean': mv },
    ...{ 'u.posterior.variance': su!, 'v.posterior.variance': sv! },
  };
  const expected = rowsOf(y).reduce((sum, [own], i) => {
    const [a, b] = [mu[i]![0]!, mv[i]![0]!];
    const square = own! * own! - 2 * own! * a * b + (a * a + su![i]![0]!) * (b * b + sv![i]![0]!);
    return sum - 0.5 * (Math.log(2 * Math.PI * 0.5) + square / 0.5);
  }, 0);
  expect(evaluate(model, values).terms.y).toBeCloseTo(expected, 10);
});

it('binary observations of a linear map are integrated over one dimension an entry', () => {
  const y = Matrix.from(rowsOf(Y).map((row) => row.map((own) => (own > 0 ? 1 : 0))));
  const model = defineModel({
    name: 'binary',
    variables: (data: Matrix) => {
      const z = latent({ dim: 5, density: standardNormal(), posterior: gaussianLatents() });
      const f = mapped(z, linearMap());
      return { z, f, y: observed(data, { density: bernoulli(), given: f }) };
    },
  })(y);
  const [mean, W] = [normals(N, 5), normals(5, D)];
  const variance = normals(N, 5).map((row) => row.map((own) => 0.1 * Math.exp(own)));
  const { terms } = evaluate(model, { 'z.posterior.mean': mean, 'z.posterior.variance': variance, 'f.weights': W });
  // The mean over many draws of log σ(±f) with f ~ N(Wᵀm, Σ_k W²s).
  const draws = 4000;
  let [sum, squares] = [0, 0];
  const logSigmoid = (x: number) => -Math.log1p(Math.exp(-x));
  for (let k = 0; k < draws; k++) {
    const z = mean.map((row, i) => row.map((own, d) => own + Math.sqrt(variance[i]![d]!) * random.normal()));
    const f = product(z, W);
    const total = rowsOf(y).reduce(
      (all, row, i) => row.reduce((own, e, d) => own + logSigmoid((2 * e - 1) * f[i]![d]!), all),
      0,
    );
    sum += total;
    squares += total * total;
  }
  const average = sum / draws;
  const error = Math.sqrt((squares / draws - average * average) / draws);
  expect(Math.abs(terms.y! - average)).toBeLessThan(5 * error);
});

it('of more random columns than three it is an estimate by draws, and reports it', () => {
  const model = defineModel({
    name: 'decoder',
    variables: (data: Matrix) => {
      const z = latent({ dim: 4, density: standardNormal(), posterior: gaussianLatents() });
      const f = mapped(z, mlpMap({ hidden: 3 }));
      return { z, f, y: observed(data, { density: gaussian({ variance: 0.2 }), given: f, center: true }) };
    },
  })(Y);
  expect(described(model)).toMatch(/Gaussian rows of 'z' are means over 8 draws: .* may lie above it/);
});
