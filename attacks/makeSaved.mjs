// Writes test/saved/<name of the form>/: a fit of each kind of model as its file, and what it answers, to be loaded by every later version.
//
//   node attacks/makeSaved.mjs FOLDER [NAME …]     (on a built dist/; all models, or those whose form has changed)
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fit } from 'latentfield';
import { answersOf, savedModels, savedOptions } from './savedModels.mjs';

const [folder, ...names] = process.argv.slice(2);
mkdirSync(folder, { recursive: true });
for (const [name, make] of Object.entries(savedModels)) {
  if (names.length > 0 && !names.includes(name)) continue;
  const model = make();
  const { maxIterations, ...rest } = savedOptions;
  const result = await fit(model, model.solve === undefined ? { ...rest, maxIterations } : rest);
  const answers = await answersOf(result);
  writeFileSync(join(folder, `${name}.json`), `${JSON.stringify({ fit: result, answers })}\n`);
  console.log(name, result.status, result.objective);
}
