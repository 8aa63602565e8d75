import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { answersOf, own, type SavedAnswers, savedModels } from '../../attacks/savedModels.mjs';
import { loadFit } from '../../src/index.ts';

const folder = new URL('../saved/', import.meta.url);
const saved = (form: string, name: string): SavedAnswers =>
  JSON.parse(readFileSync(new URL(`${form}/${name}.json`, folder), 'utf8'));

/** Models that are newer than a form that fits were saved as, or whose options had other defaults then; models of one's own were said by parts and terms, which are no longer read. */
const NEWER: Readonly<Record<string, readonly string[]>> = {
  version1: [
    'alle',
    'drill',
    'meu',
    'meuGraph',
    'meuMissing',
    'ppca',
    'ownModel',
    'tsne',
    'umap',
    'lda',
    'kernelLda',
    'lpp',
    'lppOfKernel',
    'slpp',
    'slppOfKernel',
    'sammon',
  ],
  version2: ['meuMissing', 'ownModel', 'lda', 'kernelLda', 'lpp', 'lppOfKernel', 'slpp', 'slppOfKernel', 'sammon'],
};
const namesOf = (form: string) => Object.keys(savedModels).filter((name) => !NEWER[form]?.includes(name));

const forms = readdirSync(folder).sort();

describe.each(forms)('fits that were saved as %s', (form) => {
  const isNewest = form === forms.at(-1);
  it('are of every kind of model', () => {
    expect(readdirSync(new URL(form, folder)).sort()).toEqual(
      namesOf(form)
        .map((name) => `${name}.json`)
        .sort(),
    );
  });

  for (const name of namesOf(form))
    it(`are loaded, and answer what they answered: ${name}`, { tags: isNewest ? [] : 'long' }, async () => {
      const { fit: json, answers } = saved(form, name);
      const loaded = loadFit(json, own, { engine: 'wasm' });
      const found = await answersOf(loaded);
      // Versions may sum in another order, and a search of a few steps enlarges the difference.
      expectNear(found, answers, name);
      const again = JSON.parse(JSON.stringify(loaded));
      expect(await answersOf(loadFit(again, own, { engine: 'wasm' }))).toEqual(found);
    });
});

it('a saved fit without checksums whose observations were changed is refused, as its log density is another', () => {
  const json = saved('version1', 'bayesianGplvm').fit as unknown as { model: { observations: number[][] } };
  json.model.observations[0]![0]! += 1;
  expect(() => loadFit(json)).toThrow(/objective: it is .*, but the model has .* at these values/);
});

/** The same members and texts, and numbers to 1e-6; to 1e-5 where a projection ends before it has converged. */
function expectNear(found: unknown, expected: unknown, place: string): void {
  if (typeof expected === 'number') {
    const distance = Math.abs((found as number) - expected);
    expect(distance, `${place}: ${found}, not ${expected}`).toBeLessThanOrEqual(
      (place.includes('.project.') ? 1e-5 : 1e-6) * Math.max(1, Math.abs(expected)),
    );
  } else if (typeof expected === 'object' && expected !== null) {
    expect(Object.keys(found as object), place).toEqual(Object.keys(expected));
    for (const [key, entry] of Object.entries(expected)) {
      expectNear((found as Record<string, unknown>)[key], entry, `${place}.${key}`);
    }
  } else expect(found, place).toBe(expected);
}
