import { describe, expect, it } from 'vitest';
import { graphUnion } from '../../src/engine/index.ts';
import { doublesOf, matrixTensor, tensorMatrix } from '../../src/engine/tensors/doubles.ts';
import { withFloat64 } from '../../src/engine/tensors/float64/scope.ts';
import * as op from '../../src/engine/tensors/ops.ts';
import {
  add,
  discriminative,
  dynamics,
  type Graph,
  knnGraph,
  labelGraph,
  laplacian,
  locality,
  Matrix,
  markov,
  type Prior,
  rank,
  rbf,
  standardNormal,
  tsneNeighbors,
  white,
} from '../../src/index.ts';
import type { Conditional } from '../../src/model/language/density.ts';
import { builtInPriors } from '../../src/models/priorCatalog.ts';
import { priorFromJSON, priorToJSON } from '../../src/priors/index.ts';
import { expectClose } from '../tolerance.ts';
import { contextOf, density, expectGradients } from './priorDensity.ts';
import { priorReference } from './priorReference.ts';

const { X, Y, labels, missing, latents, graphs } = priorReference;
const { k, width } = graphs.union;
const graphOf: Record<string, Graph> = {
  labels: labelGraph(labels),
  missing: labelGraph(missing),
  knn: knnGraph(Y, k),
  union: graphUnion(labelGraph(missing), knnGraph(Y, k, { weights: 'heat', width })),
};

/** The value, the gradients by differences, and value and gradients again after JSON, bit for bit. */
function check(prior: Prior, value: number, names?: string[]): void {
  const before = density(prior, X, Y);
  expectClose(before.value, value, 1e-11, prior.name);
  expectGradients(prior, X, Y, names);
  const again = density(priorFromJSON(JSON.parse(JSON.stringify(priorToJSON(prior))), builtInPriors), X, Y);
  expect(again).toEqual(before);
}

describe('values agree with numpy and scipy, gradients with differences, and JSON changes nothing', () => {
  it.each(latents.laplacian)(
    'laplacian of $graph, strength $strength, offset $offset',
    ({ graph, value, ...options }) =>
      check(laplacian(graphOf[graph]!, options), value, options.offset > 0 ? undefined : ['X', 'strength']),
  );
  it.each(latents.discriminative)(
    'discriminative, labels missing: $missing, $form, r = $r',
    ({ missing: some, value, ...options }) => check(discriminative(some ? missing : labels, options), value),
  );
  it.each(latents.rank)('rank, beta $beta', ({ value, ...options }) => check(rank(options), value));
  it.each(latents.locality)('locality of $neighbors neighbors', ({ neighbors, value, ...options }) =>
    check(locality(neighbors, options), value),
  );
  it.each(latents.localityGraph)('locality on a graph', ({ k: own, value, ...options }) =>
    check(locality(knnGraph(Y, own), options), value),
  );
  it.each(latents.tsne)('tsne at perplexity $perplexity', ({ value, ...options }) =>
    check(tsneNeighbors(options), value),
  );
  it.each(latents.markov)('markov, segments $segments', ({ initial, value, ...options }) =>
    check(markov({ ...options, initial: initial ? 'standardNormal' : 'none' }), value),
  );
  it.each(latents.dynamics)('dynamics, segments $segments, $order', ({ value, segments, order, ...values }) => {
    const kernel = add(
      rbf({ variance: values.variance, lengthscale: values.lengthscale }),
      white({ variance: values.white }),
    );
    check(dynamics({ kernel, segments, order }), value);
  });
});

