import {
  bayesianGplvm,
  bernoulli,
  evaluate,
  fit,
  gplrf,
  gplvm,
  InvalidInputError,
  latentVariableModel,
  Matrix,
  poisson,
  rbf,
  seededRandom,
  tpslvm,
} from 'latentfield';
import { covariates } from 'latentfield/models';
import { describe, expect, it } from 'vitest';
import { openProblem } from '../../src/inference/fit/fitProblem.ts';

const [N, D] = [20, 3];
const random = seededRandom(7);
const hidden = Array.from({ length: N }, () => random.normal());
const offset = hidden.map((_, n) => Math.log(1 + (n % 5)));
const offsets = offset.map((own) => [own]);
const labels = hidden.map((x) => (x > 0 ? 'a' : 'b'));
const Y = Matrix.from(
  hidden.map((x, n) => [0, 1, 2].map((d) => Math.round(Math.exp(offset[n]! + 0.8 * Math.sin(x + d))))),
);
const OPTIONS = { latentDim: 1, inducing: 5, likelihood: poisson() };

/** log p(y | f) of a Poisson distribution with rate exp(f), summed against N(m, v) by the trapezoidal rule. */
function expected(y: number, m: number, v: number): number {
  const factorial = Array.from({ length: y }, (_, k) => Math.log(k + 1)).reduce((a, b) => a + b, 0);
  let sum = 0;
  for (let k = -400; k <= 400; k++) {
    const z = k / 40;
    const f = m + Math.sqrt(v) * z;
    sum += (Math.exp(-0.5 * z * z) / Math.sqrt(2 * Math.PI) / 40) * (y * f - Math.exp(f) - factorial);
  }
  return sum;
}

/** Σ KL(N(m_d, C_d·C_dᵀ)‖N(0, I)) of the variables of a view. */
function divergence(m: Matrix, root: Matrix): number {
  const M = m.rows;
  let sum = 0.5 * m.data.reduce((total, entry) => total + entry * entry, 0) - 0.5 * m.columns * M;
  for (let i = 0; i < root.rows; i++) {
    for (let j = 0; j <= i % M; j++) sum += 0.5 * root.at(i, j) ** 2;
    sum -= Math.log(Math.abs(root.at(i, i % M)));
  }
  return sum;
}

type Values = Record<string, Matrix>;

describe('an offset', () => {
  it.each([
    ['tpslvm', () => tpslvm(Y, { ...OPTIONS, offset } as never)],
    ['gplrf', () => gplrf(Y, labels, { ...OPTIONS, offset } as never)],
  ])('is added to the functions of %s: expected densities by the trapezoidal rule', async (_, make) => {
    const result = await fit(make() as ReturnType<typeof gplvm>, { maxIterations: 2 });
    const { mean, variance } = result.predict(result.latents, { given: Array.from({ length: N }, () => [0]) });
    const p = result.parameters as unknown as Values;
    const total = Array.from(Y.data.keys()).reduce((sum, k) => {
      const n = Math.floor(k / D);
      return sum + expected(Y.data[k]!, mean.data[k]! + offset[n]!, variance.data[k]!);
    }, 0);
    const own = total - divergence(p['mapping.variational.mean']!, p['mapping.variational.root']!);
    expect(Math.abs((result.terms as Record<string, number>).mapping! - own)).toBeLessThan(1e-6 * Math.abs(own));
    // Rates overflow far from the points, where a search may look: that row goes elsewhere, and costs no other its place.
    const placed = await result.project(Y, { given: offsets });
    for (const n of [0, 11, 19]) {
      const alone = await result.project([Y.row(n)], { given: [offsets[n]!] });
      expect(alone.latents.data).toEqual(placed.latents.row(n));
    }
    expect(placed.latents.data.every(Number.isFinite)).toBe(true);
    await expect(result.project(Y)).rejects.toThrow(/'offset' too, n×1/);
  });

  it.each([
    ['bayesianGplvm', () => bayesianGplvm(Y, { ...OPTIONS, offset })],
    ['gplvm', () => gplvm(Y, { ...OPTIONS, offset })],
    ['bayesianGplvm with covariates', () => bayesianGplvm(Y, { ...OPTIONS, offset, given: covariates(offsets) })],
  ])('belongs to the rows of a batch: batches of an epoch average to the bound of all rows, in %s', (_, make) => {
    const problem = openProblem(make() as never, { seed: 0, batchSize: 5 });
    try {
      const values = [0, 1, 2, 3].map(
        (iteration) => problem.compute(() => problem.objective(problem.start, { iteration })).value,
      );
      const average = values.reduce((sum, value) => sum + value) / 4;
      expect(Math.abs(average / -problem.densityAt(problem.start).value - 1)).toBeLessThan(1e-11);
    } finally {
      problem.dispose();
    }
  });

  it('belongs to its view: the densities of two views by the trapezoidal rule, each at its offset', async () => {
    const labelsOf = Y.map((y) => +(y > 1));
    const view = { kernel: rbf(), inducing: 5 };
    const second = offset.map((own) => -own);
    const make = (shifts: readonly (readonly number[] | undefined)[]) =>
      latentVariableModel({
        latentDim: 1,
        views: {
          counts: { observations: Y, likelihood: poisson(), ...view, ...(shifts[0] && { offset: shifts[0] }) },
          signs: { observations: labelsOf, likelihood: bernoulli(), ...view, ...(shifts[1] && { offset: shifts[1] }) },
        },
      } as never);
    const values = evaluate(make([offset, second]));
    // Each view with its offset alone has the same density at the same values.
    const start = await fit(make([offset, second]) as unknown as ReturnType<typeof gplvm>, { maxIterations: 0 });
    const at = { ...(start as { parameters: object }).parameters, latents: (start as { latents: Matrix }).latents };
    const [both, one, other] = [
      [offset, second],
      [offset, undefined],
      [undefined, second],
    ].map((shifts) => evaluate(make(shifts), at as never).terms as Record<string, number>);
    expect(Number.isFinite(values.objective)).toBe(true);
    expect(Math.abs(both!.counts! - one!.counts!)).toBeLessThan(1e-9 * Math.abs(both!.counts!));
    expect(Math.abs(both!.signs! - other!.signs!)).toBeLessThan(1e-9 * Math.abs(both!.signs!));
    expect(Math.abs(both!.signs! - one!.signs!)).toBeGreaterThan(1e-3);
    await expect(
      (start as unknown as { project(Y: object): Promise<unknown> }).project({ counts: Y, signs: labelsOf }),
    ).rejects.toThrow(InvalidInputError);
  });

  it('is cut to the labeled rows that choose the strength of gplrf', { tags: 'long' }, async () => {
    const model = gplrf(
      Y,
      labels.map((own, n) => (n === 3 ? '' : own)),
      { ...OPTIONS, strength: 'validate', offset } as never,
    );
    const { message } = await fit(model as unknown as ReturnType<typeof gplvm>, { maxIterations: 2, maxSeconds: 20 });
    expect(message).toMatch(/was chosen among/);
  });

  it('is refused with shards', async () => {
    const shards = { open: () => undefined } as never;
    expect(() => evaluate(bayesianGplvm(Y, { ...OPTIONS, offset, shards } as never))).toThrow(
      /does not support offset with shards. Omit one/,
    );
  });
});
