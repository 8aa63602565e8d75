import { describe, expect, it } from 'vitest';
import { withFloat64 } from '../../src/core/float64/scope.ts';
import { valueAndGradients } from '../../src/core/gradients.ts';
import { Matrix } from '../../src/core/matrix.ts';
import { matrixTensor, tensorMatrix } from '../../src/core/matrixTensor.ts';
import * as op from '../../src/core/ops.ts';
import { entriesOf, shapeOf } from '../../src/core/parameter.ts';
import type { Scalar, Tensor, Tensor1D, Tensor2D } from '../../src/core/tensorflow.ts';
import { add, bias, type Kernel, linear, multiply, rbf, white } from '../../src/kernels/index.ts';
import { reference } from '../reference.ts';
import { expectClose } from '../tolerance.ts';

interface Gradient {
  dX: number[][];
  params: Record<string, number[]>;
}
interface Case {
  name: string;
  K: number[][];
  K_cross: number[][];
  K_diag: number[];
  x_columns: number[];
  params: Record<string, number[]>;
  grad_full: Gradient;
  grad_cross: Gradient;
  grad_diag: Gradient;
}
interface Reference {
  X: number[][];
  X2: number[][];
  R: number[][];
  Rc: number[][];
  rd: number[];
  kernels: Case[];
}

const file = reference<Reference>('gpy-kernels.json');

/** Our kernel for each of GPy's, and where its parameters are. */
const ARD = [0.7, 1.3, 2.1];
const catalogue: Record<string, { kernel: Kernel; paths: Record<string, string> }> = {
  rbf: {
    kernel: rbf({ variance: 1.4, lengthscale: 0.8 }),
    paths: { variance: 'rbf.variance', lengthscale: 'rbf.lengthscale' },
  },
  rbf_ard: {
    kernel: rbf({ variance: 1.4, lengthscale: ARD }),
    paths: { variance: 'rbf.variance', lengthscale: 'rbf.lengthscale' },
  },
  linear: { kernel: linear({ variance: 1.7 }), paths: { variances: 'linear.variance' } },
  linear_ard: { kernel: linear({ variance: [0.5, 1.2, 2.0] }), paths: { variances: 'linear.variance' } },
  bias: { kernel: bias({ variance: 0.45 }), paths: { variance: 'bias.variance' } },
  white: { kernel: white({ variance: 0.3 }), paths: { variance: 'white.variance' } },
  'rbf+bias+white': {
    kernel: add(rbf({ variance: 1.4, lengthscale: 0.8 }), bias({ variance: 0.45 }), white({ variance: 0.3 })),
    paths: {
      'rbf.variance': 'rbf.variance',
      'rbf.lengthscale': 'rbf.lengthscale',
      'bias.variance': 'bias.variance',
      'white.variance': 'white.variance',
    },
  },
  'rbf_ard+linear_ard+bias+white': {
    kernel: add(
      rbf({ variance: 1.4, lengthscale: ARD }),
      linear({ variance: [0.5, 1.2, 2.0] }),
      bias({ variance: 0.45 }),
      white({ variance: 0.3 }),
    ),
    paths: {
      'rbf.variance': 'rbf.variance',
      'rbf.lengthscale': 'rbf.lengthscale',
      'linear.variances': 'linear.variance',
      'bias.variance': 'bias.variance',
      'white.variance': 'white.variance',
    },
  },
  'rbf*linear': {
    kernel: multiply(rbf({ variance: 1.4, lengthscale: 0.8 }), linear({ variance: 1.7 })),
    paths: {
      'rbf.variance': 'rbf.variance',
      'rbf.lengthscale': 'rbf.lengthscale',
      'linear.variances': 'linear.variance',
    },
  },
  '(rbf*linear)+bias': {
    kernel: add(
      multiply(rbf({ variance: 1.4, lengthscale: 0.8 }), linear({ variance: 1.7 })),
      bias({ variance: 0.45 }),
    ),
    paths: {
      'mul.rbf.variance': 'rbf.variance',
      'mul.rbf.lengthscale': 'rbf.lengthscale',
      'mul.linear.variances': 'linear.variance',
      'bias.variance': 'bias.variance',
    },
  },
};

