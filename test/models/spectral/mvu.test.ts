import * as tf from '@tensorflow/tfjs';
import { type Fit, fit, InvalidInputError, loadFit, mvu } from 'latentfield';
import type { MvuOptions } from 'latentfield/models';
import { describe, expect, it } from 'vitest';
import { expectClose } from '../../tolerance.ts';
import { swissRoll } from './columns.ts';
import { jacobi } from './jacobi.ts';

/** Points on an arc whose neighbors are 0.1 radians apart, and the length of the chords between them. */
const arc = Array.from({ length: 20 }, (_, i) => [Math.cos(i / 10), Math.sin(i / 10)]);
const chord = 2 * Math.sin(1 / 20);
const grid = Array.from({ length: 30 }, (_, i) => [i % 6, 1.1 * Math.floor(i / 6)]);
const roll = swissRoll(60);
const apart = [...roll.slice(0, 12), ...roll.slice(0, 10).map(([x, y, z]) => [x! + 1000, y!, z!])];

const distance = (a: ArrayLike<number>, b: ArrayLike<number>) =>
  Math.sqrt(Array.from(a).reduce((sum, entry, c) => sum + (entry - b[c]!) ** 2, 0));

const distances = (points: readonly (readonly number[])[]) => points.map((a) => points.map((b) => distance(a, b)));

/** Latents in all dimensions that K has. */
const whole = (Y: number[][], options: MvuOptions) => fit(mvu(Y, { latentDim: 6, ...options }));

describe('mvu has the closed form', () => {
  it.each(['inequality', 'equality'] as const)('of a chain: a straight line (%s)', async (constraints) => {
    const { latents, eigenvalues, objective, status } = await fit(mvu(arc, { radius: 0.101, constraints }));
    expect(status).toBe('converged');
    const sign = latents.at(19, 0) > 0 ? 1 : -1;
    expectClose(
      latents.column(0),
      arc.map((_, i) => sign * chord * (i - 9.5)),
      1e-6,
    );
    expectClose(objective, chord ** 2 * arc.reduce((sum, _, i) => sum + (i - 9.5) ** 2, 0), 1e-7);
    expect(eigenvalues![1]!).toBeLessThan(1e-12 * eigenvalues![0]!);
  });

  it('of a chain with slack: edges that stretch by the force in them', async () => {
    const slackPenalty = 500;
    const { latents, parameters, terms, objective } = await fit(
      mvu(arc, { radius: 0.101, constraints: 'slack', slackPenalty }),
    );
    const stretched = arc.slice(1).map((_, i) => Math.abs(latents.at(i + 1, 0) - latents.at(i, 0)));
    // The force that the points on one side of an edge exert, over its length, is its multiplier.
    const positions = [0];
    for (const length of stretched) positions.push(positions.at(-1)! + length);
    const middle = positions.reduce((sum, x) => sum + x, 0) / positions.length;
    let force = 0;
    const multipliers = stretched.map((length, i) => {
      force += middle - positions[i]!;
      return force / length;
    });
    expectClose(parameters.multipliers as number[], multipliers, 1e-6);
    expectClose(
      stretched.map((length) => (length * length) / chord ** 2 - 1),
      multipliers.map((w) => w / (2 * slackPenalty)),
      1e-6,
    );
    const penalty = stretched.reduce((sum, length) => sum + (length ** 2 - chord ** 2) ** 2, 0);
    expectClose(terms.slack!, (-slackPenalty / chord ** 2) * penalty, 1e-6);
    expectClose(objective, terms.trace! + terms.slack!, 1e-14);
  });

  it('of a complete graph of equal lengths: a regular simplex, with equal multipliers 1/N', async () => {
    const ones = Array.from({ length: 5 }, (_, i) => Array.from({ length: 5 }, (_, j) => (i === j ? 0 : 2)));
    const { eigenvalues, parameters, latents } = await fit(
      mvu(ones, { input: 'distances', neighbors: 4, latentDim: 4 }),
    );
    expectClose(eigenvalues!, [2, 2, 2, 2], 1e-6);
    expectClose(parameters.multipliers as number[], new Array<number>(10).fill(1 / 5), 1e-6);
    for (let i = 1; i < 5; i++) expectClose(distance(latents.row(i), latents.row(0)), 2, 1e-6);
  });

  it.each(['inequality', 'equality'] as const)('of a flat grid with diagonals: the grid (%s)', async (constraints) => {
    const { latents, eigenvalues } = await fit(mvu(grid, { radius: 1.5, constraints }));
    expectClose(eigenvalues!, [5 * 17.5, 6 * 1.1 ** 2 * 10], 1e-6);
    for (const i of [0, 7, 29]) {
      for (let j = 0; j < 30; j++) {
        expect(Math.abs(distance(latents.row(i), latents.row(j)) - distance(grid[i]!, grid[j]!))).toBeLessThan(1e-5);
      }
    }
  });
});

