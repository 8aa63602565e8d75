// @module-tag long
import {
  alle,
  drill,
  fit,
  gpScore,
  isomap,
  laplacianEigenmaps,
  lle,
  type MatrixLike,
  type Model,
  meu,
  pca,
} from 'latentfield';
import { describe, expect, it } from 'vitest';
import { readTable } from '../../src/app/io/index.ts';
import { reference, sharedFile, sharedReference } from '../reference.ts';

const models: Record<string, (Y: MatrixLike, options: object) => Model> = {
  pca,
  isomap,
  laplacianEigenmaps,
  lle,
  alle,
  meu,
  drill,
};

interface Scored {
  readonly file: string;
  readonly embeddings: readonly { readonly model: string; readonly options: object; readonly score: number }[];
}
const independent = reference<Record<'run1' | 'robot', Scored>>('embeddingScores.json');

/** Names in the order of their scores, the best first. */
const order = (scores: readonly (readonly [name: string, score: number])[]) =>
  [...scores].sort(([, a], [, b]) => b - a).map(([name]) => name);

async function expectScores(
  data: 'run1' | 'robot',
  path: string,
  embed: (model: string, Y: MatrixLike, options: object) => Promise<MatrixLike>,
): Promise<void> {
  const { observations: matrix } = await readTable(path);
  const { embeddings } = independent[data];
  const scores: [string, number][] = [];
  for (const { model, options, score } of embeddings) {
    const own = await gpScore(matrix, await embed(model, matrix, options));
    expect(Math.abs(own - score), `${model}: ${own} for ${score}`).toBeLessThan(0.005 * Math.abs(score));
    scores.push([model, own]);
  }
  expect(order(scores)).toEqual(order(embeddings.map(({ model, score }) => [model, score])));
}

const fitted = async (model: string, Y: MatrixLike, options: object) => (await fit(models[model]!(Y, options))).latents;

const run1 = sharedFile(`data/${independent.run1.file}`);
const robot = sharedFile(`data/${independent.robot.file}`);
const stored = sharedReference<{ wifi: { scores: { drill: { Xunit: number[][] } } } }>('meu.json');

describe('the GP-LVM scores of seven embeddings are the independent ones to 0.5 %, in the same order', () => {
  it.runIf(run1)('of run1 (shared/data/run1_X.npy)', async () => {
    await expectScores('run1', run1!, fitted);
  });

  // DRILL of the robot takes minutes under the guards of the tests, for its Hessian has a thousand rows: its embedding is the stored
  // one here, and `npm run reproduce -- embedding-scores` fits it.
  it.runIf(robot && stored)('of the robot (shared/data/robot_train_X.npy, shared/reference/meu.json)', async () => {
    await expectScores('robot', robot!, async (model, Y, options) =>
      model === 'drill' ? stored!.wifi.scores.drill.Xunit : fitted(model, Y, options),
    );
  });
});