describe('equivalences', () => {
  const rows = (from: number) => X.slice(from);

  it('dynamics with a white-only kernel is a standard normal scaled, on rows 2 … N', () => {
    const whiteOnly = dynamics({ kernel: white({ variance: 0.37 }), initial: 'none' });
    const scaled = standardNormal({ precision: 1 / 0.37 });
    expectClose(density(whiteOnly, X).value, density(scaled, rows(1)).value, 1e-13);
    const gradient = density(whiteOnly, X).gradients.X!;
    expectClose(gradient.subarray(2), density(scaled, rows(1)).gradients.X!, 1e-13);
    expectClose(gradient.subarray(0, 2), [0, 0], 0);
    const withStart = dynamics({ kernel: white({ variance: 1 }) });
    expectClose(density(withStart, X).value, density(standardNormal(), X).value, 1e-13);
  });

  it('differences with a white-only kernel are a random walk, and a Markov chain without memory is the white process', () => {
    const options = { segments: [6, 11] };
    const steps = dynamics({ kernel: white({ variance: 0.37 }), order: 'difference', ...options });
    expectClose(density(steps, X).value, density(markov({ variance: 0.37, ...options }), X).value, 1e-13);
    expectClose(density(steps, X).gradients.X, density(markov({ variance: 0.37, ...options }), X).gradients.X, 1e-12);
    const forgetful = markov({ coefficient: 0, variance: 1, ...options });
    expectClose(density(forgetful, X).value, density(standardNormal(), X).value, 1e-13);
  });

  it('segments with a 0 in front are the same', () => {
    expect(density(markov({ segments: [0, 6] }), X)).toEqual(density(markov({ segments: [6] }), X));
  });

  it('t-SNE has a perplexity of 30, or of (N − 1)/3 where that is less', () => {
    const points = (N: number) => Array.from({ length: N }, (_, i) => [Math.sin(i), Math.cos(3 * i), (i % 7) / 7]);
    for (const [N, perplexity] of [
      [19, 6],
      [91, 30],
      [100, 30],
    ] as const) {
      expect(density(tsneNeighbors(), points(N)), `${N} points`).toEqual(
        density(tsneNeighbors({ perplexity }), points(N)),
      );
    }
  });

  it('a strength of 0 leaves nothing', () => {
    const off: Prior[] = [
      laplacian(graphOf.union!, { strength: 0 }),
      laplacian(graphOf.labels!, { strength: 0, offset: 0.5 }),
      discriminative(labels, { strength: 0 }),
      discriminative(labels, { strength: 0, form: 'paper' }),
      locality(4, { strength: 0 }),
      rank({ strength: 0 }),
      tsneNeighbors({ strength: 0 }),
    ];
    for (const prior of off) {
      expect(Math.abs(density(prior, X, Y).value), prior.name).toBe(0);
      expect(
        density(prior, X, Y).gradients.X!.every((entry) => Math.abs(entry) === 0),
        prior.name,
      ).toBe(true);
    }
  });

  it('a Laplacian by its classes is the one by its edges, and does not see a shift', () => {
    for (const name of ['labels', 'missing', 'union']) {
      const { size, sources, targets, weights } = graphOf[name]!;
      const byClasses = density(laplacian(graphOf[name]!), X);
      const byEdges = density(laplacian({ size, sources, targets, weights }), X);
      expectClose(byClasses.value, byEdges.value, 1e-13, name);
      expectClose(byClasses.gradients.X, byEdges.gradients.X, 1e-13, name);
      const moved = X.map((row) => row.map((entry) => entry + 3));
      expectClose(density(laplacian(graphOf[name]!), moved).value, byClasses.value, 1e-13, name);
    }
  });

  it('a Laplacian of no edge with an offset is a standard normal of that precision', () => {
    const alone = labelGraph(X.map((_, i) => i));
    const proper = laplacian(alone, { strength: 0.5, offset: 3 });
    expectClose(density(proper, X).value, density(standardNormal({ precision: 1.5 }), X).value, 1e-13);
  });

  it('locality does not see a shift, and is 0 for latents made of their neighbors as the observations are', () => {
    const prior = locality(5, { regularization: 1e-13 });
    // Five neighbors in four dimensions make every observation exactly, and so any linear image of it.
    const image = Y.map(([a, b, c, d]) => [a! + 2 * b! - c!, c! - 0.5 * d! + 4]);
    // A Gram matrix of five differences in four dimensions is singular: what is left is the rounding that it multiplies.
    expect(Math.abs(density(prior, image, Y).value)).toBeLessThan(1e-13);
    const moved = X.map((row) => row.map((entry) => entry - 5));
    expectClose(density(locality(5), moved, Y).value, density(locality(5), X, Y).value, 1e-12);
  });
});

