import { add, bias, evaluate, gplvm, type Kernel, linear, rbf, white } from 'latentfield';
import * as op from 'latentfield/ops';
import { describe, expect, it } from 'vitest';
import { Matrix } from '../../../src/core/matrix.ts';
import { doublesOf } from '../../../src/engine/tensors/doubles.ts';
import { withFloat64 } from '../../../src/engine/tensors/float64/scope.ts';
import { valueAndGradients } from '../../../src/engine/tensors/gradients.ts';
import type { Scalar, Tensor2D } from '../../../src/engine/tensors/tensorflow.ts';
import { closedExpectations } from '../../../src/kernels/expectations/index.ts';
import { unitNormal } from '../../../src/models/gp/latentVariableModel.ts';
import { collapsedBound, collapsedData } from '../../../src/processes/variational/collapsedBound.ts';
import { inducingFactor } from '../../../src/processes/variational/inducingVariables.ts';
import { reference } from '../../reference.ts';
import { expectClose } from '../../tolerance.ts';

const divergenceOf = (x: op.GaussianRows) => op.sum(unitNormal.gaussian!.divergence!({}, x)) as Scalar;

interface Case {
  kernel: string;
  noise: number;
  bound: number;
  kl: number;
  psi0: number[];
  psi1: number[][];
  psi2: number[][];
  gradients: {
    mean: number[][];
    variance: number[][];
    inducing: number[][];
    noise: number[];
    kernel: Record<string, number[]>;
  };
  parameters: Record<string, number[]>;
}
const { Y, mean, variance, Z, cases } = reference<{
  Y: number[][];
  mean: number[][];
  variance: number[][];
  Z: number[][];
  cases: Case[];
}>('gpy-bayesian.json');

const kernels: Record<string, Kernel> = {
  rbf_ard: rbf({ lengthscale: [1, 1, 1] }),
  rbf: rbf(),
  linear_ard: linear({ variance: [1, 1, 1] }),
  'rbf_ard+bias': add(rbf({ lengthscale: [1, 1, 1] }), bias()),
  'linear+bias': add(linear(), bias()),
  'rbf_ard+white': add(rbf({ lengthscale: [1, 1, 1] }), white()),
};
/** GPy calls the variance of its linear kernel variances. */
const ours = (name: string) => name.replace('variances', 'variance');

function tensorsOf(parameters: Record<string, number[]>, kernel: Kernel) {
  return Object.fromEntries(
    Object.entries(parameters).map(([name, values]) => {
      const { initial } = kernel.parameters[ours(name)]!;
      return [ours(name), typeof initial === 'number' ? op.scalar(values[0]!) : op.tensor(values)];
    }),
  );
}

describe.each(cases)('the collapsed bound with $kernel', (given) => {
  const kernel = kernels[given.kernel]!;
  const isLinear = given.kernel.startsWith('linear');

  it('rests on the expectations of GPy', () => {
    withFloat64(() => {
      const x = { mean: op.tensor<Tensor2D>(mean), variance: op.tensor<Tensor2D>(variance) };
      const inputs = { x, Z: op.tensor<Tensor2D>(Z) };
      const expectations = closedExpectations(kernel, tensorsOf(given.parameters, kernel), inputs)!;
      expectClose(doublesOf(expectations.diagonal), given.psi0, 1e-14, 'psi0');
      expectClose(doublesOf(expectations.cross), given.psi1, 1e-13, 'psi1');
      expectClose(doublesOf(expectations.products()[0]!), given.psi2, 1e-13, 'psi2');
    });
  });

  it('and its gradients agree with GPy', () => {
    withFloat64(() => {
      const x = { mean: op.tensor<Tensor2D>(mean), variance: op.tensor<Tensor2D>(variance) };
      const inducing = op.tensor<Tensor2D>(Z);
      const noise = op.scalar(given.noise);
      const p = tensorsOf(given.parameters, kernel);
      const observations = Matrix.from(Y);
      const data = collapsedData(observations);
      const bound = () => {
        const factor = inducingFactor(kernel, p, inducing, { jitter: 1e-8 });
        const expectations = closedExpectations(kernel, p, { x, Z: inducing })!;
        return op.sub(collapsedBound(factor, expectations, noise, data), divergenceOf(x)) as Scalar;
      };
      const { value, gradients } = valueAndGradients(bound, [x.mean, x.variance, inducing, noise, ...Object.values(p)]);
      data.dispose();
      expect(Math.abs(op.valueOf(divergenceOf(x)) / given.kl - 1)).toBeLessThan(1e-13);
      expect(Math.abs(value / given.bound - 1)).toBeLessThan(1e-9);
      const wanted = given.gradients;
      const expected = [wanted.mean, wanted.variance, wanted.inducing, wanted.noise, ...Object.values(wanted.kernel)];
      const names = ['mean', 'variance', 'inducing', 'noise', ...Object.keys(wanted.kernel)];
      // With as many inducing inputs as dimensions a linear kernel's bound does not depend on where they are: what is left is rounding,
      // to be compared with gradients that are there.
      const all = Math.max(...expected.flat(2).map(Math.abs));
      expected.forEach((entries, i) => {
        if (isLinear) expectClose([...gradients[i]!, all], [...entries.flat(), all], 1e-6, names[i]);
        else expectClose(gradients[i]!, entries, 1e-8, names[i]);
      });
    });
  });
});

