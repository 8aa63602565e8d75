import { bayesianGplvm, defineModel, gaussian, latent, observed, pca, standardNormal } from 'latentfield';
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
  it('of a normal posterior of latents has the conditional covariance of each point', async () => {
    const P = precisionMatrix(6);
    const X = Matrix.from([
      [0.3, -1],
      [2, 0],
      [0.1, 5],
    ]);
    const model = densityModel({ latents: real(X) }, ({ latents }) => normal(latents!, P));
    const { latents, parameters } = await laplaceApproximation(model, {});
    expect(parameters).toBeUndefined();
    expect(latents!.mean).toEqual(X);
    latents!.covariances.forEach((covariance, n) => {
      const block = [0, 1].map((i) => [0, 1].map((j) => P[2 * n + i]![2 * n + j]!));
      expectClose(covariance, inverse2(block), 1e-8, `point ${n}`);
    });
    expect(latents!.covariances).toHaveLength(3);
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

  it('of a Bayesian GPLVM is that of its hyperparameters, as its means and variances are no points', async () => {
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
    const { latents, parameters } = await laplaceApproximation(model, result);
    const values: GivenValues = { latents: result.latents, ...result.parameters } as GivenValues;
    const { names, covariance } = parameters!;
    expect(names).toEqual(['mapping.kernel.rbf.variance', 'mapping.noise']);
    // Σ·H = I with H by differences of `evaluate`'s gradients.
    const H = names.map((moved) => {
      const at = values[moved] as number;
      const h = 1e-5 * at;
      const [above, below] = [at + h, at - h].map((value) => evaluate(model, { ...values, [moved]: value }).gradients);
      return names.map((name) => -((above![name] as number) - (below![name] as number)) / (2 * h));
    });
    const product = [0, 1].map((i) =>
      [0, 1].map((j) => covariance.at(i, 0) * H[0]![j]! + covariance.at(i, 1) * H[1]![j]!),
    );
    expectClose(product[0]![0], 1, 1e-5);
    expectClose(product[1]![1], 1, 1e-5);

    expect(latents!.covariances).toHaveLength(20);
    for (const n of [0, 7, 19]) {
      const block = [0, 1].map((d) => {
        const moved = (by: number) => {
          const X = Matrix.from(result.latents);
          X.data[2 * n + d]! += by;
          return (evaluate(model, { ...values, latents: X }).gradients.latents as Matrix).row(n);
        };
        const [above, below] = [moved(1e-5), moved(-1e-5)];
        return [0, 1].map((e) => -(above[e]! - below[e]!) / 2e-5);
      });
      expectClose(latents!.covariances[n], inverse2(block), 1e-6, `point ${n}`);
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

  it('says where there is no maximum', async () => {
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
    await expect(laplaceApproximation(flat, {})).rejects.toThrow(/latents of 1 of 3 points here \(rows 1\)/);
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
