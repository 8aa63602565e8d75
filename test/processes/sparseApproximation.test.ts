import { add, bias, gaussian, gaussianProcess, linear, Matrix, rbf, seededRandom, white } from 'latentfield';
import { describe, expect, it } from 'vitest';
import { doublesOf, matrixTensor } from '../../src/engine/tensors/doubles.ts';
import { withFloat64 } from '../../src/engine/tensors/float64/scope.ts';
import { valueTensors } from '../../src/model/part.ts';
import { observedPatterns } from '../../src/processes/covariance/covariance.ts';
import { spanningInputs } from '../../src/processes/covariance/lowRank.ts';
import type { MomentsAt } from '../../src/processes/functionMoments.ts';
import { allColumns } from '../../src/processes/functionMoments.ts';
import { CLOSE, sparseMoments } from '../../src/processes/processDensity.ts';

const random = seededRandom(5);
const normals = (rows: number, columns: number) =>
  Matrix.from(Array.from({ length: rows }, () => Array.from({ length: columns }, () => random.normal())));
const X = normals(240, 2);
const Y = Matrix.from(
  Array.from(X.toArrays(), ([a, b]) => [Math.sin(a!) + 0.1 * random.normal(), a! * b! + 0.1 * random.normal()]),
);
const kernel = add(rbf({ lengthscale: 1.5 }), bias(), white({ variance: 0.02 }));
const valuesOf = (process: ReturnType<typeof gaussianProcess>) =>
  Object.fromEntries(Object.entries(process.parameters).map(([name, { initial }]) => [name, initial]));
const patterns = observedPatterns(Y);

/** What is known of the function at x given its values at Z: k(x, x) − k(x, Z)·k(Z, Z)⁻¹·k(Z, x) of the rbf and bias above, at once for all. */
function leftAt(Z: Matrix): number[] {
  const k = (a: Float64Array, b: Float64Array) =>
    Math.exp(-((a[0]! - b[0]!) ** 2 + (a[1]! - b[1]!) ** 2) / (2 * 1.5 ** 2)) + 1;
  const columns: Float64Array[] = [];
  const left = Float64Array.from({ length: X.rows }, () => 2);
  for (let j = 0; j < Z.rows; j++) {
    const pivot = Array.from({ length: X.rows }, (_, i) => i).find((i) =>
      X.row(i).every((entry, d) => entry === Z.at(j, d)),
    )!;
    const column = left.map(
      (_, i) => k(X.row(i), X.row(pivot)) - columns.reduce((sum, own) => sum + own[i]! * own[pivot]!, 0),
    );
    const root = Math.sqrt(left[pivot]!);
    columns.push(column.map((entry) => entry / root));
    for (let i = 0; i < X.rows; i++) left[i]! -= (column[i]! / root) ** 2;
  }
  return Array.from(left);
}

describe('inputs that span the others', () => {
  const own = Object.fromEntries(Object.entries(kernel.parameters).map(([name, { initial }]) => [name, initial]));
  const inputs = (rest: number, most: number) =>
    withFloat64(() => spanningInputs(kernel, valueTensors(own), X, rest, most));

  it('leave no more variance than is allowed at any point, and one fewer would leave more', () => {
    for (const rest of [1e-1, 1e-3, 1e-6]) {
      const Z = inputs(rest, 240)!;
      expect(Math.max(...leftAt(Z))).toBeLessThan(rest * (1 + 1e-6) + 1e-12);
      const fewer = new Matrix(Z.data.slice(0, -2), Z.rows - 1, 2);
      expect(Math.max(...leftAt(fewer))).toBeGreaterThan(rest);
    }
  });

  it('are not given where more would be needed', () => {
    const { rows } = inputs(1e-3, 240)!;
    expect(inputs(1e-3, rows)!.rows).toBe(rows);
    expect(inputs(1e-3, rows - 1)).toBeUndefined();
  });
});

describe('a process through fewer inputs', () => {
  it('predicts nearly as the process itself', () => {
    const process = gaussianProcess({ kernel, noise: 0.01 });
    const values = valuesOf(process);
    const A = normals(30, 2);
    const predicted = (momentsAt: MomentsAt) =>
      withFloat64(() => {
        const { mean, variance } = allColumns(momentsAt(matrixTensor(A)), 2);
        return { mean: doublesOf(mean), variance: doublesOf(variance) };
      });
    const approximate = predicted(sparseMoments(process, values, X, patterns)!);
    const exact = predicted((points) => process.momentsAt(values, X, patterns)(points));
    const noise = 0.01;
    approximate.mean.forEach((mean, i) => {
      expect(Math.abs(mean - exact.mean[i]!)).toBeLessThan(0.2 * Math.sqrt(exact.variance[i]! + noise));
    });
    approximate.variance.forEach((variance, i) => {
      expect(Math.abs(Math.log((variance + noise) / (exact.variance[i]! + noise)))).toBeLessThan(0.1);
    });
    // It is another computation.
    expect(approximate.mean).not.toEqual(exact.mean);
  });

  it('is within its bounds where it is close', () => {
    const noise = 0.01;
    const process = gaussianProcess({ kernel: add(rbf({ lengthscale: 1.5 }), bias()), noise });
    const values = valuesOf(process);
    const A = Matrix.from([...normals(30, 2).toArrays(), [4, 4], [9, -9]]);
    const predicted = (momentsAt: MomentsAt) =>
      withFloat64(() => {
        const { mean, variance } = allColumns(momentsAt(matrixTensor(A)), 2);
        return { mean: doublesOf(mean), variance: doublesOf(variance) };
      });
    const close = predicted(sparseMoments(process, values, X, patterns, CLOSE)!);
    const exact = predicted(process.momentsAt(values, X, patterns));
    close.variance.forEach((variance, i) => {
      // Far from the points, where little is known, the part that fewer inputs leave out is larger: it is added.
      const apart = Math.abs(variance - exact.variance[i]!) / (exact.variance[i]! + noise);
      expect(apart).toBeLessThan(1e-4);
      const error = Math.abs(close.mean[i]! - exact.mean[i]!) / Math.sqrt(exact.variance[i]! + noise);
      expect(error).toBeLessThan(1e-3);
    });
    expect(close.variance).not.toEqual(exact.variance);
  });

  it('is not made where the process is as cheap, or where it would need too many inputs', () => {
    const made = (process: ReturnType<typeof gaussianProcess>, points = X, rows = Y) =>
      sparseMoments(process, valuesOf(process), points, observedPatterns(rows)) !== undefined;
    expect(made(gaussianProcess({ kernel, likelihood: gaussian({ variance: 0.01 }) }))).toBe(true);
    expect(made(gaussianProcess({ kernel: linear(), noise: 0.01 }))).toBe(false);
    expect(made(gaussianProcess({ kernel, noise: 0.01, inducing: normals(9, 2) }))).toBe(false);
    expect(made(gaussianProcess({ kernel: rbf({ lengthscale: 0.01 }), noise: 0.01 }))).toBe(false);
    const [few, own] = [X, Y].map(({ data }) => new Matrix(data.slice(0, 2 * 199), 199, 2)) as [Matrix, Matrix];
    expect(made(gaussianProcess({ kernel, noise: 0.01 }), few, own)).toBe(false);
  });
});
