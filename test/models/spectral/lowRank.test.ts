import { classicalMds, fit, pca } from 'latentfield';
import type { EngineName } from 'latentfield/numerics';
import { expect, it } from 'vitest';
import { swissRoll } from '../../../src/app/data/index.ts';
import { expectClose } from '../../tolerance.ts';

it.each<[number, EngineName]>([
  [100, 'typescript'],
  [200, 'wasm'],
  [600, 'wasm'],
])(
  '%i points in three dimensions have the classical scaling that is their principal components: %s',
  async (points, engine) => {
    const { observations } = swissRoll({ points, seed: 1 });
    const scaled = await fit(classicalMds(observations, { latentDim: 3 }), { engine });
    expect(scaled.diagnostics.engine).toBe(engine);
    expectClose(scaled.latents, (await fit(pca(observations, { latentDim: 3 }))).latents, 1e-10);
  },
);
