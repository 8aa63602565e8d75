import { expect, it } from 'vitest';
import { swissRoll } from '../../../src/app/data/index.ts';
import { approximateKnnGraph } from '../../../src/engine/index.ts';
import { fit, isomap, knnGraph, laplacianEigenmaps, loadFit } from '../../../src/index.ts';

const { observations } = swissRoll({ points: 300, seed: 1 });

it('reports the share of correct neighbors of an approximate search, and saves the choice', async () => {
  const exact = await fit(isomap(observations, { neighbors: 8, latentDim: 2 }));
  expect(exact.message).not.toContain('approximate');
  const found = await fit(isomap(observations, { neighbors: 8, latentDim: 2, neighborSearch: 'descent' }));
  expect(found.message).toContain('The neighbors are approximate: about 100.0 % of the nearest are included');
  expect(found.latents.toArrays()).toEqual(exact.latents.toArrays());
  const saved = JSON.parse(JSON.stringify(found.toJSON()));
  expect(saved.model.options.neighborSearch).toBe('descent');
  expect((await loadFit(saved)).latents.toArrays()).toEqual(exact.latents.toArrays());
  expect(() => laplacianEigenmaps(observations, { neighborSearch: 'fast' as 'exact' })).toThrow(
    "'exact', 'descent' or 'auto'",
  );
});

it('passes the share of correct neighbors on to a graph', () => {
  const exact = knnGraph(observations, 5);
  const { recall, ...graph } = approximateKnnGraph(observations, 5, { seed: 3 });
  expect(recall).toBe(1);
  expect(graph).toEqual(exact);
  expect(() => approximateKnnGraph(observations, 5, { seed: 0.5 })).toThrow('a whole number');
});
