import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { answersOf, own, type SavedAnswers, savedModels } from '../../attacks/savedModels.mjs';
import { loadFit } from '../../src/index.ts';

const folder = new URL('../saved/', import.meta.url);
const saved = (form: string, name: string): SavedAnswers =>
  JSON.parse(readFileSync(new URL(`${form}/${name}.json`, folder), 'utf8'));

describe.each(readdirSync(folder))('fits that were saved as %s', (form) => {
  it('are of every kind of model', () => {
    expect(readdirSync(new URL(form, folder)).sort()).toEqual(
      Object.keys(savedModels)
        .map((name) => `${name}.json`)
        .sort(),
    );
  });

  it.each(Object.keys(savedModels))('are loaded, and answer what they answered: %s', async (name) => {
    const { fit: json, answers } = saved(form, name);
    const loaded = loadFit(json, own, { engine: 'wasm' });
    expect(await answersOf(loaded)).toEqual(answers);
    const again = JSON.parse(JSON.stringify(loaded));
    expect(await answersOf(loadFit(again, own, { engine: 'wasm' }))).toEqual(answers);
  });
});
