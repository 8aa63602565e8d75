import { type Fit, fit, gplvm, InvalidInputError, loadFit, meu, mpme, rbf } from 'latentfield';
import { describe, expect, it } from 'vitest';
import { joiningWeights } from '../../../src/fields/placement/joiningWeights.ts';
import { latentsOf } from '../../../src/fields/placement/placement.ts';
import { expectClose } from '../../tolerance.ts';
import { swissRoll } from '../spectral/columns.ts';
import { inverseOf, logDeterminantOf } from './dense.ts';

const circle = (size: number, turn = 0) =>
  Array.from({ length: size }, (_, i) => {
    const angle = (2 * Math.PI * (i + turn)) / size;
    return [Math.cos(angle), Math.sin(angle)];
  });

const squared = (a: readonly number[], b: readonly number[]) => a.reduce((sum, x, d) => sum + (x - b[d]!) ** 2, 0);

/** Neighbors of point i in the learned graph with their weights. */
function edgesAt({ graph }: Fit, i: number) {
  const { sources, targets, weights } = graph!;
  const own = Array.from(sources.keys()).filter((e) => sources[e] === i || targets[e] === i);
  return {
    neighbors: Int32Array.from(own, (e) => sources[e]! + targets[e]! - i),
    weights: Float64Array.from(own, (e) => weights[e]!),
  };
}

/** Q⁺ of a field with one more point, joined to the given points by the given weights. */
function precisionWith(Q: number[][], neighbors: readonly number[], weights: ArrayLike<number>, lambda: number) {
  const N = Q.length;
  const extended = [...Q.map((row) => [...row, 0]), new Array<number>(N + 1).fill(0)];
  extended[N]![N] = lambda;
  neighbors.forEach((j, a) => {
    const w = weights[a]!;
    extended[N]![N]! += w;
    extended[j]![j]! += w;
    extended[N]![j]! -= w;
    extended[j]![N]! -= w;
  });
  return extended;
}

describe('a point that is joined by its own learned weights lands on its latents', () => {
  it.each([
    ['meu, kernel PCA', meu(swissRoll(60), { neighbors: 6, latentDim: 3, basePrecision: 1e-4 }), 1e-4, 'kernelPca'],
    [
      'meu, eigenmap',
      meu(swissRoll(60), { neighbors: 6, latentDim: 3, basePrecision: 1e-4, embedding: 'eigenmap' }),
      1e-4,
      'eigenmap',
    ],
    ['mpme, kernel PCA', mpme(circle(40), { basePrecision: 10, slackPenalty: 0.1 }), 10, 'kernelPca'],
    ['mpme, eigenmap', mpme(circle(40), { basePrecision: 10, embedding: 'eigenmap' }), 10, 'eigenmap'],
  ] as const)('%s', async (_, model, basePrecision, embedding) => {
    const result = await fit(model);
    const eigenvalues = result.eigenvalues!;
    for (let i = 0; i < result.latents.rows; i++) {
      const edges = edgesAt(result, i);
      const place = latentsOf({ latents: result.latents, eigenvalues, embedding, basePrecision }, edges);
      const s = edges.weights.reduce((sum, weight) => sum + weight, 0);
      // The formula holds for all points that are joined by more than twice the eigenvalue, here all.
      if (embedding === 'kernelPca') expect(s).toBeGreaterThan(2 * (1 / eigenvalues.at(-1)! - basePrecision));
      expectClose(place, result.latents.row(i), 1e-8, `point ${i}`);
    }
  });
});

