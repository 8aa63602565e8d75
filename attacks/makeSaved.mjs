// Writes test/saved/<name of the form>/: a fit of each kind of model as its file, and what it answers, to be loaded by every later version.
//
//   node attacks/makeSaved.mjs FOLDER     (on a built dist/; a folder is made once and never written again)
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fit } from 'latentfield';
import { answersOf, savedModels, savedOptions } from './savedModels.mjs';

const [folder] = process.argv.slice(2);
mkdirSync(folder, { recursive: false });
for (const [name, make] of Object.entries(savedModels)) {
  const model = make();
  const { maxIterations, ...rest } = savedOptions;
  const result = await fit(model, model.solve === undefined ? { ...rest, maxIterations } : rest);
  const answers = await answersOf(result);
  writeFileSync(join(folder, `${name}.json`), `${JSON.stringify({ fit: result, answers })}\n`);
  console.log(name, result.status, result.objective);
}