describe('the collapsed bound', () => {
  const kernel = add(rbf({ lengthscale: 1.2 }), bias({ variance: 0.3 }));
  const p = () => ({
    'rbf.variance': op.scalar(1),
    'rbf.lengthscale': op.scalar(1.2),
    'bias.variance': op.scalar(0.3),
  });

  function boundOf(
    observations: Matrix,
    inputs: { variance: number[][]; Z: number[][]; jitter: number },
    noise: number | number[] = 0.05,
  ): number {
    return withFloat64(() => {
      const apart = typeof noise !== 'number';
      const data = collapsedData(observations, { forBound: true, apart });
      const x = { mean: op.tensor<Tensor2D>(mean), variance: op.tensor<Tensor2D>(inputs.variance) };
      const Z = op.tensor<Tensor2D>(inputs.Z);
      const factor = inducingFactor(kernel, p(), Z, { jitter: inputs.jitter });
      const expectations = closedExpectations(kernel, p(), { x, Z, ...(data.weights && { weights: data.weights }) })!;
      const value = op.valueOf(collapsedBound(factor, expectations, apart ? op.tensor(noise) : op.scalar(noise), data));
      data.dispose();
      return value;
    });
  }

  it('with latents without variance as inducing inputs is the log density of the GPLVM', () => {
    const model = gplvm(Y, { latentDim: 3, kernel, noise: 0.05, priors: [], center: false });
    const { objective } = evaluate(model, { latents: mean });
    const certain = mean.map((row) => row.map(() => 0));
    const bound = boundOf(Matrix.from(Y), { variance: certain, Z: mean, jitter: 0 });
    expect(Math.abs(bound / objective - 1)).toBeLessThan(1e-11);
  });

  it('with missing entries is the sum of the bounds of columns on their own rows', () => {
    const missing = Matrix.from(Y);
    for (const [i, j] of [
      [2, 0],
      [5, 0],
      [2, 3],
      [5, 3],
      [9, 4],
    ] as const)
      missing.data[i * missing.columns + j] = Number.NaN;
    const whole = boundOf(missing, { variance, Z, jitter: 1e-8 });
    const apart = missing.toArrays()[0]!.map((_, j) => boundOf(columnOf(missing, j), { variance, Z, jitter: 1e-8 }));
    expect(Math.abs(whole / apart.reduce((sum, part) => sum + part) - 1)).toBeLessThan(1e-12);
    const complete = boundOf(Matrix.from(Y), { variance, Z, jitter: 1e-8 });
    const columns = Y[0]!.map((_, j) => boundOf(columnOf(Matrix.from(Y), j), { variance, Z, jitter: 1e-8 }));
    expect(Math.abs(complete / columns.reduce((sum, part) => sum + part) - 1)).toBeLessThan(1e-12);
    // With a variance of the noise per column, too.
    const noise = Y[0]!.map((_, j) => 0.02 * (1 + j));
    for (const table of [Matrix.from(Y), missing]) {
      const inputs = { variance, Z, jitter: 1e-8 };
      const expected = noise.map((own, j) => boundOf(columnOf(table, j), inputs, own));
      const found = boundOf(table, inputs, noise);
      expect(Math.abs(found / expected.reduce((sum, part) => sum + part) - 1)).toBeLessThan(1e-12);
    }
  });

  it('is never above the log density of observations without misfit, even where a large variance of the kernel is lost in rounding', () => {
    const observations = Matrix.from(Y);
    const most = -0.5 * observations.data.length * Math.log(2 * Math.PI * 0.01);
    for (const signal of [1, 1e12, 1e16, 1e18]) {
      const bound = withFloat64(() => {
        const data = collapsedData(observations);
        const q = {
          'rbf.variance': op.scalar(signal),
          'rbf.lengthscale': op.scalar(30),
          'bias.variance': op.scalar(1),
        };
        const x = {
          mean: op.tensor<Tensor2D>(mean),
          variance: op.tensor<Tensor2D>(variance.map((s) => s.map(() => 1e-9))),
        };
        const inducing = op.tensor<Tensor2D>(mean);
        const expectations = closedExpectations(kernel, q, { x, Z: inducing })!;
        const value = op.valueOf(
          collapsedBound(inducingFactor(kernel, q, inducing), expectations, op.scalar(0.01), data),
        );
        data.dispose();
        return value;
      });
      expect(bound, `variance ${signal}`).toBeLessThan(most);
    }
  });

  const columnOf = (observations: Matrix, j: number) => new Matrix(observations.column(j), observations.rows, 1);
});