describe.each(['inequality', 'equality', 'slack'] as const)('mvu with %s', (constraints) => {
  const slackPenalty = 40;
  const options: MvuOptions = {
    neighbors: 4,
    constraints,
    ...(constraints === 'slack' && { slackPenalty }),
  };

  it('satisfies the optimality conditions of the semidefinite program, which proves its optimum', async () => {
    const points = swissRoll(30);
    const result: Fit = await whole(points, options);
    expect(result.status).toBe('converged');
    expect(result.diagnostics.kktResidual).toBeLessThan(1e-6);
    const { latents } = result;
    const near = points.map((a, i) =>
      points
        .map((b, j) => ({ j, d: distance(a, b) }))
        .filter(({ j }) => j !== i)
        .sort((x, y) => x.d - y.d)
        .slice(0, 4)
        .map(({ j }) => j),
    );
    const edges: [number, number][] = [];
    for (let i = 0; i < 30; i++) {
      for (let j = i + 1; j < 30; j++) if (near[i]!.includes(j) || near[j]!.includes(i)) edges.push([i, j]);
    }
    const multipliers = result.parameters.multipliers as number[];
    expect(multipliers.length).toBe(edges.length);
    const lengths = edges.map(([i, j]) => distance(points[i]!, points[j]!) ** 2);
    const mean = lengths.reduce((sum, length) => sum + length, 0) / lengths.length;
    const most = multipliers.reduce((largest, w) => Math.max(largest, Math.abs(w)), 0);
    const L = points.map(() => new Array<number>(30).fill(0));
    let bound = 0;
    edges.forEach(([i, j], e) => {
      const w = multipliers[e]!;
      const excess = (distance(latents.row(i), latents.row(j)) ** 2 - lengths[e]!) / mean;
      if (constraints === 'inequality') {
        expect(excess).toBeLessThan(1e-6);
        expect(w).toBeGreaterThanOrEqual(0);
        expect((w / most) * Math.abs(excess)).toBeLessThan(1e-6);
      } else {
        expect(Math.abs(excess - (constraints === 'slack' ? w / (2 * slackPenalty) : 0))).toBeLessThan(1e-6);
      }
      bound += w * lengths[e]! + (constraints === 'slack' ? (mean * w * w) / (4 * slackPenalty) : 0);
      L[i]![i]! += w;
      L[j]![j]! += w;
      L[i]![j]! -= w;
      L[j]![i]! -= w;
    });
    const largest = latents.data.reduce((most, entry) => Math.max(most, Math.abs(entry)), 0);
    for (let c = 0; c < 6; c++) {
      const column = latents.column(c);
      expect(Math.abs(column.reduce((sum, entry) => sum + entry, 0))).toBeLessThan(1e-9 * largest);
      L.forEach((row, i) => {
        const force = row.reduce((sum, entry, j) => sum + entry * column[j]!, 0);
        expect(Math.abs(force - column[i]!)).toBeLessThan(1e-6 * largest);
      });
    }
    // Weak duality: L(w) ⪰ I on centered vectors makes Σ w·d² (and the slack's part) a bound on every unfolding.
    const { values: spectrum } = jacobi(L.map((row) => row.map((entry) => entry + 5 / 30)));
    expect(spectrum[0]!).toBeGreaterThan(1 - 1e-6);
    expect(Math.abs(bound - result.objective)).toBeLessThan(1e-6 * bound);
  });

  it('scales with its data, bit for bit by a power of two', async () => {
    const points = swissRoll(24);
    const result = await fit(mvu(points, options));
    const scaled = await fit(
      mvu(
        points.map((row) => row.map((entry) => 4 * entry)),
        options,
      ),
    );
    expect(scaled.latents.data).toEqual(result.latents.data.map((entry) => 4 * entry));
    expect(scaled.parameters.multipliers).toEqual(result.parameters.multipliers);
    expect(scaled.objective).toBe(16 * result.objective);
    expect((await fit(mvu(points, options))).latents.data).toEqual(result.latents.data);
  });
});