const pick = (rows: number[][], columns: number[]) => Matrix.from(rows.map((row) => columns.map((c) => row[c]!)));

/** Gradient of Σ weights·(what the kernel gives) in X and in every parameter. */
function weighted(
  kernel: Kernel,
  X: Matrix,
  form: (p: Record<string, Tensor>, A: Tensor2D) => Tensor,
  weights: number[][] | number[],
): { dX: Float64Array; dp: Record<string, Float64Array> } {
  return withFloat64(() => {
    const names = Object.keys(kernel.parameters);
    const p = Object.fromEntries(
      names.map((name) => {
        const { initial } = kernel.parameters[name]!;
        return [name, op.tensor(entriesOf(initial), shapeOf(initial))];
      }),
    );
    const A = matrixTensor(X);
    const w = op.tensor(
      Float64Array.from(weights.flat()),
      Array.isArray(weights[0]) ? [weights.length, weights[0].length] : [weights.length],
    );
    const { gradients } = valueAndGradients(
      () => op.sum(op.mul(w, form(p, A))) as Scalar,
      [A, ...names.map((name) => p[name]!)],
    );
    const zero = (size: number) => new Float64Array(size);
    return {
      dX: gradients[0] ?? zero(A.size),
      dp: Object.fromEntries(names.map((name, i) => [name, gradients[i + 1] ?? zero(p[name]!.size)])),
    };
  });
}

function values(kernel: Kernel, X: Matrix, X2: Matrix): { K: Matrix; cross: Matrix; diagonal: Matrix } {
  return withFloat64(() => {
    const p = Object.fromEntries(
      Object.entries(kernel.parameters).map(([name, { initial }]) => [
        name,
        op.tensor(entriesOf(initial), shapeOf(initial)),
      ]),
    );
    const A = matrixTensor(X);
    const B = matrixTensor(X2);
    const diagonal = kernel.diagonal(p, A, A) as Tensor1D;
    return {
      K: tensorMatrix(kernel.covariance(p, A, A, A)),
      cross: tensorMatrix(kernel.covariance(p, A, B, B)),
      diagonal: tensorMatrix(op.reshape(diagonal, [X.rows, 1]) as Tensor2D),
    };
  });
}

describe.each(Object.entries(catalogue))('%s equals GPy', (name, { kernel, paths }) => {
  const expected = file.kernels.find((entry) => entry.name === name)!;
  const X = pick(file.X, expected.x_columns);
  const X2 = pick(file.X2, expected.x_columns);

  it('in its Gram matrix, cross covariance and diagonal to 1e-12', () => {
    const { K, cross, diagonal } = values(kernel, X, X2);
    expectClose(K, expected.K, 1e-12, 'K');
    expectClose(cross, expected.K_cross, 1e-12, 'cross');
    expectClose(diagonal, expected.K_diag, 1e-12, 'diagonal');
  });

  it('in its gradients to 1e-9', () => {
    const X2tensor = () => matrixTensor(X2);
    const forms = {
      grad_full: [(p: Record<string, Tensor>, A: Tensor2D) => kernel.covariance(p, A, A, A), file.R],
      grad_cross: [(p: Record<string, Tensor>, A: Tensor2D) => kernel.covariance(p, A, X2tensor(), A), file.Rc],
      grad_diag: [(p: Record<string, Tensor>, A: Tensor2D) => kernel.diagonal(p, A, A), file.rd],
    } as const;
    for (const [key, [form, weights]] of Object.entries(forms)) {
      const wanted = expected[key as keyof typeof forms];
      const { dX, dp } = weighted(kernel, X, form, weights as number[][]);
      expectClose(dX, wanted.dX, 1e-9, `${key} dX`);
      expect(Object.keys(wanted.params)).toEqual(Object.keys(paths));
      for (const [theirs, ours] of Object.entries(paths)) {
        expectClose(dp[ours]!, wanted.params[theirs], 1e-9, `${key} ${theirs}`);
      }
    }
  });
});
