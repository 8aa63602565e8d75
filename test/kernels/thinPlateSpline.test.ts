import { describe, expect, it } from 'vitest';
import { readTable } from '../../src/app/io/index.ts';
import { matrixTensor, tensorMatrix } from '../../src/engine/tensors/doubles.ts';
import { withFloat64 } from '../../src/engine/tensors/float64/scope.ts';
import { valueAndGradients } from '../../src/engine/tensors/gradients.ts';
import * as op from '../../src/engine/tensors/ops.ts';
import type { Scalar, Tensor2D } from '../../src/engine/tensors/tensorflow.ts';
import {
  add,
  bias,
  covariance,
  evaluate,
  fit,
  fixed,
  InvalidInputError,
  type Kernel,
  latentVariableModel,
  linear,
  loadFit,
  Matrix,
  multiply,
  rbf,
  scale,
  seededRandom,
  select,
  standardNormal,
  thinPlateSpline,
} from '../../src/index.ts';
import { isOpen, startedAt } from '../../src/kernels/algebra.ts';
import { kernelFromJSON, kernelToJSON } from '../../src/kernels/index.ts';
import { reference, sharedFile } from '../reference.ts';
import { expectClose } from '../tolerance.ts';

interface Case {
  q: number;
  beta: number;
  coincidentPoints: boolean;
  X: number[][];
  Y: number[][];
  E: number[][];
  K: number[][];
  logLik: number;
  gradX: number[][];
  gradBeta: number;
  priorPrecision: number;
  logPrior: number;
  gradXmap: number[][];
  Xstar: number[][];
  kCross: number[][];
  kStarStar: number[];
  predMean: number[][];
  predVarF: number[];
  predVarY: number[];
}
const { cases, constants } = reference<{
  cases: Case[];
  constants: Record<string, { correct: number; paper: number }>;
}>('tps.json');

const model = ({ X, Y, beta, q }: Case, priors = [] as ReturnType<typeof standardNormal>[]) =>
  latentVariableModel({
    observations: Y,
    latentDim: q,
    init: X,
    kernel: thinPlateSpline(),
    noise: fixed(1 / beta),
    priors,
    center: false,
  });

describe.each(
  cases.map((entry) => [`q = ${entry.q}${entry.coincidentPoints ? ', with coincident points' : ''}`, entry] as const),
)('the thin plate spline equals numpy: %s', (_, expected) => {
  const { q, beta, X, Y } = expected;

  it('in its covariance matrices to 1e-11', () => {
    const noiseFree = expected.K.map((row, i) => row.map((entry, j) => entry - (i === j ? 1 / beta : 0)));
    expectClose(covariance(thinPlateSpline(), X), noiseFree, 1e-11, 'K');
    const kernel = thinPlateSpline({ centers: X });
    expectClose(covariance(kernel, X, expected.Xstar), expected.kCross, 1e-11, 'cross');
    const diagonal = withFloat64(() => {
      const A = op.tensor<Tensor2D>(expected.Xstar);
      return Array.from(tensorMatrix(op.reshape(kernel.diagonal({}, A, A), [3, 1]) as Tensor2D).data);
    });
    expectClose(diagonal, expected.kStarStar, 1e-11, 'diagonal');
  });

  it('in its log likelihood to 1e-11 and gradients to 1e-9', () => {
    const noise = latentVariableModel({
      observations: Y,
      latentDim: q,
      init: X,
      kernel: thinPlateSpline(),
      noise: 1 / beta,
      center: false,
    });
    const { objective, gradients } = evaluate(noise);
    expectClose(objective, expected.logLik, 1e-11, 'log likelihood');
    expectClose(gradients.latents, expected.gradX, 1e-9, 'dX');
    // ∂/∂β = −σ⁴·∂/∂σ² with σ² = 1/β
    expectClose(-(gradients['mapping.noise'] as number) / beta ** 2, expected.gradBeta, 1e-9, 'dβ');
    const map = evaluate(model(expected, [standardNormal({ precision: expected.priorPrecision })]));
    expectClose(map.terms.standardNormal, expected.logPrior, 1e-11, 'log prior');
    expectClose(map.gradients.latents, expected.gradXmap, 1e-9, 'dX with prior');
  });

  it('in its predictions to 1e-10', async () => {
    const fitted = await fit(model(expected), { maxIterations: 0 });
    const { mean, variance } = fitted.predict(expected.Xstar);
    expectClose(mean, expected.predMean, 1e-10, 'mean');
    expectClose(variance.column(0), expected.predVarF, 1e-10, 'variance');
    expectClose(
      fitted.predict(expected.Xstar, { noise: true }).variance.column(0),
      expected.predVarY,
      1e-10,
      'with noise',
    );
  });
});

