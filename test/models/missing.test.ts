import { describe, expect, it } from 'vitest';
import { pipeFlow } from '../../src/app/data/index.ts';
import {
  bayesianGplvm,
  defineModel,
  evaluate,
  fit,
  fixedAt,
  gaussianProcess,
  gplrf,
  gplvm,
  InvalidInputError,
  latent,
  latentVariableModel,
  loadFit,
  Matrix,
  meu,
  observed,
  poisson,
  rbf,
  seededRandom,
  standardNormal,
  tpslvm,
} from '../../src/index.ts';
import { imputed } from '../../src/model/posterior.ts';
import { expectClose } from '../tolerance.ts';

/** Pipe flow with a fifth of the entries removed at random. */
function withHoles(points: number): { complete: Matrix; holes: number[]; Y: Matrix } {
  const complete = pipeFlow({ points, seed: 2 }).observations;
  const random = seededRandom(4);
  const Y = Matrix.from(complete);
  const holes = Array.from(Y.data.keys()).filter(() => random.uniform() < 0.2);
  for (const index of holes) Y.data[index] = Number.NaN;
  return { complete, holes, Y };
}

function imputationError(complete: Matrix, holes: readonly number[], imputed: Matrix): number {
  const sum = holes.reduce((total, index) => total + (imputed.data[index]! - complete.data[index]!) ** 2, 0);
  return Math.sqrt(sum / holes.length);
}

/** Free latents that start at some rows of X. */
const at = (rows: readonly number[], X: Matrix) => rows.map((i) => Array.from(X.row(i)));

