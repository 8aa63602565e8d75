import { describe, expect, it } from 'vitest';
import { Matrix } from '../../src/core/matrix.ts';
import { latentVariableModel } from '../../src/index.ts';
import { add, bias, rbf } from '../../src/kernels/index.ts';
import { evaluate } from '../../src/model/open.ts';
import { gpScore } from '../../src/models/gpScore.ts';
import { reference, sharedReference } from '../reference.ts';

interface Score {
  readonly X: number[][];
  readonly logLik: number;
}
const { Y, scores } = reference<{ Y: number[][]; scores: Record<string, Score> }>('gpScores.json');

interface DataSet {
  readonly Y: number[][];
  readonly scores: Record<string, { Xunit: number[][]; unitVariance: { logLik: number } }>;
}
const shared = sharedReference<Record<'run1' | 'wifi', DataSet>>('meu.json');

describe('gpScore', () => {
  it.each(Object.entries(scores))(
    'of the embedding %s of a Swiss roll is what SciPy found',
    async (_name, { X, logLik }) => {
      const score = await gpScore(Y, X);
      expect(Math.abs(score - logLik)).toBeLessThan(1e-6 * Math.abs(logLik));
    },
  );

  it('does not depend on the scale and position of X, nor on the position of Y', async () => {
    const { X, logLik } = scores.pca!;
    const moved = X.map(([a, b]) => [5 + 3 * a!, 0.01 * b!]);
    const score = await gpScore(Matrix.from(Y.map((row) => row.map((entry) => entry + 100))), moved);
    expect(Math.abs(score - logLik)).toBeLessThan(1e-6 * Math.abs(logLik));
  });

  it('is a maximum of the likelihood of a model with these latents, and further starts only raise it', async () => {
    const { X } = scores.lle!;
    const score = await gpScore(Y, X);
    expect(await gpScore(Y, X, { starts: 12, seed: 4 })).toBeGreaterThanOrEqual(score);
    const model = latentVariableModel({
      observations: Y,
      latentDim: 2,
      init: X,
      kernel: add(rbf(), bias()),
    });
    for (const noise of [0.03, 0.3, 3, 30]) {
      for (const lengthscale of [0.1, 0.3, 1, 3]) {
        const values = { 'mapping.noise': noise, 'mapping.kernel.rbf.lengthscale': lengthscale };
        expect(evaluate(model, values).objective).toBeLessThan(score);
      }
    }
  });

  it.each(['wasm', 'typescript'] as const)('is the same on the engine %s', async (engine) => {
    const { X, logLik } = scores.pca!;
    const score = await gpScore(Y, X, { engine });
    expect(Math.abs(score - logLik)).toBeLessThan(1e-6 * Math.abs(logLik));
  });

  it('explains invalid input', async () => {
    await expect(gpScore(Y, scores.pca!.X, { engine: 'fast' as never })).rejects.toThrow(/'engine' of gpScore must be/);
    await expect(gpScore(Y, [[1]])).rejects.toThrow('Y and X must have the same rows, but they have 30 and 1.');
    await expect(gpScore(Y, scores.pca!.X, { starts: 0 })).rejects.toThrow(
      "'starts' of gpScore must be a whole number from 1",
    );
  });
});

describe.runIf(shared !== undefined)('gpScore of real data (shared/reference/meu.json)', { tags: 'long' }, () => {
  const embeddings = [
    ...(['pca', 'isomap', 'lle', 'alle', 'meu'] as const).map((name) => ['run1', name] as const),
    // The robot's LLE finds its best maximum from one of five starts only.
    ['wifi', 'lle'] as const,
  ];
  it.each(embeddings)('of %s, embedding %s, is the independent one to 1e-6', async (set, name) => {
    const { Y: data, scores: all } = shared![set];
    const { Xunit, unitVariance } = all[name]!;
    const score = await gpScore(data, Xunit);
    expect(Math.abs(score - unitVariance.logLik)).toBeLessThan(1e-6 * Math.abs(unitVariance.logLik));
  });
});