describe('the weights of a new point', () => {
  const Y = swissRoll(25);
  const lambda = 1e-3;
  const fresh = [2, 8, -7];
  const phi = Y.map((row) => squared(row, fresh));
  const nearest = phi.map((_, j) => j).sort((a, b) => phi[a]! - phi[b]!);

  it.each([
    ['free', Infinity, 3],
    ['with slack', 0.004, 3],
    ['of more neighbors', Infinity, 12],
  ])('%s maximize the objective with one more node', async (_, slackPenalty, k) => {
    const neighbors = nearest.slice(0, k);
    const result = await fit(meu(Y, { neighbors: 4, basePrecision: lambda }));
    const Q = result.precision!().toArrays();
    const N = Q.length;
    const U = inverseOf(Q);
    const own = neighbors.map((j) => phi[j]!);
    const found = joiningWeights({
      squaredDistances: Float64Array.from(own),
      covariances: Float64Array.from(neighbors.flatMap((i) => neighbors.map((j) => U[i]![j]! - 1 / (lambda * N)))),
      common: (1 + 1 / N) / lambda,
      copies: 3,
      upper: 4 * slackPenalty,
    });
    const objective = (w: ArrayLike<number>) =>
      1.5 * logDeterminantOf(precisionWith(Q, neighbors, w, lambda)) -
      0.5 * own.reduce((sum, distance, a) => sum + w[a]! * distance, 0);
    const base = 1.5 * (logDeterminantOf(Q) + Math.log(lambda));
    expectClose(found.gain, objective(found.weights) - base, 1e-10);
    expect(found.weights.some((w) => w > 0)).toBe(true);
    const V = inverseOf(precisionWith(Q, neighbors, found.weights, lambda));
    neighbors.forEach((j, a) => {
      const w = found.weights[a]!;
      const relative = (3 * (V[N]![N]! + V[j]![j]! - 2 * V[N]![j]!)) / own[a]! - 1;
      if (w === 0) expect(relative).toBeLessThanOrEqual(1e-8);
      else if (w === 4 * slackPenalty) expect(relative).toBeGreaterThanOrEqual(-1e-8);
      else expect(Math.abs(relative)).toBeLessThan(1e-8);
      // The same by differences of the dense objective.
      const h = 1e-4 * Math.max(w, 1e-3);
      const moved = (step: number) => objective(found.weights.map((x, b) => (a === b ? x + step : x)));
      const slope = (moved(2 * h) - moved(h)) / h;
      expect(moved(h)).toBeLessThanOrEqual(moved(0) + (w === 4 * slackPenalty ? Math.abs(slope) * 2 * h : 1e-9));
    });
    expect(found.weights.every((w) => w <= 4 * slackPenalty)).toBe(true);
  });

  it('keep their digits when λ is small, neighbors are close, and the new point closer', () => {
    // Two points joined by a weight of 1e10 in a field of λ = 1e-9, and a new one next to the first.
    const lambda = 1e-9;
    const between = 1e10;
    const half = 1 / (2 * between + lambda) / 2;
    const { weights } = joiningWeights({
      squaredDistances: Float64Array.of(1e-14, 1e-10),
      covariances: Float64Array.of(half, -half, -half, half),
      common: 1.5 / lambda,
      copies: 1,
      upper: Infinity,
    });
    // Edges in series and in parallel; λ is beyond the digits here.
    const resistance = (own: number, other: number) => 1 / (own + 1 / (1 / other + 1 / between));
    expectClose(resistance(weights[0]!, weights[1]!), 1e-14, 1e-9);
    expectClose(resistance(weights[1]!, weights[0]!), 1e-10, 1e-9);
  });
});

/** Least relative error of A·R·s + t against B over rotations, scalings and shifts; both n×2. */
function procrustesError(A: number[][], B: number[][]): number {
  const centered = (X: number[][]) => {
    const mean = [0, 1].map((c) => X.reduce((sum, row) => sum + row[c]!, 0) / X.length);
    return X.map((row) => row.map((entry, c) => entry - mean[c]!));
  };
  const [P, T] = [centered(A), centered(B)];
  const product = (c: number, d: number) => P.reduce((sum, row, i) => sum + row[c]! * T[i]![d]!, 0);
  const [a, b, c, d] = [product(0, 0), product(0, 1), product(1, 0), product(1, 1)];
  // Sum of the singular values of a 2×2 matrix.
  const nuclear = Math.sqrt(a * a + b * b + c * c + d * d + 2 * Math.abs(a * d - b * c));
  const norm = (X: number[][]) => X.flat().reduce((sum, entry) => sum + entry * entry, 0);
  return Math.sqrt(Math.max(0, 1 - nuclear ** 2 / (norm(P) * norm(T))));
}