describe('a label graph of 6000 points and 10 classes', () => {
  it('makes no edge when its prior is evaluated', () => {
    const size = 6000;
    const refuse = (): never => {
      throw new Error('the edges were read');
    };
    const graph: Graph = {
      size,
      complete: labelGraph(Array.from({ length: size }, (_, i) => i % 10)).complete!,
      get sources() {
        return refuse();
      },
      get targets() {
        return refuse();
      },
      get weights() {
        return refuse();
      },
    };
    const points = Array.from({ length: size }, (_, i) => [Math.sin(i), Math.cos(3 * i)]);
    const { value, gradients } = density(laplacian(graph, { offset: 0.1 }), points);
    // Σ_c n_c·Σ‖x − m_c‖² by plain sums, and the gradient −L x − 0.1·x of one entry.
    let form = 0;
    for (let c = 0; c < 10; c++) {
      const members = points.filter((_, i) => i % 10 === c);
      for (let d = 0; d < 2; d++) {
        const mean = members.reduce((sum, row) => sum + row[d]!, 0) / members.length;
        form += members.length * members.reduce((sum, row) => sum + (row[d]! - mean) ** 2, 0);
      }
    }
    const squares = points.flat().reduce((sum, entry) => sum + entry * entry, 0);
    const logDeterminant = 10 * Math.log(0.1) + 5990 * Math.log(600.1);
    const expected = -0.5 * (form + 0.1 * squares) + logDeterminant - size * Math.log(2 * Math.PI);
    expectClose(value, expected, 1e-12);
    const classmates = points.filter((_, i) => i % 10 === 7).reduce((sum, row) => sum + row[0]!, 0);
    expectClose(gradients.X![2 * 37], classmates - 600.1 * points[37]![0]!, 1e-11);
  });
});

describe('what comes next', () => {
  it('is known to priors on sequences: the mean of the process', () => {
    const noise = 0.2;
    const kernel = add(rbf({ variance: 1.3, lengthscale: 0.8 }), white({ variance: noise }));
    const before = X.slice(0, -1);
    const K = before.map((a) =>
      before.map((b) => 1.3 * Math.exp(-((a[0]! - b[0]!) ** 2 + (a[1]! - b[1]!) ** 2) / 1.28)),
    );
    for (const order of ['next', 'difference'] as const) {
      const predicted = transitionFrom(dynamics({ kernel, order }), before);
      // The mean m of outputs h is Kα with α = (K + s²I)⁻¹h = (h − m)/s².
      const step = (rows: number[][]) =>
        rows.map((row, i) => row.map((x, d) => x - (order === 'next' ? 0 : before[i]![d]!)));
      const mean = step(predicted.toArrays());
      const alpha = step(X.slice(1)).map((row, i) => row.map((h, d) => (h - mean[i]![d]!) / noise));
      const product = K.map((row) => [0, 1].map((d) => row.reduce((sum, k_ij, j) => sum + k_ij * alpha[j]![d]!, 0)));
      expectClose(mean, product, 1e-11, order);
    }
    const walk = transitionFrom(markov({ coefficient: 0.9 }), before);
    expectClose(
      walk,
      before.map((row) => row.map((x) => 0.9 * x)),
      1e-15,
    );
    expect(nextOf(standardNormal())).toBeUndefined();
  });

  it.each([
    ['the next row', dynamics({ kernel: add(rbf({ variance: 1.3, lengthscale: 0.8 }), white({ variance: 0.2 })) })],
    ['the step', dynamics({ kernel: add(rbf(), white({ variance: 0.1 })), order: 'difference' })],
    ['a chain', markov({ coefficient: 0.9, variance: 0.3 })],
  ])('follows a path with the joint density of all of its rows: %s', (_, prior) => {
    const path = [
      [0.4, -0.2],
      [0.5, 0.1],
      [1.4, 0.3],
      [0.45, 0],
    ];
    const joint = density(prior, [...X, ...path], [...X, ...path]).value - density(prior, X, Y).value;
    expect(Math.abs(alongPath(prior, path) - joint)).toBeLessThan(1e-9 * Math.abs(joint));
  });
});