describe('the constant of a thin plate spline', () => {
  it.each([1, 2, 3, 4])('follows from the thin plate, or is the printed one: q = %i', (q) => {
    // One center at 0: k(x, x') − xᵀx' − 1 = η(x)·η(x'), with η at distance 2.
    const x = [2, 0, 0, 0].slice(0, q);
    const centers = [x.map(() => 0)];
    const eta = { 1: 8, 2: 4 * Math.log(2), 3: 2, 4: Math.log(2) }[q]!;
    const { correct, paper } = constants[q]!;
    for (const [constant, c] of [
      ['corrected', correct],
      ['printed', paper],
    ] as const) {
      const k = covariance(thinPlateSpline({ centers, constant }), [x]).at(0, 0);
      expectClose(k, (c * eta) ** 2 + 4 + 1, 1e-14, constant);
    }
  });
});

/** Standard normal points. */
function points(rows: number, columns: number, seed = 1): Matrix {
  const random = seededRandom(seed);
  return new Matrix(
    Float64Array.from({ length: rows * columns }, () => random.normal()),
    rows,
    columns,
  );
}

/** X times a product of plane rotations. */
function rotated(X: Matrix): Matrix {
  const result = Matrix.from(X);
  for (let a = 0; a < X.columns; a++) {
    for (let b = a + 1; b < X.columns; b++) {
      const [c, s] = [Math.cos(1 + a + 2 * b), Math.sin(1 + a + 2 * b)];
      for (let i = 0; i < X.rows; i++) {
        const [u, v] = [result.at(i, a), result.at(i, b)];
        result.data[i * X.columns + a] = c * u - s * v;
        result.data[i * X.columns + b] = s * u + c * v;
      }
    }
  }
  return result;
}

describe('a thin plate spline', () => {
  it.each([2, 3, 4])('does not see a rotation of the latents: q = %i', (q) => {
    const X = points(40, q);
    expectClose(covariance(thinPlateSpline(), rotated(X)), covariance(thinPlateSpline(), X), 1e-10, 'K');
    const Y = points(40, 6, 2);
    const at = (latents: Matrix) =>
      evaluate(latentVariableModel({ observations: Y, latentDim: q, kernel: thinPlateSpline(), noise: 0.1 }), {
        latents,
      }).objective;
    expectClose(at(rotated(X)), at(X), 1e-10, 'log likelihood');
  });

  it('names its limit in 5 dimensions', () => {
    expect(() => covariance(thinPlateSpline(), points(6, 5))).toThrow(InvalidInputError);
    expect(() => covariance(thinPlateSpline(), points(6, 5))).toThrow(/1 to 4 dimensions, but the points have 5/);
  });

  it('refuses unknown options', () => {
    const refuses = (options: object, message: RegExp) =>
      expect(() => thinPlateSpline(options as never)).toThrow(message);
    refuses({ centres: 3 }, /no parameter 'centres'. Did you mean 'centers'/);
    refuses({ centers: 0.5 }, /whole number from 1/);
    refuses({ centers: [[1, Number.NaN]] }, /entry \[0\]\[1\] is NaN/);
    refuses({ constant: 'wrong' }, /'corrected' or 'printed'/);
    expect(() => covariance(thinPlateSpline({ centers: [[1]] }), points(3, 2))).toThrow(
      /of 2 columns, but they have 1/,
    );
    expect(() => covariance(thinPlateSpline({ centers: 2 }), points(3, 2))).toThrow(/chosen where a model starts/);
  });

  it('with M centers is M basis functions, a linear and a constant part, and has rank M + q + 1', () => {
    const X = points(12, 2);
    const centers = points(3, 2, 5).toArrays();
    const one = centers.map((center) => covariance(thinPlateSpline({ centers: [center] }), X).data);
    const rest = covariance(add(linear(), bias()), X).data;
    // Each spline holds the linear and constant part once.
    const sum = one[0]!.map((entry, i) => entry + one[1]![i]! + one[2]![i]! - 2 * rest[i]!);
    const K = covariance(thinPlateSpline({ centers }), X);
    expectClose(K, sum, 1e-13);
    const eigenvalues = withFloat64(() =>
      Array.from(
        tensorMatrix(op.reshape(op.symmetricEigen(matrixTensor(K)).values, [12, 1]) as Tensor2D).data,
      ).reverse(),
    );
    expect(eigenvalues[5]! / eigenvalues[0]!).toBeGreaterThan(1e-8);
    expect(Math.abs(eigenvalues[6]! / eigenvalues[0]!)).toBeLessThan(1e-14);
  });

  it('has gradients through arguments and centers: with both at one set, their sum', () => {
    const kernel = thinPlateSpline();
    const X = points(7, 2);
    const W = points(7, 7, 3);
    const gradient = (which: 'both' | 'arguments' | 'centers') =>
      withFloat64(() => {
        const [A, C, w] = [matrixTensor(X), matrixTensor(X), matrixTensor(W)];
        const f = () => op.sum(op.mul(w, kernel.covariance({}, A, A, which === 'both' ? A : C))) as Scalar;
        return valueAndGradients(f, [which === 'centers' ? C : A]).gradients[0]!;
      });
    const parts = [gradient('arguments'), gradient('centers')];
    expect(Math.max(...parts[1]!.map(Math.abs))).toBeGreaterThan(0.1);
    expectClose(
      gradient('both'),
      parts[0]!.map((entry, i) => entry + parts[1]![i]!),
      1e-12,
    );
  });

  it('may be part of sums, products and choices of columns', () => {
    const X = points(9, 3);
    const kernel = add(
      scale(select(thinPlateSpline(), [0, 2]), 2),
      multiply(rbf(), select(thinPlateSpline({ constant: 'printed' }), [1])),
    );
    const columns = (...chosen: number[]) => Matrix.from(X.toArrays().map((row) => chosen.map((c) => row[c]!)));
    const left = covariance(thinPlateSpline(), columns(0, 2)).data;
    const right = covariance(thinPlateSpline({ constant: 'printed' }), columns(1)).data;
    const smooth = covariance(rbf(), X).data;
    expectClose(
      covariance(kernel, X),
      left.map((entry, i) => 2 * entry + smooth[i]! * right[i]!),
      1e-14,
    );
  });
});

