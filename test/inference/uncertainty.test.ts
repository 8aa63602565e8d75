import {
  bayesianGplvm,
  defineModel,
  gaussian,
  gaussianProcess,
  known,
  latent,
  observed,
  pca,
  standardNormal,
} from 'latentfield';
import { describe, expect, it } from 'vitest';
import { pipeFlow } from '../../src/app/data/index.ts';
import { InvalidInputError, NumericalError } from '../../src/core/errors.ts';
import { Matrix } from '../../src/core/matrix.ts';
import { seededRandom } from '../../src/core/random.ts';
import * as op from '../../src/engine/tensors/ops.ts';
import type { Scalar, Tensor, Tensor2D } from '../../src/engine/tensors/tensorflow.ts';
import { fit, laplaceApproximation } from '../../src/inference/index.ts';
import { rbf } from '../../src/kernels/index.ts';
import { evaluate, type GivenValues } from '../../src/model/open.ts';
import { bounded, fixed, positive, real } from '../../src/model/parameter.ts';
import { gplvm } from '../../src/models/index.ts';
import { expectClose } from '../tolerance.ts';
import { densityModel } from './densityModel.ts';

const random = seededRandom(9);

/** A positive definite matrix with known entries. */
function precisionMatrix(n: number): number[][] {
  const A = Array.from({ length: n }, () => Array.from({ length: n }, () => random.normal()));
  return A.map((row, i) => A.map((other, j) => row.reduce((sum, a, k) => sum + a * other[k]!, i === j ? 1 : 0)));
}

/** Gauss–Jordan elimination with pivoting: the inverse, and log |A|. */
function eliminated(matrix: number[][]): { inverse: number[][]; logDeterminant: number } {
  const n = matrix.length;
  const A = matrix.map((row, i) => [...row, ...row.map((_, j) => (i === j ? 1 : 0))]);
  let sum = 0;
  for (let k = 0; k < n; k++) {
    let best = k;
    for (let i = k; i < n; i++) if (Math.abs(A[i]![k]!) > Math.abs(A[best]![k]!)) best = i;
    [A[k], A[best]] = [A[best]!, A[k]!];
    const pivot = A[k]![k]!;
    sum += Math.log(Math.abs(pivot));
    A[k] = A[k]!.map((entry) => entry / pivot);
    for (let i = 0; i < n; i++) if (i !== k) A[i] = A[i]!.map((entry, j) => entry - A[i]![k]! * A[k]![j]!);
  }
  return { inverse: A.map((row) => row.slice(n)), logDeterminant: sum };
}
const inverse = (matrix: number[][]) => eliminated(matrix).inverse;
const logDeterminant = (matrix: number[][]) => eliminated(matrix).logDeterminant;

function inverse2(matrix: number[][]): number[] {
  const [[a, b], [c, d]] = matrix as [[number, number], [number, number]];
  const determinant = a * d - b * c;
  return [d / determinant, -b / determinant, -c / determinant, a / determinant];
}

/** log p = −½·zᵀPz, z the entries of a parameter less m. */
const normal = (z: Tensor, P: number[][]) => {
  const column = op.reshape(z, [P.length, 1]) as Tensor2D;
  return op.mul(-0.5, op.sum(op.mul(column, op.matMul(op.tensor(P) as Tensor2D, column)))) as Scalar;
};

