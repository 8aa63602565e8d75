import { readFileSync } from 'node:fs';
import { library, readMatrix } from './data.mjs';

const { fit, gpScore } = library;
const reference = JSON.parse(readFileSync(new URL('../../test/reference/embeddingScores.json', import.meta.url)));

async function run(study) {
  const rows = [];
  for (const data of study.quick ? ['run1'] : ['run1', 'robot']) {
    const { file, embeddings } = reference[data];
    const Y = await readMatrix(file);
    const scored = [];
    for (const { model, options, score } of study.quick ? embeddings.slice(0, 2) : embeddings) {
      const own = await study.cell(`${data}, ${model}`, async () =>
        gpScore(Y, (await fit(library[model](Y, options))).latents),
      );
      scored.push({ model, own, score });
    }
    const rank = (which, value) => 1 + scored.filter((entry) => entry[which] > value).length;
    for (const { model, own, score } of scored) {
      const difference = `${((100 * Math.abs(own - score)) / Math.abs(score)).toFixed(3)} %`;
      rows.push([data, model, own.toFixed(1), score.toFixed(1), difference, rank('own', own), rank('score', score)]);
    }
  }
  study.note(
    'The likelihood of a GPLVM with its latents held at an embedding in two dimensions. The reference is the score of the same embedding computed with NumPy and SciPy, from test/reference/embeddingScores.json, which also names the options.',
  );
  study.table(
    'Scores of embeddings',
    ['data', 'embedding', 'score', 'reference', 'difference', 'rank', 'of the reference'],
    rows,
  );
}

export const embeddingScores = {
  name: 'embedding-scores',
  title: 'Scores of embeddings beside those of NumPy and SciPy',
  source: 'Harmeling 2007; Lawrence 2012, §4',
  files: ['run1_X.npy', 'robot_train_X.npy'],
  run,
};
