import {
  defineModel,
  evaluate,
  fit,
  fixed,
  gaussian,
  gaussianLatents,
  gaussianProcess,
  known,
  type Likelihood,
  latent,
  Matrix,
  mapped,
  observed,
  poisson,
  rbf,
} from 'latentfield';
import * as op from 'latentfield/ops';
import { expect, it } from 'vitest';

const N = 40;
const exposure = Array.from({ length: N }, (_, n) => 10 + 20 * (n % 4));
const rate = (n: number) => Math.exp(Math.sin(n / 6) - 1);
const time = Matrix.from(exposure.map((_, n) => [n / N]));
const offset = Matrix.from(exposure.map((own) => [Math.log(own)]));
interface Data {
  readonly y: Matrix;
  readonly time: Matrix;
  readonly offset: Matrix;
  readonly likelihood: Likelihood;
}
// y_n ~ p(y | g(t_n) + o_n), g a process of which rows are Gaussians, o_n known
const shifted = defineModel({
  name: 'shifted',
  variables: (data: Data) => {
    const [time, offset] = [known(data.time), known(data.offset)];
    const process = gaussianProcess({ kernel: rbf({ lengthscale: fixed(0.2) }), noise: fixed(1e-3) });
    const g = latent({ dim: 1, density: process, given: time, posterior: gaussianLatents() });
    const f = mapped([g, offset], op.add);
    return { time, offset, g, f, y: observed(data.y, { density: data.likelihood, given: f, center: false }) };
  },
});

it('an expectation that is drawn is exact where the log density is quadratic', () => {
  const y = Matrix.from(exposure.map((own, n) => [Math.log(own) + Math.cos(n)]));
  const [means, variances] = [exposure.map((_, n) => Math.sin(n)), exposure.map((_, n) => 0.1 + 0.01 * n)];
  const { terms, gradients } = evaluate(shifted({ y, time, offset, likelihood: gaussian({ variance: 0.3 }) }), {
    'g.posterior.mean': Matrix.from(means.map((m) => [m])),
    'g.posterior.variance': Matrix.from(variances.map((s) => [s])),
  });
  const gap = (n: number) => y.at(n, 0) - offset.at(n, 0) - means[n]!;
  const expected = exposure.reduce(
    (sum, _, n) => sum - 0.5 * (Math.log(2 * Math.PI * 0.3) + (gap(n) ** 2 + variances[n]!) / 0.3),
    0,
  );
  expect(Math.abs(terms.y! - expected)).toBeLessThan(1e-11);
  const slope = exposure.reduce((sum, _, n) => sum - 0.5 / 0.3 + (0.5 * (gap(n) ** 2 + variances[n]!)) / 0.3 ** 2, 0);
  expect(Math.abs((gradients['y.noise'] as number) - slope)).toBeLessThan(1e-10);
});

it('counts of rows with known exposures show the rate behind them, in any exposure', { tags: 'long' }, async () => {
  const y = Matrix.from(exposure.map((own, n) => [Math.round(own * rate(n))]));
  const result = await fit(shifted({ y, time, offset, likelihood: poisson() }));
  expect(result.status).toBe('converged');
  const asked = Array.from({ length: N }, (_, n) => n);
  const per = (times: number) =>
    result.predict({ time, offset: Matrix.from(asked.map(() => [Math.log(times)])) }).y.mean.column(0);
  const [ones, thousands] = [per(1), per(1000)];
  for (const n of asked) {
    expect(thousands[n]! / ones[n]!).toBeCloseTo(1000, 6);
    // Each row has counted 4 at least, and its neighbors as many: a third at the most.
    expect(Math.abs(Math.log(ones[n]! / rate(n)))).toBeLessThan(1 / 3);
  }
  const mean = (of: (n: number) => number) => asked.reduce((sum, n) => sum + of(n) / N, 0);
  expect(Math.abs(mean((n) => Math.log(ones[n]! / rate(n))))).toBeLessThan(0.05);
});
