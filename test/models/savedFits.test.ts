import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { answersOf, own, type SavedAnswers, savedModels } from '../../attacks/savedModels.mjs';
import { checksum } from '../../src/core/saved.ts';
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