/** Errors against the fit of all points: of a fit of some with the others placed, and of those that were fitted alone. */
async function leftOut(all: number[][], neighbors: number, out: (i: number) => boolean) {
  const kept = all.filter((_, i) => !out(i));
  const whole = (await fit(meu(all, { neighbors, basePrecision: 1e-4 }))).latents.toArrays();
  const part = await fit(meu(kept, { neighbors, basePrecision: 1e-4 }));
  const { latents } = await part.project(all.filter((_, i) => out(i)));
  const [fitted, placed] = [part.latents.toArrays(), latents.toArrays()];
  const together = all.map((_, i) => (out(i) ? placed.shift()! : fitted.shift()!));
  return {
    together: procrustesError(together, whole),
    fitted: procrustesError(
      part.latents.toArrays(),
      whole.filter((_, i) => !out(i)),
    ),
  };
}

describe('points left out and placed', () => {
  // The gaps change the field of the others, by a part that is inverse to their number (0.0523, 0.0220, 0.0107 here). Placing must add
  // nothing to it: what is placed lies between its neighbors, where the error is less than at the gap's ends.
  it.each([60, 120, 240])('an eighth of a circle of %s', async (size) => {
    const { together, fitted } = await leftOut(circle(size), 4, (i) => i % 8 === 3);
    expect(together).toBeLessThan(fitted);
    expect(together).toBeLessThan(3 / size);
  });

  it.each([150, 300])('a tenth of a Swiss roll of %s', async (size) => {
    const { together, fitted } = await leftOut(swissRoll(size), 6, (i) => i % 10 === 3);
    expect(together).toBeLessThan(fitted);
    expect(fitted).toBeLessThan(0.1);
  });
});