describe('the Laplace approximation', () => {
  it('of a normal posterior of latents has the marginal covariance of each point', async () => {
    const P = precisionMatrix(6);
    const X = Matrix.from([
      [0.3, -1],
      [2, 0],
      [0.1, 5],
    ]);
    const model = densityModel({ latents: real(X) }, ({ latents }) =>
      normal(op.sub(latents!, op.tensor(X.toArrays())), P),
    );
    const { latents, parameters, evidence, rotations } = await laplaceApproximation(model, {});
    expect(parameters).toBeUndefined();
    expect(rotations).toBe(0);
    expect(latents!.mean).toEqual(X);
    const S = inverse(P);
    latents!.covariances.forEach((covariance, n) => {
      const block = [0, 1].flatMap((i) => [0, 1].map((j) => S[2 * n + i]![2 * n + j]!));
      expectClose(covariance, block, 1e-8, `point ${n}`);
    });
    expect(latents!.covariances).toHaveLength(3);
    expectClose([evidence!], [3 * Math.log(2 * Math.PI) - logDeterminant(P) / 2], 1e-8, 'evidence');
  });

  it.each([
    // A ring and a sphere of radius 5, and a plane turned about the origin in two directions.
    [[[3, -4]], Math.log(2 * Math.PI * 5), 1],
    [[[3, 0, -4]], Math.log(4 * Math.PI * 25), 2],
    [
      [
        [3, 4],
        [0, 2],
      ],
      Math.log(2 * Math.PI) + 0.5 * Math.log(9 + 16 + 4),
      1,
    ],
  ])('counts all rotations of points that keep their distances and radii: %j', async (X, logVolume, expected) => {
    // log p = −½·Σ (g_k − g_k*)²/s² over the entries of XXᵀ on and below the diagonal: a normal across the orbit of X*.
    const s = 0.1;
    const G = X.map((a) => X.map((b) => a.reduce((sum, entry, k) => sum + entry * b[k]!, 0)));
    const lower = X.map((_, i) => X.map((__, j) => (j <= i ? 1 / s : 0)));
    const model = densityModel({ latents: real(Matrix.from(X)) }, ({ latents }) => {
      const gram = op.matMul(latents as Tensor2D, latents as Tensor2D, false, true);
      return op.mul(-0.5, op.sum(op.square(op.mul(op.sub(gram, op.tensor(G)), op.tensor(lower))))) as Scalar;
    });
    const { evidence, rotations, latents } = await laplaceApproximation(model, {});
    expect(rotations).toBe(expected);
    // Across the orbit the Hessian is JᵀJ/s² with J the slopes of these entries.
    const J: number[][] = [];
    const q = X[0]!.length;
    for (let i = 0; i < X.length; i++) {
      for (let j = 0; j <= i; j++) {
        const row = new Array(X.length * q).fill(0);
        for (let d = 0; d < q; d++) {
          row[i * q + d] += X[j]![d]!;
          row[j * q + d] += X[i]![d]!;
        }
        J.push(row);
      }
    }
    // |JᵀJ| on the complement of its null space is |JJᵀ|.
    const JJ = J.map((a) => J.map((b) => a.reduce((sum, entry, k) => sum + (entry * b[k]!) / s ** 2, 0)));
    const across = (J.length / 2) * Math.log(2 * Math.PI) - logDeterminant(JJ) / 2;
    expectClose([evidence!], [across + logVolume], 1e-6, 'evidence');
    // The pseudo-inverse has no variance along the rotation.
    if (X.length === 1) {
      const along = latents!.covariances[0]!.toArrays().map((row) =>
        row.reduce((sum, entry, k) => sum + entry * X[0]![k]!, 0),
      );
      const variance = s ** 2 / (4 * 25);
      expectClose(
        along,
        X[0]!.map((entry) => variance * entry),
        1e-6,
        'radial',
      );
    }
  });

  it('is the exact evidence of models that are jointly normal, though rows depend on each other', async () => {
    const times = [0, 0.5, 1.1, 1.3, 2.4, 3].map((t) => [t]);
    const Y = [[0.3], [0.9], [1.1], [0.2], [-0.8], [-0.4]];
    const noise = () => gaussian({ variance: fixed(0.2) });
    const smooth = defineModel({
      name: 'smooth',
      variables: () => {
        const t = known(times);
        const kernel = rbf({ variance: fixed(1.5), lengthscale: fixed(0.8) });
        const z = latent({ dim: 1, density: gaussianProcess({ kernel, noise: fixed(0.01) }), given: t });
        return { t, z, y: observed(Y, { density: noise(), given: z, center: false }) };
      },
    })(undefined);
    const result = await fit(smooth, { tolerance: 1e-10, relativeDecrease: 0 });
    const { evidence, latents } = await laplaceApproximation(smooth, result);
    const K = times.map(([a], i) =>
      times.map(([b], j) => 1.5 * Math.exp(-0.5 * ((a! - b!) / 0.8) ** 2) + (i === j ? 0.01 : 0)),
    );
    const covariance = K.map((row, i) => row.map((entry, j) => entry + (i === j ? 0.2 : 0)));
    const precision = inverse(covariance);
    const quadratic = Y.reduce(
      (sum, [a], i) => sum + Y.reduce((inner, [b], j) => inner + a! * precision[i]![j]! * b!, 0),
      0,
    );
    const exact = -3 * Math.log(2 * Math.PI) - logDeterminant(covariance) / 2 - quadratic / 2;
    expect(Math.abs(evidence! - exact)).toBeLessThan(1e-6);
    // Var[z | y] = K − K(K + σ²I)⁻¹K
    const posterior = K.map(
      (row, i) =>
        row[i]! -
        row.reduce((sum, a, k) => sum + a * precision[k]!.reduce((inner, b, l) => inner + b * K[l]![i]!, 0), 0),
    );
    expectClose(
      latents!.covariances.map(({ data }) => data[0]!),
      posterior,
      1e-6,
      'marginal variances',
    );
  });

  it('of gamma, beta and normal posteriors at their modes has the inverse curvature in natural space', async () => {
    // log p = 5·log r − 2r, mode 5/2; 3·log s + 4·log(1 − s), mode 3/7; a correlated normal about (1, −2).
    const P = precisionMatrix(2);
    const model = densityModel({ r: positive(1), s: bounded(0, 1), t: real([0, 0]), held: fixed(3) }, ({ r, s, t }) => {
      const gamma = op.sub(op.mul(5, op.log(r!)), op.mul(2, r!));
      const beta = op.add(op.mul(3, op.log(s!)), op.mul(4, op.log(op.sub(1, s!))));
      return op.add(op.add(gamma, beta), normal(op.sub(t!, op.tensor([1, -2])), P)) as Scalar;
    });
    const result = await fit(model, { tolerance: 1e-10, relativeDecrease: 0 });
    const { parameters } = await laplaceApproximation(model, result);
    expect(parameters!.names).toEqual(['r', 's', 't[0]', 't[1]']);
    expectClose(parameters!.mean, [2.5, 3 / 7, 1, -2], 1e-8, 'mode');
    const { covariance } = parameters!;
    const [a, b, c, d] = inverse2(P);
    const p = 3 / 7;
    const expected = [
      [5 / 4, 0, 0, 0],
      [0, 1 / (3 / p ** 2 + 4 / (1 - p) ** 2), 0, 0],
      [0, 0, a!, b!],
      [0, 0, c!, d!],
    ];
    expectClose(covariance, expected, 1e-8, 'covariance');
    expect((await laplaceApproximation(model, { r: 2.5, s: p, t: [1, -2] })).parameters!.covariance.rows).toBe(4);
  });

  it('of variables has the points of each, and the evidence of a normal model, to 1e-9', async () => {
    // y = z + e with z ~ N(0, 1), e ~ N(0, ½), entry by entry: z | y has variance 1/3, and y has 3/2.
    const Y = [
      [0.3, -1],
      [2, 0.4],
      [-0.7, 1.1],
    ];
    const noise = gaussian({ variance: fixed(0.5) });
    const model = defineModel({
      name: 'noisy',
      variables: () => {
        const z = latent({ dim: 2, density: standardNormal() });
        return { z, y: observed(Y, { density: noise, given: z, center: false }) };
      },
    })(undefined);
    const result = await fit(model, { tolerance: 1e-10, relativeDecrease: 0 });
    const { parameters, latents, points, evidence } = await laplaceApproximation(model, result);
    expect(parameters).toBeUndefined();
    expect(Object.keys(points!)).toEqual(['z']);
    expect(points!.z).toBe(latents);
    for (const covariance of latents!.covariances) expectClose(covariance, [1 / 3, 0, 0, 1 / 3], 1e-8, 'covariance');
    expectClose(
      latents!.mean,
      Y.flat().map((y) => (2 / 3) * y),
      1e-8,
      'mean',
    );
    const exact = Y.flat().reduce((sum, y) => sum - 0.5 * (Math.log(2 * Math.PI * 1.5) + y ** 2 / 1.5), 0);
    expect(Math.abs(evidence! - exact)).toBeLessThan(1e-7);
  });

  it('refuses a model that computes its solution', async () => {
    const Y = pipeFlow({ points: 20, seed: 3 }).observations;
    const refused = laplaceApproximation(pca(Y, { latentDim: 2 }), {});
    await expect(refused).rejects.toThrow(InvalidInputError);
    await expect(refused).rejects.toThrow("'pca' computes its solution");
  });

  it('of a Bayesian GPLVM covers its hyperparameters only, as its means and variances are not points', {
    tags: 'long',
  }, async () => {
    const { observations } = pipeFlow({ points: 20, seed: 3 });
    const model = bayesianGplvm(observations, { latentDim: 1, inducing: 8, kernel: rbf(), noise: 0.05 });
    const result = await fit(model, { maxIterations: 2000 });
    const { parameters, points } = await laplaceApproximation(model, result);
    expect(points).toBeUndefined();
    expect(parameters!.names.some((name) => /latents/.test(name))).toBe(false);
    expect(parameters!.names).toContain('mapping.noise');
  });

  it('of a fitted GPLVM is the inverse of Hessians by differences in natural space', async () => {
    const { observations } = pipeFlow({ points: 20, seed: 3 });
    const model = gplvm(observations, { latentDim: 2, kernel: rbf({ lengthscale: fixed(1) }), noise: 0.05 });
    const result = await fit(model, { maxIterations: 5000, tolerance: 1e-7, relativeDecrease: 0 });
    const { latents, parameters, rotations, evidence } = await laplaceApproximation(model, result);
    const values: Record<string, unknown> & { latents: Matrix } = { latents: result.latents, ...result.parameters };
    const { names, covariance } = parameters!;
    expect(names).toEqual(['mapping.kernel.rbf.variance', 'mapping.noise']);
    // H by differences of `evaluate`'s gradients, over all latents and both parameters. Rotations of the map leave the density as it is.
    const [N, q] = [20, 2];
    const m = N * q + names.length;
    const gradientAt = (k: number, by: number) => {
      const moved: typeof values = { ...values, latents: Matrix.from(result.latents) };
      if (k < N * q) moved.latents.data[k]! += by;
      else moved[names[k - N * q]!] = (values[names[k - N * q]!] as number) + by;
      const { gradients } = evaluate(model, moved as GivenValues);
      return [...(gradients.latents as Matrix).data, ...names.map((name) => gradients[name] as number)];
    };
    const H = Array.from({ length: m }, (_, k) => {
      const h = 1e-5 * (k < N * q ? 1 : (values[names[k - N * q]!] as number));
      const [above, below] = [gradientAt(k, h), gradientAt(k, -h)];
      return above.map((entry, j) => -(entry - below[j]!) / (2 * h));
    });
    const turn = Array.from({ length: m }, (_, k) =>
      k >= N * q ? 0 : k % 2 === 0 ? -result.latents.data[k + 1]! : result.latents.data[k - 1]!,
    );
    const size = turn.reduce((sum, entry) => sum + entry ** 2, 0);
    const S = inverse(
      H.map((row, i) => row.map((_, j) => (H[i]![j]! + H[j]![i]!) / 2 + (turn[i]! * turn[j]!) / size)),
    ).map((row, i) => row.map((entry, j) => entry - (turn[i]! * turn[j]!) / size));
    expectClose(
      covariance,
      names.flatMap((_, i) => names.map((__, j) => S[N * q + i]![N * q + j]!)),
      1e-4,
    );
    expect(latents!.covariances).toHaveLength(20);
    for (const n of [0, 7, 19]) {
      const block = [0, 1].flatMap((d) => [0, 1].map((e) => S[2 * n + d]![2 * n + e]!));
      expectClose(latents!.covariances[n], block, 1e-4, `point ${n}`);
    }
    expect(rotations).toBe(1);
    // Held parameters leave less to be uncertain about.
    const held = await laplaceApproximation(model, result, { parameters: false });
    expect(held.evidence).toBe(evidence);
    for (const [n, { data }] of held.latents!.covariances.entries()) {
      expect(data[0]).toBeLessThanOrEqual(latents!.covariances[n]!.data[0]! * (1 + 1e-6));
    }
  });

  it('is the same on every engine', async () => {
    const P = precisionMatrix(4);
    const X = Matrix.from([
      [0.3, -1],
      [2, 0],
    ]);
    const model = densityModel({ latents: real(X) }, ({ latents }) => normal(latents!, P));
    const [wasm, typescript] = [
      await laplaceApproximation(model, {}, { engine: 'wasm' }),
      await laplaceApproximation(model, {}, { engine: 'typescript' }),
    ];
    wasm.latents!.covariances.forEach((covariance, n) => {
      expectClose(covariance, typescript.latents!.covariances[n]!, 1e-8, `point ${n}`);
    });
    await expect(laplaceApproximation(model, {}, { engine: 'fast' as never })).rejects.toThrow(/'engine'/);
  });

  it('reports where there is no maximum', async () => {
    const saddle = densityModel({ a: real(0), b: positive(1) }, ({ a, b }) => {
      return op.sub(op.square(a!), op.square(op.log(b!))) as Scalar;
    });
    const refused = laplaceApproximation(saddle, {});
    await expect(refused).rejects.toThrow(NumericalError);
    await expect(refused).rejects.toThrow(/negative Hessian \(2×2\) reach from -2 to 2, the smallest mostly along 'a'/);
    const flat = densityModel({ latents: real(Matrix.zeros(3, 2)), b: real(1) }, ({ latents, b }) => {
      const used = op.mul(
        latents!,
        op.tensor([
          [1, 1],
          [1, 0],
          [1, 1],
        ]),
      );
      return op.neg(op.add(op.sum(op.square(used)), op.square(b!))) as Scalar;
    });
    await expect(laplaceApproximation(flat, {})).rejects.toThrow(/7×7.*the smallest mostly along 'latents\[1, 1\]'/);
    const some = await laplaceApproximation(flat, {}, { latents: false });
    expect(some.latents).toBeUndefined();
    expect(some.parameters!.covariance.at(0, 0)).toBeCloseTo(0.5, 8);
    expect((await laplaceApproximation(saddle, {}, { parameters: false })).parameters).toBeUndefined();
  });

  it('stops when it is aborted, and refuses values that are not the model’s', async () => {
    const model = densityModel({ a: real(0) }, ({ a }) => op.neg(op.square(a!)) as Scalar);
    const reason = new RangeError('enough');
    await expect(laplaceApproximation(model, {}, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    await expect(laplaceApproximation(model, { b: 1 })).rejects.toThrow(InvalidInputError);
    await expect(laplaceApproximation(model, {}, { latent: false } as object)).rejects.toThrow(
      /Did you mean 'latents'/,
    );
  });
});