describe('centers chosen by k-means', () => {
  const Y = Matrix.from(
    points(60, 5, 4)
      .toArrays()
      .map((row, i) => row.map((entry, j) => 0.1 * entry + Math.sin((i * (j + 1)) / 10))),
  );
  const chosen = (kernel: Kernel) => latentVariableModel({ observations: Y, latentDim: 2, kernel, noise: 0.1 });

  it('are fixed in the fit, saved with it, and have the same predictions when it is loaded', async () => {
    const result = await fit(chosen(thinPlateSpline({ centers: 8 })), { maxIterations: 15 });
    const json = JSON.parse(JSON.stringify(result));
    const { centers } = json.model.kernel.options;
    expect(centers).toHaveLength(8);
    expect(centers[0]).toHaveLength(2);
    const at = [
      [0.2, -0.3],
      [1, 1],
    ];
    const again = loadFit(json).predict(at);
    expect(Array.from(again.mean.data)).toEqual(Array.from(result.predict(at).mean.data));
    expect(Array.from(again.variance.data)).toEqual(Array.from(result.predict(at).variance.data));
    // The model is the one with these centers given.
    const given = await fit(chosen(thinPlateSpline({ centers })), { maxIterations: 15 });
    expect(given.objective).toBe(result.objective);
  });

  it('are means of the points nearest to them', () => {
    const X = points(50, 2);
    const kernel = startedAt(thinPlateSpline({ centers: 4 }), X);
    const { options } = kernelToJSON(kernel) as unknown as { options: { centers: number[][] } };
    const { centers } = options;
    const sums = centers.map(() => [0, 0, 0]);
    for (const row of X.toArrays()) {
      const distances = centers.map((center) => (row[0]! - center[0]!) ** 2 + (row[1]! - center[1]!) ** 2);
      const sum = sums[distances.indexOf(Math.min(...distances))]!;
      [row[0]!, row[1]!, 1].forEach((entry, k) => {
        sum[k]! += entry;
      });
    }
    expectClose(
      centers,
      sums.map(([a, b, n]) => [a! / n!, b! / n!]),
      1e-12,
    );
    expect(() => startedAt(thinPlateSpline({ centers: 4 }), Matrix.from([[0], [1], [1]]))).toThrow(
      /4 centers were requested, but there are 2 different points/,
    );
  });

  it('may be deep inside another kernel, and survive JSON before they are chosen', () => {
    const kernel = add(rbf(), scale(select(thinPlateSpline({ centers: 3 }), [1])));
    expect(kernelToJSON(kernelFromJSON(kernelToJSON(kernel)))).toEqual(kernelToJSON(kernel));
    const started = startedAt(kernel, points(20, 2));
    expect(isOpen(started)).toBe(false);
    expect(JSON.stringify(kernelToJSON(started))).toMatch(/"centers":\[\[/);
    expect(Object.keys(started.parameters)).toEqual(Object.keys(kernel.parameters));
  });
});

const oil = sharedFile('data/oil_train_X.npy');
describe.runIf(oil)('on oil flow latents (shared/data/oil_train_X.npy)', () => {
  it('factors without jitter at N = 400 and noise 1e-3', async () => {
    const { observations: matrix } = await readTable(oil!);
    const Y = new Matrix(matrix.data.slice(0, 400 * matrix.columns), 400, matrix.columns);
    const kernel = thinPlateSpline();
    const result = await fit(latentVariableModel({ observations: Y, latentDim: 2, kernel, noise: fixed(1e-3) }), {
      maxIterations: 0,
    });
    expect(result.diagnostics.jitter).toBe(0);
    // obj(X, Y, 1e3, 2) of test/reference/scripts/models/tps.py at the same latents.
    expectClose(result.objective, -76855.92308029873, 1e-10, 'log likelihood');
  });
});
