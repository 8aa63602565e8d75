import { describe, expect, it } from 'vitest';
import {
  joinedWeights,
  memberships,
  perplexityWeights,
  similarityCurve,
} from '../../../src/engine/neighborEmbedding/affinities.ts';
import { edgeLikelihood, type Negatives } from '../../../src/engine/neighborEmbedding/edgeLikelihood.ts';
import { gridConvolution } from '../../../src/engine/neighborEmbedding/gridConvolution.ts';
import { studentDivergence } from '../../../src/engine/neighborEmbedding/studentDivergence.ts';
import { exactRepulsion, planarRepulsion } from '../../../src/engine/neighborEmbedding/studentRepulsion.ts';
import { nearestNeighbors } from '../../../src/engine/neighbors/index.ts';
import { type Graph, Matrix, seededRandom } from '../../../src/index.ts';
import { reference } from '../../reference.ts';

interface GraphJSON {
  readonly size: number;
  readonly sources: number[];
  readonly targets: number[];
  readonly weights: number[];
}

/** What test/reference/scripts/tsne.py wrote. */
const sklearn = reference<{
  readonly P: GraphJSON;
  readonly X: number[][];
  readonly divergence: number;
  readonly gradient: number[][];
}>('tsne.json');

const graphOf = ({ size, sources, targets, weights }: GraphJSON): Graph => ({
  size,
  sources: Int32Array.from(sources),
  targets: Int32Array.from(targets),
  weights: Float64Array.from(weights),
});

/** N points of three clusters in a plane, as far apart as `scale` says. */
function clusters(N: number, scale: number): Float64Array {
  const random = seededRandom(5);
  return Float64Array.from(
    { length: 2 * N },
    (_, i) => scale * (Math.sin(4 * ((i >> 1) % 3) + (i & 1)) + 0.2 * random.normal()),
  );
}

type Filled = (X: Float64Array, gradient: Float64Array) => number;

/** The largest difference of the gradient from central differences, as part of its largest entry. */
function gradientError(f: Filled, X: Float64Array, h: number): number {
  const gradient = new Float64Array(X.length);
  f(X, gradient);
  const spare = new Float64Array(X.length);
  const at = (i: number, move: number) => f(X.with(i, X[i]! + move), spare);
  let [error, largest] = [0, 0];
  for (let i = 0; i < X.length; i += Math.ceil(X.length / 24)) {
    const odd = (k: number) => at(i, k * h) - at(i, -k * h);
    const expected = (45 * odd(1) - 9 * odd(2) + odd(3)) / (60 * h);
    error = Math.max(error, Math.abs(expected - gradient[i]!));
    largest = Math.max(largest, Math.abs(expected));
  }
  return error / largest;
}

describe('the divergence of t-SNE', () => {
  const P = graphOf(sklearn.P);
  const X = Matrix.from(sklearn.X).data;

  it("equals scikit-learn's at its probabilities, and so does its gradient", () => {
    const gradient = new Float64Array(X.length);
    const value = studentDivergence(P, 2, 'pairs')(X, gradient);
    expect(Math.abs(value / sklearn.divergence - 1)).toBeLessThan(1e-9);
    Matrix.from(sklearn.gradient).data.forEach((entry, i) => {
      expect(Math.abs(gradient[i]! - entry)).toBeLessThan(1e-9);
    });
  });

  it.each([1, 2, 3])('has the gradient of differences in %i dimensions', (q) => {
    const random = seededRandom(q);
    const latents = Float64Array.from({ length: P.size * q }, () => random.normal());
    expect(gradientError(studentDivergence(P, q, 'pairs'), latents, 1e-2)).toBeLessThan(1e-8);
  });
});

