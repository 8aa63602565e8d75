import { checkPrior } from 'latentfield/testing';
import { describe, expect, it } from 'vitest';
import { fit, gplvm, loadFit, Matrix, seededRandom, tsneNeighbors, umapNeighbors } from '../../src/index.ts';
import { density, expectGradients } from './priorDensity.ts';

const random = seededRandom(4);
const points = (N: number, columns: number) =>
  new Matrix(
    Float64Array.from({ length: N * columns }, () => random.normal()),
    N,
    columns,
  );
const [X, Y] = [points(14, 2), points(14, 5)];
/** The likelihood of edges bends within hundredths of a point, where differences of the same steps say little. */
const apart = Matrix.from(X.toArrays().map(([x, y], i) => [1.5 * (i % 4) + 0.1 * x!, Math.floor(i / 4) + 0.1 * y!]));

describe('factors of neighbors', () => {
  it.each([
    ['tsneNeighbors', tsneNeighbors({ strength: 3, perplexity: 4 })],
    ['tsneNeighbors of some neighbors', tsneNeighbors({ perplexity: 3, neighbors: 9 })],
    ['umapNeighbors', umapNeighbors({ strength: 2, neighbors: 4 })],
    ['umapNeighbors of negative samples', umapNeighbors({ neighbors: 3, negatives: 5, minDist: 0.3, spread: 2 })],
  ])('%s conforms, and its gradients agree with differences', (_, prior) => {
    checkPrior(prior, { latents: X, observations: Y });
    expectGradients(prior, prior.name === 'umap' ? apart : X, Y);
  });

  it('probabilities of three neighbors per unit of perplexity are near the probabilities of all', () => {
    const [latents, observations] = [points(400, 2), points(400, 5)];
    const all = density(tsneNeighbors({ perplexity: 10 }), latents, observations).value;
    const some = density(tsneNeighbors({ perplexity: 10, neighbors: 30 }), latents, observations).value;
    expect(some).not.toBe(all);
    expect(Math.abs(some / all - 1)).toBeLessThan(0.1);
  });

  it('join with the GPLVM, save and load', async () => {
    for (const prior of [tsneNeighbors({ strength: 20, perplexity: 4 }), umapNeighbors({ neighbors: 4 })]) {
      const before = await fit(gplvm(Y, { latentDim: 2, priors: [prior] }), { maxIterations: 15, seed: 1 });
      expect(Object.keys(before.terms)).toEqual(['mapping', prior.name]);
      expect(before.terms[prior.name]).toBe(density(prior, before.latents, Y).value);
      const again = await loadFit(JSON.parse(JSON.stringify(before.toJSON())));
      expect(again.objective).toBe(before.objective);
    }
  });

  it('refuse what they cannot do', () => {
    expect(() => density(tsneNeighbors({ perplexity: 9, neighbors: 8 }), X, Y)).toThrow(/more than 8 neighbors/);
    expect(() => density(umapNeighbors({ neighbors: 14 }), X, Y)).toThrow(/there are 13 other points/);
    expect(() => umapNeighbors({ minDist: 4 })).toThrow(/below three times the spread, 3, but 4/);
    expect(() => umapNeighbors({ negatives: 0 })).toThrow(/above 0, or 'all'/);
    expect(() => tsneNeighbors({ neighbors: 1 })).toThrow(/from 2, or 'all'/);
  });
});
