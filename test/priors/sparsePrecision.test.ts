import {
  defineModel,
  evaluate,
  fit,
  type Graph,
  gaussianLatents,
  gaussianProcess,
  laplacian,
  latent,
  Matrix,
  type Model,
  markov,
  maxEntropy,
  observed,
  positive,
  rbf,
  real,
  seededRandom,
  squaredDifferences,
} from 'latentfield';
import { describe, expect, it } from 'vitest';
import { edgeFactor } from '../../src/engine/sparse/index.ts';

const { normal, uniform, integer } = seededRandom(3);

/** A chain of N points with some edges beside it. */
function graphOf(N: number, others: number): Graph {
  const keys = new Set(Array.from({ length: N - 1 }, (_, i) => i * N + i + 1));
  while (keys.size < N - 1 + others) {
    const [i, j] = [integer(N), integer(N)];
    if (i !== j) keys.add(Math.min(i, j) * N + Math.max(i, j));
  }
  const all = [...keys].sort((a, b) => a - b);
  return {
    size: N,
    sources: Int32Array.from(all, (key) => Math.floor(key / N)),
    targets: Int32Array.from(all, (key) => key % N),
    weights: Float64Array.from(all, () => 0.5 + uniform()),
  };
}

/** A⁻¹ and log|A| by elimination, A symmetric and positive definite. */
function inverted(A: number[][]): { inverse: number[][]; logDeterminant: number } {
  const N = A.length;
  const rows = A.map((row, i) => [...row, ...row.map((_, j) => (i === j ? 1 : 0))]);
  let logDeterminant = 0;
  for (let k = 0; k < N; k++) {
    const pivot = rows[k]![k]!;
    logDeterminant += Math.log(pivot);
    for (let j = 0; j < 2 * N; j++) rows[k]![j]! /= pivot;
    for (let i = 0; i < N; i++) {
      const factor = rows[i]![k]!;
      if (i === k || factor === 0) continue;
      for (let j = k; j < 2 * N; j++) rows[i]![j]! -= factor * rows[k]![j]!;
    }
  }
  return { inverse: rows.map((row) => row.slice(N)), logDeterminant };
}

const worstOf = (found: ArrayLike<number>, right: ArrayLike<number>) => {
  const size = Math.max(...Array.from(right, Math.abs));
  return Math.max(...Array.from(right, (entry, i) => Math.abs(entry - found[i]!) / size));
};

describe('factors of matrices with the entries of a graph', () => {
  it.each([0, 60, 400])(
    'have the inverse of dense ones and its products, with %i edges in addition to a chain',
    (others) => {
      const N = 120;
      const { sources, targets, size } = graphOf(N, others);
      const edges = Float64Array.from(sources, () => normal());
      const diagonal = new Float64Array(N).fill(0.2);
      edges.forEach((entry, e) => {
        diagonal[sources[e]!]! += Math.abs(entry);
        diagonal[targets[e]!]! += Math.abs(entry);
      });
      const A = Array.from({ length: N }, (_, i) => Array.from({ length: N }, (_, j) => (i === j ? diagonal[i]! : 0)));
      edges.forEach((entry, e) => {
        A[sources[e]!]![targets[e]!] = entry;
        A[targets[e]!]![sources[e]!] = entry;
      });
      const { inverse: S, logDeterminant } = inverted(A);
      const factor = edgeFactor({ size, sources, targets });
      const found = factor.inverse({ diagonal, edges });
      expect(Math.abs(found.logDeterminant - logDeterminant)).toBeLessThan(1e-9);
      expect(
        worstOf(
          found.diagonal,
          S.map((row, i) => row[i]!),
        ),
      ).toBeLessThan(1e-11);
      expect(
        worstOf(
          found.edges,
          Array.from(sources, (i, e) => S[i]![targets[e]!]!),
        ),
      ).toBeLessThan(1e-11);

      const g = Float64Array.from({ length: N }, (_, i) => (i % 3 === 0 ? 1e3 : 1) * normal());
      const entry = (i: number, j: number) => g.reduce((sum, own, k) => sum + own * S[i]![k]! * S[k]![j]!, 0);
      const product = factor.product({ diagonal, edges }, g, found.diagonal);
      expect(
        worstOf(
          product.diagonal,
          Array.from(g, (_, i) => entry(i, i)),
        ),
      ).toBeLessThan(1e-11);
      expect(
        worstOf(
          product.edges,
          Array.from(sources, (i, e) => entry(i, targets[e]!)),
        ),
      ).toBeLessThan(1e-11);
      expect(Array.from(factor.product({ diagonal, edges }, new Float64Array(N), found.diagonal).edges)).toEqual(
        Array.from(edges, () => 0),
      );
    },
  );
});