describe('the repulsion on a grid', () => {
  it.each([1e-3, 1, 10, 60])('equals the sum over all pairs of 4000 points at scale %d to 1e-3', (scale) => {
    const N = 4000;
    const X = clusters(N, scale);
    const [own, pairs] = [new Float64Array(2 * N), new Float64Array(2 * N)];
    const Z = planarRepulsion(N, 2)(X, own);
    const expected = exactRepulsion(N, 2)(X, pairs);
    expect(Z).not.toBe(expected);
    expect(Math.abs(Z / expected - 1)).toBeLessThan(1e-3);
    const norm = (entries: Float64Array) => Math.sqrt(entries.reduce((sum, entry) => sum + entry * entry, 0));
    expect(norm(own.map((entry, i) => entry - pairs[i]!))).toBeLessThan(1e-2 * norm(pairs));
  });

  it('has exactly the gradient of its sum, with near pairs and without', () => {
    for (const scale of [1, 20]) {
      expect(gradientError(planarRepulsion(3000, 2), clusters(3000, scale), 1e-3 * scale)).toBeLessThan(1e-5);
    }
  });

  it('sums points on a line, and coincident ones', () => {
    const X = clusters(2000, 10).subarray(0, 2000);
    const gradient = new Float64Array(2000);
    const expected = exactRepulsion(2000, 1)(X, gradient.slice());
    expect(Math.abs(planarRepulsion(2000, 1)(X, gradient) / expected - 1)).toBeLessThan(1e-3);
    const same = new Float64Array(4000).fill(3);
    expect(planarRepulsion(2000, 2)(same, new Float64Array(4000))).toBe(2000 * 1999);
  });

  it('convolves as the sum over nodes does', () => {
    for (const n of [4, 8, 16]) {
      const kernel = Float64Array.from({ length: (n + 1) ** 2 }, (_, p) => {
        const [i, j] = [Math.floor(p / (n + 1)), p % (n + 1)];
        return 1 / (1 + 0.3 * i * i + 0.5 * j * j + 0.1 * i * j);
      });
      const convolution = gridConvolution(n);
      convolution.prepare(kernel, new Float64Array(n + 1).fill(1));
      const field = Float64Array.from({ length: n * n }, (_, i) => Math.sin(i * i));
      convolution.field.set(field);
      convolution.apply();
      for (let a = 0; a < n; a++) {
        for (let b = 0; b < n; b++) {
          const direct = field.reduce(
            (sum, entry, p) => sum + entry * kernel[Math.abs(a - Math.floor(p / n)) * (n + 1) + Math.abs(b - (p % n))]!,
            0,
          );
          expect(Math.abs(convolution.field[a * n + b]! - direct)).toBeLessThan(1e-13 * n);
        }
      }
    }
  });
});

describe('weights of neighbors', () => {
  const random = seededRandom(2);
  const Y = new Matrix(
    Float64Array.from({ length: 200 * 4 }, () => random.normal()),
    200,
    4,
  );
  const k = 30;
  const near = nearestNeighbors(Y, k);

  it('have the entropy of the perplexity', () => {
    const weights = perplexityWeights(near, k, 10);
    for (let i = 0; i < 200; i++) {
      const own = weights.subarray(i * k, (i + 1) * k);
      const entropy = own.reduce((sum, p) => (p > 0 ? sum - p * Math.log(p) : sum), 0);
      expect(Math.abs(entropy - Math.log(10))).toBeLessThan(1e-12);
    }
  });

  it('add up to log₂ k as memberships', () => {
    const weights = memberships(near, k);
    for (let i = 0; i < 200; i++) {
      const sum = weights.subarray(i * k, (i + 1) * k).reduce((total, weight) => total + weight, 0);
      expect(Math.abs(sum - Math.log2(k))).toBeLessThan(1e-9);
    }
  });

  it('become weights of pairs, each once', () => {
    const weights = perplexityWeights(near, k, 10);
    const P = Matrix.zeros(200, 200);
    near.indices.forEach((j, p) => {
      const i = Math.floor(p / k);
      P.data[i * 200 + j]! += weights[p]! / 400;
      P.data[j * 200 + i]! += weights[p]! / 400;
    });
    const graph = joinedWeights(200, near.indices, weights, (a, b) => (a + b) / 400);
    const pairs = Array.from(graph.sources, (i, e) => i * 200 + graph.targets[e]!);
    expect(pairs).toEqual(Array.from(P.data.keys()).filter((p) => Math.floor(p / 200) < p % 200 && P.data[p]! > 0));
    pairs.forEach((p, e) => {
      expect(Math.abs(graph.weights[e]! - P.data[p]!)).toBeLessThan(1e-17);
    });
  });

  it('are near the published curve of UMAP at its usual distances', () => {
    // umap-learn's find_ab_params(1, 0.1)
    const { a, b } = similarityCurve(0.1, 1);
    expect([a, b].map((entry) => entry.toFixed(4))).toEqual(['1.5769', '0.8951']);
  });
});