describe('missing observations', () => {
  it("are an error unless the model has missing: 'ignore'", () => {
    const { Y } = withHoles(20);
    expect(() => gplvm(Y, { latentDim: 2 })).toThrow(InvalidInputError);
    expect(() => gplvm(Y, { latentDim: 2 })).toThrow(/missing: 'ignore'/);
    const empty = Y.toArrays().map((row) => [...row, Number.NaN]);
    expect(() => gplvm(empty, { latentDim: 2, missing: 'ignore' })).toThrow(/Column index 12 .* missing entries only/);
  });

  it('leave no row without any, unless something else determines the position of its point', async () => {
    const { Y } = withHoles(20);
    Y.data.fill(Number.NaN, 7 * 12, 8 * 12);
    const options = { latentDim: 2, missing: 'ignore' } as const;
    const X = Array.from({ length: 20 }, (_, i) => [Math.sin(i), Math.cos(i)]);
    const labels = X.map((_, i) => i % 2);
    const message = /^Row index 7 of the observations has no observed entries, .* Leave that row out\.$/;
    for (const refused of [
      () => gplvm(Y, options),
      () => gplvm(Y, { ...options, priors: [] }),
      () => gplvm(Y, { ...options, backConstraint: 'kernel' }),
      () => tpslvm(Y, options),
      () => bayesianGplvm(Y, { ...options, inducing: 5 }),
      () => meu(Y, { neighbors: 4, missing: 'ignore' }),
      () =>
        latentVariableModel({ latentDim: 2, views: { only: { observations: Y, kernel: rbf(), missing: 'ignore' } } }),
    ]) {
      expect(refused).toThrow(InvalidInputError);
      expect(refused).toThrow(message);
    }
    const { status } = await fit(gplvm(Y, { ...options, dynamics: true }), { maxIterations: 2 });
    expect(status).not.toBe('failed');
    expect(gplrf(Y, labels, options).name).toBe('gplrf');
    expect(gplvm(Y, { ...options, posterior: fixedAt(X) }).name).toBe('gplvm');
  });

  it('leave the sum of the log densities of the columns over their own observed rows', () => {
    const { Y } = withHoles(15);
    const X = new Matrix(
      Float64Array.from({ length: 30 }, (_, i) => Math.sin(1 + i)),
      15,
      2,
    );
    const values = { 'mapping.noise': 0.1 };
    const model = gplvm(Y, { latentDim: 2, missing: 'ignore', center: false, priors: [] });
    const { objective, gradients } = evaluate(model, { ...values, latents: X });
    const variance = { 'mapping.kernel.rbf.variance': 0.7, 'mapping.kernel.bias.variance': 0.2 };
    const whole = evaluate(model, { ...values, ...variance, latents: X });
    let sum = 0;
    const dX = new Float64Array(30);
    for (let j = 0; j < 12; j++) {
      const rows = Array.from({ length: 15 }, (_, i) => i).filter((i) => !Number.isNaN(Y.at(i, j)));
      const column = gplvm(
        rows.map((i) => [Y.at(i, j)]),
        { latentDim: 2, center: false, priors: [], init: at(rows, X) },
      );
      const part = evaluate(column, { ...values, ...variance });
      sum += part.objective;
      rows.forEach((i, k) => {
        for (let q = 0; q < 2; q++) dX[2 * i + q]! += (part.gradients.latents as Matrix).at(k, q);
      });
    }
    expectClose(whole.objective, sum, 1e-12, 'objective');
    expectClose(whole.gradients.latents, dX, 1e-10, 'gradient in the latents');
    expect(objective).not.toBe(whole.objective);
    expect((gradients.latents as Matrix).rows).toBe(15);
  });

  it('are imputed better than by column means and by principal components', { tags: 'long' }, async () => {
    const { complete, holes, Y } = withHoles(100);
    const model = gplvm(Y, { latentDim: 2, missing: 'ignore' });
    const result = await fit(model, { maxIterations: 150 });
    const means = Matrix.from(complete);
    for (const index of holes) {
      const column = Y.column(index % 12).filter((entry) => !Number.isNaN(entry));
      means.data[index] = column.reduce((total, entry) => total + entry, 0) / column.length;
    }
    const byModel = imputationError(complete, holes, result.predict(result.latents).mean);
    const byMeans = imputationError(complete, holes, means);
    expect(byModel).toBeLessThan(0.6 * byMeans);
    expect(byModel).toBeLessThan(imputationError(complete, holes, imputed(Y, 2)));
  });

  it('are reconstructed as counts, as they are imputed', async () => {
    const random = seededRandom(3);
    const Y = Matrix.zeros(24, 3);
    Y.data.forEach((_, i) => {
      Y.data[i] = Math.round(Math.exp(3 + Math.sin(i / 9) + 0.2 * random.normal()));
    });
    const options = { latentDim: 1, likelihood: poisson(), inducing: 6 };
    const plain = await fit(gplvm(Y, options), { maxIterations: 20 });
    const named = await fit(
      defineModel({
        name: 'counted',
        variables: () => {
          const z = latent({ dim: 1, density: standardNormal() });
          const f = gaussianProcess({ kernel: rbf(), likelihood: poisson(), inducing: 6 });
          return { z, y: observed(Y, { density: f, given: z, center: false }) };
        },
      })(undefined),
      { maxIterations: 20 },
    );
    const row = [Number.NaN, Y.at(4, 1), Y.at(4, 2)];
    for (const { impute, reconstruct } of [plain, named]) {
      const [imputed, reconstructed] = [(await impute([row])).mean, await reconstruct([row])];
      expectClose(reconstructed.at(0, 0), imputed.at(0, 0), 1e-12, 'entry that is missing');
      // Not the logarithm of a rate, which is about 3.
      expect(reconstructed.at(0, 1)).toBeGreaterThan(0.5 * Y.at(4, 1));
      expect(reconstructed.at(0, 1)).toBeLessThan(2 * Y.at(4, 1));
    }
  });

  it('survive saving and loading', async () => {
    const { Y } = withHoles(20);
    const result = await fit(gplvm(Y, { latentDim: 2, missing: 'ignore' }), { maxIterations: 5 });
    const again = loadFit(JSON.parse(JSON.stringify(result)));
    expect(again.predict(again.latents)).toEqual(result.predict(result.latents));
  });
});
