import { alle, drill, evaluate, fit, loadFit, Matrix, meu, mpme, rbf, seededRandom } from 'latentfield';
import { describe, expect, it } from 'vitest';
import { completed, watched } from '../../../src/core/progressiveWork.ts';
import { connectedComponents } from '../../../src/engine/graph/connectedComponents.ts';
import { laterNeighbors } from '../../../src/models/field/alle.ts';
import { expectClose } from '../../tolerance.ts';
import { swissRoll } from '../spectral/columns.ts';

const Y = swissRoll(14);

describe('results of maximum-entropy models', () => {
  it('keeps the best point of a fit that is stopped on a sparse graph, with its violation', async () => {
    const model = meu(swissRoll(500), { neighbors: 5 });
    const controller = new AbortController();
    const onProgress = ({ iteration }: { iteration: number }) => {
      if (iteration === 8) controller.abort();
    };
    const stopped = await fit(model, { signal: controller.signal, onProgress });
    const whole = await fit(model);
    expect(stopped.status).toBe('stopped');
    expect(whole.status).toBe('converged');
    expect(whole.diagnostics.kktResidual).toBeLessThan(1e-11);
    expect(stopped.objective).toBeLessThan(whole.objective);
    const weights = (whole.parameters['field.weights'] as number[]).map(() => 0);
    expect(stopped.objective).toBeGreaterThan(evaluate(model, { 'field.weights': weights }).objective + 1000);
    expect(stopped.diagnostics.kktResidual).toBeGreaterThan(1e-11);
  });

  it('an empty graph is a result whose message names the precision that would connect it', async () => {
    const result = await fit(mpme(Y, { basePrecision: 1000 }));
    expect(result.graph!.sources.length).toBe(0);
    expect(result.status).toBe('degenerate');
    expect(result.message).toMatch(/empty.*base precision of [\d.]+ connects all points/);
    expectClose(result.objective, Y.length * Math.log(1000), 1e-13);
  });

  it('alle returns the graph of the entries of its precision, which is connected, and reports it', async () => {
    const points = swissRoll(40);
    const result = await fit(alle(points, { neighbors: 3, order: points.map((_, i) => (i * 17) % 40) }));
    const { size, sources, targets, weights } = result.graph!;
    const Q = result.precision!();
    const wanted: [number, number, number][] = [];
    for (let i = 0; i < 40; i++) {
      for (let j = i + 1; j < 40; j++) if (Q.at(i, j) !== 0) wanted.push([i, j, Math.abs(Q.at(i, j))]);
    }
    expect(size).toBe(40);
    expect(Array.from(sources, (i, e) => [i, targets[e], weights[e]])).toEqual(wanted);
    expect(wanted.length).toBeGreaterThan(3 * 37);
    expect(connectedComponents(result.graph!).sizes.length).toBe(1);
    expect(result.message).toContain(`The learned graph has ${wanted.length} edges and is connected`);
  });

  it('alle finds the neighbors among later points that sorting all of them finds, ties by index', () => {
    const { uniform } = seededRandom(3);
    // A lattice with duplicates, so that most distances come often.
    const points = Array.from({ length: 150 }, () => [Math.floor(5 * uniform()), Math.floor(5 * uniform())]);
    const order = points.map((_, i) => (i * 77 + 5) % 150);
    const lists = completed(laterNeighbors(Matrix.from(points), 6, order));
    order.forEach((i, place) => {
      const square = (j: number) => points[i]!.reduce((sum, entry, d) => sum + (entry - points[j]![d]!) ** 2, 0);
      const sorted = order.slice(place + 1).sort((a, b) => square(a) - square(b) || a - b);
      expect(Array.from(lists[i]!)).toEqual(sorted.slice(0, 6));
    });
  });

  it('alle reports the progress of its search for neighbors as the share of all sizes of halves', () => {
    const parts: number[] = [];
    const order = Array.from({ length: 8 }, (_, i) => (i * 3) % 8);
    watched(
      (part) => parts.push(24 * part),
      () => completed(laterNeighbors(Matrix.from(swissRoll(8)), 2, order)),
    );
    // Two pairs and what joins them, of either half, and then both halves.
    expect(parts).toEqual([2, 4, 8, 10, 12, 16, 24]);
  });

  it('drill reports how components affect the embedding', async () => {
    const points = [...swissRoll(12), ...swissRoll(8).map((row) => row.map((x) => -x)), [0.1, 0.05, -0.1]];
    const result = await fit(drill(points, { neighbors: 3, penalty: 20 }));
    const { labels, sizes } = connectedComponents(result.graph!);
    expect(sizes.length).toBeGreaterThan(1);
    expect(result.status).toBe('degenerate');
    expect(result.message).toMatch(
      new RegExp(
        `${sizes.length} components, the largest of ${Math.max(...sizes)} points. Each column of the embedding shows one of them, ` +
          'not where they lie to each other. A penalty of [\\d.]+ connects them',
      ),
    );
    expect(result.diagnostics.kktResidual).toBeLessThan(1e-9);
    // The remedy that is named connects them, and is not far from what does not.
    const rule = Number(result.message.match(/A penalty of ([\d.e-]+) connects/)![1]);
    const apart = await fit(drill(points, { neighbors: 3, penalty: 2.001 * rule }));
    expect(connectedComponents(apart.graph!).sizes.length).toBeGreaterThan(1);
    const joined = await fit(drill(points, { neighbors: 3, penalty: rule }));
    expect(connectedComponents(joined.graph!).sizes.length).toBe(1);
    expect(joined.status).toBe('converged');
    const U = result.covariance!();
    for (let i = 0; i < 21; i++) {
      // LAPACK leaves zeros of either sign.
      for (let j = 0; j < 21; j++) if (labels[i] !== labels[j]) expect(Math.abs(U.at(i, j))).toBe(0);
    }
  });

  it.each([
    ['mpme', () => mpme(Y, { distances: rbf({ lengthscale: 4 }), basePrecision: 0.5 })],
    ['meu', () => meu(Y, { neighbors: 4 })],
    ['alle', () => alle(Y, { neighbors: 3 })],
    ['drill', () => drill(Y, { neighbors: 4 })],
  ])('%s survives JSON and repeats bit for bit', async (_, make) => {
    const result = await fit(make());
    const repeated = await fit(make());
    expect(repeated.latents.data).toEqual(result.latents.data);
    expect(repeated.objective).toBe(result.objective);
    const again = loadFit(JSON.parse(JSON.stringify(result)));
    expect(again.latents.data).toEqual(result.latents.data);
    expect(again.eigenvalues).toEqual(result.eigenvalues);
    expect(result.graph!.sources.length).toBeGreaterThanOrEqual(Y.length - 1);
    expect(again.graph).toEqual(result.graph);
    expect(again.covariance!().data).toEqual(result.covariance!().data);
    expect(again.message).toBe(result.message);
    expect(again.diagnostics.kktResidual).toBe(result.diagnostics.kktResidual);
  });
});