describe('the likelihood of edges', () => {
  const P = graphOf(sklearn.P);
  const graph = { ...P, weights: P.weights.map((weight) => 0.9 * Math.min(1, 100 * weight)) };
  const X = Matrix.from(sklearn.X).data.map((entry) => entry / 2);
  const curve = similarityCurve(0.1, 1);

  function direct(negatives: Negatives): number {
    const N = graph.size;
    const v = Matrix.zeros(N, N);
    graph.sources.forEach((i, e) => {
      v.data[i * N + graph.targets[e]!] = graph.weights[e]!;
      v.data[graph.targets[e]! * N + i] = graph.weights[e]!;
    });
    const degree = (i: number) => v.row(i).reduce((sum, weight) => sum + weight, 0);
    let sum = 0;
    for (let i = 0; i < N; i++) {
      for (let j = 0; j < i; j++) {
        const square = (X[2 * i]! - X[2 * j]!) ** 2 + (X[2 * i + 1]! - X[2 * j + 1]!) ** 2;
        const w = 1 / (1 + curve.a * square ** curve.b);
        const weight = v.data[i * N + j]!;
        const repelled = negatives === 'all' ? 1 - weight : (negatives * (degree(i) + degree(j))) / (2 * N);
        sum += weight * Math.log(w) + repelled * Math.log(1 - w + 1e-3 * w);
      }
    }
    return sum;
  }

  it.each<Negatives>(['all', 5])('is the sum over pairs, with negatives %s', (negatives) => {
    const value = edgeLikelihood(graph, 2, curve, negatives)(X, new Float64Array(X.length));
    expect(Math.abs(value / direct(negatives) - 1)).toBeLessThan(1e-12);
    expect(gradientError(edgeLikelihood(graph, 2, curve, negatives), X, 1e-3)).toBeLessThan(1e-7);
  });

  it('is a sample of many points, the same every time', () => {
    const N = 1500;
    const chain: Graph = {
      size: N,
      sources: Int32Array.from({ length: N - 1 }, (_, i) => i),
      targets: Int32Array.from({ length: N - 1 }, (_, i) => i + 1),
      weights: new Float64Array(N - 1).fill(0.7),
    };
    const latents = clusters(N, 5);
    const sampled = edgeLikelihood(chain, 2, curve, 'all');
    const value = sampled(latents, new Float64Array(2 * N));
    let all = 0;
    for (let i = 0; i < N; i++) {
      for (let j = 0; j < i; j++) {
        const square = (latents[2 * i]! - latents[2 * j]!) ** 2 + (latents[2 * i + 1]! - latents[2 * j + 1]!) ** 2;
        const power = curve.a * square ** curve.b;
        const weight = i - j === 1 ? 0.7 : 0;
        all += (1 - weight) * Math.log((power + 1e-3) / (1 + power)) - weight * Math.log(1 + power);
      }
    }
    expect(value).not.toBe(all);
    expect(Math.abs(value / all - 1)).toBeLessThan(0.02);
    expect(edgeLikelihood(chain, 2, curve, 'all')(latents, new Float64Array(2 * N))).toBe(value);
  });
});