describe('mvu', () => {
  it('raises the rank until the multipliers prove the optimum', async () => {
    const simplex = Array.from({ length: 5 }, (_, i) => Array.from({ length: 5 }, (_, j) => (i === j ? 0 : 1)));
    const options = { input: 'distances', neighbors: 4, latentDim: 1 } as const;
    const low = await fit(mvu(simplex, { ...options, rank: 1 }));
    expect(low.message).toMatch(/The unfolding has 4 dimensions/);
    expectClose(low.objective, 2, 1e-6);
  });

  it('keeps the angles between edges too, where points with a common neighbor are joined', async () => {
    const { latents, objective, graph, parameters } = await fit(mvu(arc, { radius: 0.101, commonNeighbors: true }));
    // Triangles hinged at their sides unfold to a zigzag, whose second neighbors are on two straight lines.
    const second = 2 * Math.sin(1 / 10);
    const across = Math.sqrt(chord ** 2 - (second / 2) ** 2);
    const along = (second / 2) ** 2 * arc.reduce((sum, _, i) => sum + (i - 9.5) ** 2, 0);
    expectClose(objective, along + 20 * (across / 2) ** 2, 1e-6);
    expectClose(distance(latents.row(0), latents.row(18)), 9 * second, 1e-6);
    expect((parameters.multipliers as number[]).length).toBe(19 + 18);
    expect(graph!.sources.length).toBe((parameters.multipliers as number[]).filter((w) => w > 0).length);
  });

  it('takes distances as it takes points', async () => {
    const points = swissRoll(24);
    const byDistances = await fit(mvu(distances(points), { input: 'distances', neighbors: 4 }));
    const byPoints = await fit(mvu(points, { neighbors: 4 }));
    expectClose(byDistances.objective, byPoints.objective, 1e-6);
  });

  it('shows the largest component on request', async () => {
    const result = await fit(mvu(apart, { neighbors: 3, disconnected: 'largest' }));
    expect(result.parameters.points).toEqual(Array.from({ length: 12 }, (_, i) => i));
    const alone = await fit(mvu(apart.slice(0, 12), { neighbors: 3 }));
    expect(result.latents.data).toEqual(alone.latents.data);
    expect(result.message).toMatch(/2 components, the largest of 12 of 22 points, which alone are shown/);
  });

  it('survives JSON, its learned graph too', async () => {
    const before = tf.memory().numTensors;
    const result = await fit(mvu(swissRoll(24), { neighbors: 4, constraints: 'slack', slackPenalty: 40 }));
    expect(tf.memory().numTensors).toBe(before);
    const again = loadFit(JSON.parse(JSON.stringify(result)));
    expect(again.latents.data).toEqual(result.latents.data);
    expect(again.eigenvalues).toEqual(result.eigenvalues);
    expect(again.graph).toEqual(result.graph);
    expect(again.objective).toBe(result.objective);
    expect(again.message).toBe(result.message);
  });

  it('stops on request, and reports how far it got', async () => {
    const controller = new AbortController();
    controller.abort();
    const result = await fit(mvu(roll, { neighbors: 6 }), { signal: controller.signal });
    expect(result.status).toBe('stopped');
    expect(result.message).toMatch(/^Stopped by the abort signal.*is not solved/);
    expect(result.latents.data.every(Number.isFinite)).toBe(true);
  });

  it.each<[string, () => unknown, RegExp]>([
    ['k ≥ N', () => mvu(roll, { neighbors: 60 }), /from 1 to 59/],
    ['NaN', () => mvu([[0], [Number.NaN], [1]]), /entry \[1\]\[0\] is NaN/],
    ['a penalty of 0', () => mvu(roll, { constraints: 'slack', slackPenalty: 0 }), /number above 0/],
    ['a negative penalty', () => mvu(roll, { constraints: 'slack', slackPenalty: -1 }), /number above 0/],
    ['a penalty without slack', () => mvu(roll, { slackPenalty: 1 }), /with constraints 'slack' only/],
    ['a rank below latentDim', () => mvu(roll, { latentDim: 3, rank: 2 }), /rank from latentDim = 3/],
    ['other constraints', () => mvu(roll, { constraints: 'none' as never }), /'equality', 'inequality' or 'slack'/],
    ['neighbors and a radius', () => mvu(roll, { neighbors: 3, radius: 1 }), /either neighbors or radius/],
  ])('refuses %s', (_, make, message) => {
    expect(make).toThrow(InvalidInputError);
    expect(make).toThrow(message);
  });

  it.each<[string, () => Promise<unknown>, RegExp]>([
    [
      'a graph that is not connected',
      () => fit(mvu(apart, { neighbors: 3, disconnected: 'error' })),
      /2 components, the largest of 12 of 22/,
    ],
    ['as many dimensions as points', () => fit(mvu([[0], [1], [2]], { neighbors: 1, latentDim: 3 })), /at most 2/],
  ])('refuses %s', async (_, run, message) => {
    await expect(run()).rejects.toThrow(InvalidInputError);
    await expect(run()).rejects.toThrow(message);
  });
});