it('the calibrated variance of a step of dynamics has the excess of squared leave-one-out residuals over their variances', () => {
  const [settings, noise] = [{ variance: 1.3, lengthscale: 0.8 }, 0.2];
  const kernel = add(rbf(settings), white({ variance: noise }));
  const from = X.slice(0, -1);
  const k = (a: number[], b: number[]) =>
    settings.variance *
    Math.exp((-0.5 * a.reduce((sum, x, d) => sum + (x - b[d]!) ** 2, 0)) / settings.lengthscale ** 2);
  const excess = [0, 1].map(() => 0);
  withFloat64(() => {
    for (const [t, input] of from.entries()) {
      const others = from.filter((_, i) => i !== t);
      const covariance = others.map((a, i) => others.map((b, j) => k(a, b) + (i === j ? noise : 0)));
      const L = op.cholesky(op.tensor<op.Tensor2D>(covariance));
      const across = op.triangularSolve(L, op.tensor<op.Tensor2D>(others.map((a) => [k(a, input)])));
      const s2 = k(input, input) + noise - op.valueOf(op.sum(op.square(across)));
      const known = op.triangularSolve(L, op.tensor<op.Tensor2D>(X.slice(1).filter((_, i) => i !== t)));
      const mean = tensorMatrix(op.matMul<op.Tensor2D>(across, known, true)).row(0);
      for (const d of [0, 1]) excess[d]! += ((X[t + 1]![d]! - mean[d]!) ** 2 - s2) / from.length;
    }
    const last = matrixTensor(Matrix.from([[0.4, -0.2]]));
    const [calibrated, own] = [true, false].map((is) => nextOf(dynamics({ kernel }), is)!(() => last, 0));
    expect(tensorMatrix(calibrated!.mean)).toEqual(tensorMatrix(own!.mean));
    const variance = doublesOf(own!.variance)[0]!;
    const found = doublesOf(calibrated!.variance);
    for (const d of [0, 1]) expect(found[d]!).toBeCloseTo(variance + excess[d]!, 10);
  });
});

type Next = NonNullable<Conditional['next']>;

/** What a prior of sequences says of the row that follows, its latents being X. */
function nextOf(prior: Prior, isCalibrated = false): Next | undefined {
  const p = Object.fromEntries(
    Object.entries(prior.parameters).map(([name, { initial }]) => [name, op.scalar(initial as number)]),
  );
  const all = Matrix.from(X);
  const fitted = { value: matrixTensor(all), given: [] };
  return prior.condition?.(p, fitted, { ...contextOf(prior, all, all.columns), isCalibrated }).next;
}

/** What a prior expects after each of these rows. */
function transitionFrom(prior: Prior, rows: number[][]): Matrix {
  return withFloat64(() => {
    const last = matrixTensor(Matrix.from(rows));
    return tensorMatrix(nextOf(prior)!(() => last, 0).mean);
  });
}

/** log p(path | X) of steps after the last row, each by what `next` says of it given those before. */
function alongPath(prior: Prior, path: number[][]): number {
  return withFloat64(() => {
    const rows = [...X, ...path].map((row) => matrixTensor(Matrix.from([row])));
    const next = nextOf(prior)!;
    return path.reduce((sum, row, k) => {
      const { mean, variance } = next((lag) => rows[X.length + k - lag]!, k);
      const s = doublesOf(variance)[0]!;
      return row.reduce(
        (sum, x, d) => sum - 0.5 * (Math.log(2 * Math.PI * s) + (x - doublesOf(mean)[d]!) ** 2 / s),
        sum,
      );
    }, 0);
  });
}
