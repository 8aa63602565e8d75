import {
  defineDensity,
  defineModel,
  fit,
  fixed,
  gamma,
  gplvm,
  InvalidInputError,
  known,
  linearMap,
  loo,
  Matrix,
  mapped,
  observed,
  positive,
  rbf,
  samplePosterior,
} from 'latentfield';
import { waic } from 'latentfield/inference';
import * as op from 'latentfield/ops';
import { describe, expect, it } from 'vitest';
import { expectClose } from '../../tolerance.ts';

const prior = gamma({ shape: 2, rate: 2 });
const Y = [0, 0.4, 0.9, 1.3, 2, 2.4].map((t) => [Math.sin(2 * t), Math.cos(2 * t), t / 2]);
const rows = [
  [0.5, 0.6, 0.2],
  [0.9, -0.3, 0.5],
];
const model = gplvm(Y, {
  latentDim: 2,
  kernel: rbf({ variance: fixed(1), lengthscale: positive(1, { prior }) }),
  noise: positive(0.05, { prior }),
});

interface Placing {
  readonly latents: Matrix;
  project(Y: number[][]): Promise<{ readonly latents: Matrix; readonly logDensity: Float64Array }>;
}

describe('projections by draws', () => {
  it('at fixed latents are the mean and covariance of the projections by single draws', async () => {
    const start = await fit(model, { maxIterations: 10 });
    const draws = await samplePosterior(model, { start, hold: ['latents'], chains: 2, warmup: 10, draws: 3, seed: 1 });
    const found = await draws.project(rows, { draws: 6 });
    const all: Awaited<ReturnType<Placing['project']>>[] = [];
    for (let k = 0; k < 6; k++) {
      const one = draws.fitAt(Math.floor(k / 3), k % 3) as unknown as Placing;
      all.push(await one.project(rows));
    }
    for (const n of [0, 1]) {
      const mean = [0, 1].map((d) => all.reduce((sum, { latents }) => sum + latents.at(n, d), 0) / 6);
      for (const d of [0, 1]) {
        expectClose(found.latents.at(n, d), mean[d]!, 1e-12);
        const covariance =
          all.reduce((sum, { latents }) => sum + (latents.at(n, d) - mean[d]!) * (latents.at(n, 0) - mean[0]!), 0) / 5;
        expectClose(found.covariances[n]!.at(d, 0), covariance, 1e-12);
      }
      const density = all.reduce((sum, { logDensity }) => sum + Math.exp(logDensity[n]!), 0) / 6;
      expectClose(found.logDensity[n]!, Math.log(density), 1e-12);
    }
    await expect(draws.project(rows, { draws: 1 })).rejects.toThrow(InvalidInputError);
  });

  it('where latents turn are turned with the latents of their draw', async () => {
    const start = await fit(model, { maxIterations: 10 });
    const draws = await samplePosterior(model, { start, chains: 2, warmup: 10, draws: 3, seed: 1 });
    const found = await draws.project(rows, { draws: 6 });
    const sum = Matrix.zeros(2, 2);
    for (let k = 0; k < 6; k++) {
      const at = draws.fitAt(Math.floor(k / 3), k % 3) as unknown as Placing;
      const { latents } = await at.project(rows);
      // R from X·R = the aligned latents, by the normal equations.
      const [X, A] = [at.latents, draws.latents!.aligned[k]!];
      const products = (B: Matrix) =>
        [0, 1].map((a) => [0, 1].map((b) => X.column(a).reduce((total, x, n) => total + x * B.at(n, b), 0)));
      const [[p, q], [, r]] = products(X) as [[number, number], [number, number]];
      const [[a, b], [c, d]] = products(A) as [[number, number], [number, number]];
      const determinant = p * r - q * q;
      const R = [
        [(r * a - q * c) / determinant, (r * b - q * d) / determinant],
        [(p * c - q * a) / determinant, (p * d - q * b) / determinant],
      ];
      for (const n of [0, 1]) {
        for (const e of [0, 1]) sum.data[2 * n + e]! += latents.at(n, 0) * R[0]![e]! + latents.at(n, 1) * R[1]![e]!;
      }
    }
    sum.data.forEach((entry, k) => {
      expectClose(found.latents.data[k]!, entry / 6, 1e-8);
    });
  });
});

describe('rows that are independent given parameters', () => {
  const noisy = defineDensity({
    name: 'noisy',
    parameters: { variance: positive(0.3, { prior }) },
    logDensity: (p, { value, given }) => {
      const misfit = op.div(op.square(op.sub(value, given[0]!)), p.variance);
      return op.mul(-0.5, op.sum(op.add(op.log(op.mul(2 * Math.PI, p.variance)), misfit), 1));
    },
    sample: (p, { normal: next }, shape, given) => {
      const numbers = Float64Array.from({ length: shape[0] * shape[1] }, next);
      return op.add(given[0]!, op.mul(op.sqrt(p.variance), op.tensor<op.Tensor2D>(numbers, shape)));
    },
    condition: (p) => ({ moments: ([f]) => ({ mean: f!, variance: op.zerosLike(f!), noise: p.variance }) }),
  });
  const T = Matrix.from([[-1], [-0.5], [0.2], [0.7], [1.1], [3]]);
  const line = defineModel({
    name: 'line',
    variables: ({ y }: { y: Matrix }) => {
      const t = known(T);
      const f = mapped(t, linearMap(), { dim: 1 });
      return { t, f, y: observed(y, { density: noisy(), given: f, center: false }) };
    },
  })({ y: Matrix.from([[-0.9], [-0.6], [0.1], [0.9], [1], [-4]]) });

  it('have loo and waic of each row, equal to the densities by hand', async () => {
    const draws = await samplePosterior(line, { chains: 2, warmup: 100, draws: 200, seed: 3, priors: 'weak' });
    expect(draws.names).toContain('y.variance');
    const name = draws.names.find((each) => each.startsWith('f.'))!;
    const [slopes, variances] = [draws.values(name).data, draws.values('y.variance').data];
    const y = [-0.9, -0.6, 0.1, 0.9, 1, -4];
    const byHand = Matrix.from(
      Array.from(slopes, (w, s) =>
        y.map(
          (entry, n) => -0.5 * (Math.log(2 * Math.PI * variances[s]!) + (entry - w * T.at(n, 0)) ** 2 / variances[s]!),
        ),
      ),
    );
    expectClose(draws.waic().elpd, waic(byHand).elpd, 1e-10);
    const found = draws.loo();
    expect(found.pointwise.length).toBe(6);
    // By another relative efficiency the tails are of other lengths: close, and the same where nothing is smoothed away.
    expectClose(found.elpd, loo(byHand).elpd, 0.05);
    expect(found.message).toMatch(/Each row was left out\. /);
    // All 400 draws count unless fewer are asked for, which the message then says.
    const thinned = draws.loo({ draws: 100 });
    expect(thinned.message).toMatch(/at 100 of 400 draws/);
    expect(thinned.elpd).not.toBe(found.elpd);
    // The outlier is what the model does not expect.
    expect(found.pointwise.indexOf(Math.min(...found.pointwise))).toBe(5);
  });

  it('do not include a Gaussian process, whose loo is over entries', async () => {
    const draws = await samplePosterior(model, { hold: ['latents'], chains: 1, warmup: 20, draws: 20, seed: 1 });
    expect(() => draws.waic()).toThrow(/not independent.*loo\(\)/);
    expect(draws.loo().message).toMatch(/Each entry was left out/);
  });
});
