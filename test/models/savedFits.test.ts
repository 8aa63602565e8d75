import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { answersOf, own, type SavedAnswers, savedModels } from '../../attacks/savedModels.mjs';
import { checksum, checksums } from '../../src/core/saved.ts';
import { loadFit } from '../../src/index.ts';

const folder = new URL('../saved/version2/', import.meta.url);
const saved = (name: string): SavedAnswers => JSON.parse(readFileSync(new URL(`${name}.json`, folder), 'utf8'));

describe('fits that were saved', () => {
  it('are of every kind of model', () => {
    const files = Object.keys(savedModels).map((name) => `${name}.json`);
    expect(readdirSync(folder).sort()).toEqual(files.sort());
  });

  it.each(Object.keys(savedModels))('are loaded, and answer what they answered: %s', async (name) => {
    const { fit: json, answers } = saved(name);
    const loaded = loadFit(json, own, { engine: 'wasm' });
    const found = await answersOf(loaded);
    // Versions may sum in another order, and a search of a few steps enlarges the difference.
    expectNear(found, answers, name);
    const again = JSON.parse(JSON.stringify(loaded));
    expect(await answersOf(loadFit(again, own, { engine: 'wasm' }))).toEqual(found);
  });
});

it('a saved fit whose observations were changed with their checksum is refused, as its log density is another', () => {
  const json = saved('bayesianGplvm').fit as unknown as {
    model: { observations: number[][] };
    checksums: Record<string, string>;
  };
  json.model.observations[0]![0]! += 1;
  json.checksums['model.observations'] = checksum(json.model.observations);
  expect(() => loadFit(json)).toThrow(/objective: it is .*, but the model has .* at these values/);
});

/** Numbers of a solution that its answers do not use, and multipliers, whose count follows from a search of neighbors. */
const UNCHECKED = ['lda.shrinkage', 'mvu.multipliers'];
const spectral = [
  ...['classicalMds', 'isomap', 'isomapGraph', 'kernelLda', 'kernelPca', 'laplacianEigenmaps', 'lda', 'lle', 'lpp'],
  ...['lppOfKernel', 'mvu', 'pca', 'ppca', 'slpp', 'slppOfKernel'],
];
it.each(spectral)(
  'a saved solution without one of its parts, or with a shorter one, is refused by the name of the part: %s',
  (name) => {
    const { values } = saved(name).fit as unknown as { values: Record<string, unknown> };
    for (const path of Object.keys(values).filter((part) => !UNCHECKED.includes(`${name}.${part}`))) {
      for (const damage of [() => undefined, (part: unknown) => (Array.isArray(part) ? part.slice(1) : undefined)]) {
        const { checksums: _, ...json } = saved(name).fit as unknown as { values: object; checksums: unknown };
        const changed = JSON.parse(JSON.stringify({ ...json, values: { ...values, [path]: damage(values[path]) } }));
        changed.checksums = checksums(changed, ['model', 'values']);
        expect(() => loadFit(changed, own, { engine: 'wasm' }), path).toThrow(`values.${path}`);
      }
    }
  },
);

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
