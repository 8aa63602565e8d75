/**
 * How well embeddings in two dimensions explain the data, by the likelihood of a GPLVM whose latents are held there: the motion
 * capture of a run (55 frames of 34 markers) and a robot's WiFi (215 places, 30 access points). Beside each score stands that of the
 * same embedding computed with NumPy and SciPy, from test/reference/embeddingScores.json, which also names the options.
 *
 *   node bench/reproductions/embeddingScores.mjs [--data run1|robot]
 */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { library, printTable, readMatrix } from './data.mjs';

const { fit, gpScore } = library;
const { values: options } = parseArgs({ options: { data: { type: 'string' } } });
const reference = JSON.parse(readFileSync(new URL('../../test/reference/embeddingScores.json', import.meta.url)));

const rows = [['data', 'embedding', 'score', 'reference', 'difference', 'rank', 'of the reference']];
for (const data of options.data === undefined ? ['run1', 'robot'] : [options.data]) {
  const { file, embeddings } = reference[data];
  const Y = await readMatrix(file);
  const scored = [];
  for (const { model, options: its, score } of embeddings) {
    const { latents } = await fit(library[model](Y, its));
    const own = await gpScore(Y, latents);
    scored.push({ model, own, score });
    console.error(`${data}, ${model}: ${own.toFixed(1)}`);
  }
  const rank = (which, value) => 1 + scored.filter((entry) => entry[which] > value).length;
  for (const { model, own, score } of scored) {
    const difference = `${((100 * Math.abs(own - score)) / Math.abs(score)).toFixed(3)} %`;
    rows.push([data, model, own.toFixed(1), score.toFixed(1), difference, rank('own', own), rank('score', score)]);
  }
}
printTable(rows);