describe('project of a fit', () => {
  const Y = swissRoll(40);
  const fresh = [Y[7]!.map((entry) => entry + 0.3), Y[31]!.map((entry) => entry - 0.2)];

  it('takes a point that was fitted to its latents, and a far one to the middle', async () => {
    for (const model of [meu(Y, { neighbors: 5 }), mpme(Y, { basePrecision: 0.01 })]) {
      const result = await fit(model);
      const { latents, logDensity } = await result.project([Y[3]!, Y[0]!.map(() => 1e9)]);
      expectClose(latents.row(0), result.latents.row(3), 1e-15);
      expect(Array.from(latents.row(1))).toEqual([0, 0]);
      if (model.name === 'meu') expect(logDensity[0]).toBe(Infinity);
      else expect(logDensity).toEqual(Float64Array.of(Number.NaN, Number.NaN));
    }
  });

  it.each(['squared', 'plain', 'kernel'] as const)('of mpme (%s) leaves no pair that wants an edge', async (kind) => {
    const lambda = 0.05;
    const kernel = rbf({ lengthscale: 5 });
    const result = await fit(
      mpme(Y, { basePrecision: lambda, slackPenalty: 20, distances: kind === 'kernel' ? kernel : kind }),
    );
    const field = {
      squared: (d: number) => d,
      plain: Math.sqrt,
      kernel: (d: number) => 2 - 2 * Math.exp(-d / 50),
    };
    const phi = Y.map((row) => field[kind](squared(row, fresh[0]!)));
    const { latents } = await result.project(fresh);
    // The weights by coordinate ascent over all pairs with the new point, each step exact.
    const Q = result.precision!().toArrays();
    const N = Q.length;
    const U = inverseOf(precisionWith(Q, [], [], lambda));
    const w = phi.map(() => 0);
    for (let change = 1; change > 1e-13; ) {
      change = 0;
      for (let j = 0; j < N; j++) {
        const across = U.map((row) => row[N]! - row[j]!);
        const R = across[N]! - across[j]!;
        const step = Math.min(80, Math.max(0, w[j]! + 2 / phi[j]! - 1 / R)) - w[j]!;
        if (step === 0) continue;
        const factor = step / (1 + step * R);
        for (let a = 0; a <= N; a++) for (let b = 0; b <= N; b++) U[a]![b]! -= factor * across[a]! * across[b]!;
        w[j]! += step;
        change = Math.max(change, Math.abs(step) * phi[j]!);
      }
    }
    const s = w.reduce((sum, weight) => sum + weight, 0);
    const expected = [0, 1].map((c) => {
      const mu = 1 / result.eigenvalues![c]! - lambda;
      return w.reduce((sum, weight, j) => sum + weight * result.latents.at(j, c), 0) / (s - mu);
    });
    expect(w.filter((weight) => weight > 0).length).toBeGreaterThan(1);
    expectClose(latents.row(0), expected, 1e-8);
  });

  it('takes rows with missing entries, and reconstructs them', async () => {
    const lambda = 1e-2;
    const result = await fit(meu(Y, { neighbors: 5, basePrecision: lambda }));
    const holed = [fresh[0]!.with(1, Number.NaN), fresh[1]!];
    const { latents, logDensity } = await result.project(holed);
    const mean = await result.reconstruct(holed);
    const complete = await result.project(fresh);
    expect(latents.row(1)).toEqual(complete.latents.row(1));
    // By two copies and their distances alone.
    const phi = Y.map((row) => squared([row[0]!, row[2]!], [fresh[0]![0]!, fresh[0]![2]!]));
    const neighbors = phi
      .map((_, j) => j)
      .sort((a, b) => phi[a]! - phi[b]!)
      .slice(0, 5);
    const Q = result.precision!().toArrays();
    const N = Q.length;
    const U = inverseOf(Q);
    const { weights } = joiningWeights({
      squaredDistances: Float64Array.from(neighbors, (j) => phi[j]!),
      covariances: Float64Array.from(neighbors.flatMap((i) => neighbors.map((j) => U[i]![j]! - 1 / (lambda * N)))),
      common: (1 + 1 / N) / lambda,
      copies: 2,
      upper: Infinity,
    });
    // The field about a mean of its own that is not known has precision Q⁺ − λ11ᵀ/(N + 1).
    const extended = precisionWith(Q, neighbors, weights, lambda).map((row) => row.map((x) => x - lambda / (N + 1)));
    const precision = extended[N]![N]!;
    const expected = [0, 1, 2].map((d) => -Y.reduce((sum, row, j) => sum + extended[N]![j]! * row[d]!, 0) / precision);
    expectClose(mean.row(0), expected, 1e-9);
    const density = [0, 2].reduce(
      (sum, d) => sum + 0.5 * (Math.log(precision / (2 * Math.PI)) - precision * (fresh[0]![d]! - expected[d]!) ** 2),
      0,
    );
    expectClose(logDensity[0], density, 1e-8);
  });

  it('is the same after a fit was saved and loaded', async () => {
    const result = await fit(meu(Y, { neighbors: 5, embedding: 'eigenmap' }));
    const again = loadFit(JSON.parse(JSON.stringify(result)));
    expect(await again.project(fresh)).toEqual(await result.project(fresh));
  });

  it.each<[string, () => Promise<unknown>, RegExp]>([
    ['other columns', async () => (await fit(meu(Y))).project([[1, 2]]), /3 columns, but a 1×2/],
    [
      'rows of nothing',
      async () => (await fit(meu(Y))).project([Y[0]!, Y[0]!.map(() => Number.NaN)]),
      /Row index 1 of Y/,
    ],
    [
      'rows of nothing of a mapping',
      async () => (await fit(gplvm(Y, { latentDim: 2 }), { maxIterations: 1 })).project([Y[0]!.map(() => Number.NaN)]),
      /Row index 0 of Y has no observed entries/,
    ],
    [
      'holes and a kernel',
      async () => (await fit(mpme(Y, { distances: rbf() }))).project([Y[0]!.with(0, Number.NaN)]),
      /distances of a kernel must contain finite numbers/,
    ],
    ['infinite entries', async () => (await fit(meu(Y))).project([[1, Infinity, 2]]), /entry \[0\]\[1\] is Infinity/],
  ])('refuses %s', async (_, run, message) => {
    await expect(run()).rejects.toThrow(InvalidInputError);
    await expect(run()).rejects.toThrow(message);
  });
});