const seen = (y: Matrix, z: NonNullable<Parameters<typeof observed>[1]['given']>) =>
  observed(y, {
    density: gaussianProcess({ kernel: rbf({ lengthscale: 1 }), noise: 0.1, inducing: [[-1], [0], [1]] }),
    given: z,
    center: false,
  });
const rowsOf = (N: number) => Matrix.from(Array.from({ length: N }, (_, i) => [Math.sin(i / 9), normal()]));
const posterior = gaussianLatents({ correlated: true, variance: 0.3 });

describe('correlated rows under a sparse precision', () => {
  const N = 220;
  const graph = graphOf(N, 300);
  const models = {
    laplacian: () => laplacian(graph, { strength: positive(1.3), offset: positive(0.4) }),
    maxEntropy: () => maxEntropy({ base: 0.3, expect: { near: squaredDifferences(graph) }, slack: 25 }),
    markov: () => markov({ coefficient: real(0.8), variance: positive(0.3) }),
  };
  const modelOf = (name: keyof typeof models) =>
    defineModel({
      name: 'along',
      variables: ({ y }: { y: Matrix }) => {
        const z = latent({ dim: 1, density: models[name](), posterior });
        return { z, y: seen(y, z) };
      },
    })({ y: rowsOf(N) }) as unknown as Model;
  const multipliers = Array.from(graph.sources, () => 0.2 + uniform());
  const values: Record<string, object> = {
    laplacian: {},
    maxEntropy: { 'z.near': multipliers },
    markov: {},
  };
  /** Q, dense. */
  const precisionOf = (name: string): number[][] => {
    const Q = Array.from({ length: N }, () => new Array<number>(N).fill(0));
    const add = (i: number, j: number, w: number, a = 1) => {
      Q[j]![j]! += w;
      Q[i]![i]! += w * a * a;
      Q[i]![j]! -= w * a;
      Q[j]![i]! -= w * a;
    };
    if (name === 'markov') {
      for (let i = 1; i < N; i++) add(i - 1, i, 1 / 0.3, 0.8);
      Q[0]![0]! += 1;
      return Q;
    }
    graph.weights.forEach((weight, e) => {
      const w = name === 'laplacian' ? 1.3 * weight : multipliers[e]!;
      add(graph.sources[e]!, graph.targets[e]!, w);
    });
    for (let i = 0; i < N; i++) Q[i]![i]! += name === 'laplacian' ? 1.3 * 0.4 : 0.3;
    return Q;
  };

  it.each(['laplacian', 'maxEntropy', 'markov'] as const)(
    'have the terms of dense ones and their gradients: %s',
    async (name) => {
      const model = modelOf(name);
      const lambda = Array.from({ length: N }, () => [0.5 + 2 * uniform()]);
      const mean = Array.from({ length: N }, () => [normal()]);
      const at = { ...values[name], 'z.posterior.precision': lambda, 'z.posterior.mean': mean };
      const { terms, gradients } = await evaluate(model, at as never);
      const Q = precisionOf(name);
      const own = inverted(Q);
      const { inverse: S, logDeterminant } = inverted(
        Q.map((row, i) => row.map((entry, j) => entry + (i === j ? lambda[i]![0]! : 0))),
      );
      const quadratic = Q.reduce(
        (sum, row, i) =>
          sum + row.reduce((all, entry, j) => all + entry * (S[i]![j]! + mean[i]![0]! * mean[j]![0]!), 0),
        0,
      );
      const constant = N * Math.log(2 * Math.PI);
      const byName = terms as Record<string, number>;
      const term = Object.keys(byName).find((key) => key.startsWith('z') && !key.endsWith('entropy'))!;
      const density = 0.5 * (own.logDeterminant - quadratic - constant);
      const entropy = 0.5 * (N + constant - logDeterminant);
      expect(Math.abs(byName[term]! / density - 1)).toBeLessThan(1e-9);
      expect(Math.abs(byName['z.entropy']! / entropy - 1)).toBeLessThan(1e-9);

      const difference = async (path: string, change: (step: number) => unknown) => {
        const value = async (step: number) =>
          (await evaluate(model, { ...at, [path]: change(step) } as never)).objective;
        const h = 1e-4;
        const [a, b, c, d] = [await value(-2 * h), await value(-h), await value(h), await value(2 * h)];
        return (a - 8 * b + 8 * c - d) / (12 * h);
      };
      const free = gradients as unknown as Record<string, Matrix | number | readonly number[]>;
      const moved = (i: number) => (step: number) => lambda.map(([entry], k) => [entry! + (k === i ? step : 0)]);
      for (const i of [0, 57, N - 1]) {
        const right = await difference('z.posterior.precision', moved(i));
        const found = flat(free['z.posterior.precision'])[i]!;
        expect(Math.abs(found - right)).toBeLessThan(1e-6 * Math.max(1, Math.abs(right)));
      }
      const started: Record<string, [string, number][]> = {
        laplacian: [
          ['z.strength', 1.3],
          ['z.offset', 0.4],
        ],
        markov: [
          ['z.coefficient', 0.8],
          ['z.variance', 0.3],
        ],
        maxEntropy: [],
      };
      for (const [path, start] of started[name]!) {
        const key = Object.keys(free).find((each) => each.endsWith(path.slice(1)))!;
        const right = await difference(key, (step) => start + step);
        expect(Math.abs(flat(free[key])[0]! - right)).toBeLessThan(1e-6 * Math.max(1, Math.abs(right)));
      }
      if (name !== 'maxEntropy') return;
      for (const e of [0, 100, multipliers.length - 1]) {
        const right = await difference('z.near', (step) => multipliers.map((own, k) => own + (k === e ? step : 0)));
        expect(Math.abs(flat(free['z.near'])[e]! - right)).toBeLessThan(1e-6 * Math.max(1, Math.abs(right)));
      }
    },
  );

  it('agree with a chain of 5000 points, without an N×N matrix', async () => {
    const size = 5000;
    const chain = defineModel({
      name: 'chain',
      variables: ({ y }: { y: Matrix }) => {
        const z = latent({ dim: 1, density: markov({ coefficient: real(0.9), variance: positive(0.2) }), posterior });
        return { z, y: seen(y, z) };
      },
    });
    const model = chain({ y: rowsOf(size) });
    const lambda = Array.from({ length: size }, (_, i) => [1 + (i % 7) / 3]);
    const { terms } = await evaluate(model as unknown as Model, { 'z.posterior.precision': lambda } as never);
    // log|Q + diag λ| of a tridiagonal matrix by its pivots.
    let [logDeterminant, before] = [0, 0];
    for (let i = 0; i < size; i++) {
      const last = i === size - 1;
      const diagonal = (i === 0 ? 1 : 1 / 0.2) + (last ? 0 : 0.81 / 0.2) + lambda[i]![0]!;
      before = diagonal - (i === 0 ? 0 : (0.9 / 0.2) ** 2 / before);
      logDeterminant += Math.log(before);
    }
    const entropy = 0.5 * (size * (1 + Math.log(2 * Math.PI)) - logDeterminant);
    expect(Math.abs((terms as Record<string, number>)['z.entropy']! / entropy - 1)).toBeLessThan(1e-12);
    const result = await fit(model, { maxIterations: 2 });
    expect(result.latentVariances!.rows).toBe(size);
  }, 60_000);
});

function flat(value: unknown): number[] {
  if (value instanceof Matrix) return Array.from(value.data);
  return typeof value === 'number' ? [value] : Array.from(value as ArrayLike<number>);
}
