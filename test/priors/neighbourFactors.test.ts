import { checkPrior } from 'latentfield/testing';
import { describe, expect, it } from 'vitest';
import { fit, gplvm, loadFit, Matrix, seededRandom, tsneNeighbours, umapNeighbours } from '../../src/index.ts';
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

describe('factors of neighbours', () => {
  it.each([
    ['tsneNeighbours', tsneNeighbours({ strength: 3, perplexity: 4 })],
    ['tsneNeighbours of some neighbours', tsneNeighbours({ perplexity: 3, neighbours: 9 })],
    ['umapNeighbours', umapNeighbours({ strength: 2, neighbours: 4 })],
    ['umapNeighbours of negative samples', umapNeighbours({ neighbours: 3, negatives: 5, minDist: 0.3, spread: 2 })],
  ])('%s conforms, and its gradients are those of differences', (_, prior) => {
    checkPrior(prior, { latents: X, observations: Y });
    expectGradients(prior, prior.name === 'umap' ? apart : X, Y);
  });

  it('probabilities of three neighbours per unit of perplexity are near those of all', () => {
    const [latents, observations] = [points(400, 2), points(400, 5)];
    const all = density(tsneNeighbours({ perplexity: 10 }), latents, observations).value;
    const some = density(tsneNeighbours({ perplexity: 10, neighbours: 30 }), latents, observations).value;
    expect(some).not.toBe(all);
    expect(Math.abs(some / all - 1)).toBeLessThan(0.1);
  });

  it('join with the GPLVM, save and load', async () => {
    for (const prior of [tsneNeighbours({ strength: 20, perplexity: 4 }), umapNeighbours({ neighbours: 4 })]) {
      const before = await fit(gplvm(Y, { latentDim: 2, priors: [prior] }), { maxIterations: 15, seed: 1 });
      expect(Object.keys(before.terms)).toEqual(['mapping', prior.name]);
      expect(before.terms[prior.name]).toBe(density(prior, before.latents, Y).value);
      const again = await loadFit(JSON.parse(JSON.stringify(before.toJSON())));
      expect(again.objective).toBe(before.objective);
    }
  });

  it('refuse what they cannot do', () => {
    expect(() => density(tsneNeighbours({ perplexity: 9, neighbours: 8 }), X, Y)).toThrow(/more than 8 neighbours/);
    expect(() => density(umapNeighbours({ neighbours: 14 }), X, Y)).toThrow(/there are 13 other points/);
    expect(() => umapNeighbours({ minDist: 4 })).toThrow(/below three times the spread, 3, but 4/);
    expect(() => umapNeighbours({ negatives: 0 })).toThrow(/above 0, or 'all'/);
    expect(() => tsneNeighbours({ neighbours: 1 })).toThrow(/from 2, or 'all'/);
  });
});
