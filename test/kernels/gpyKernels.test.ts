import { describe, expect, it } from 'vitest';
import { Matrix } from '../../src/core/matrix.ts';
import { matrixTensor, tensorMatrix } from '../../src/engine/tensors/doubles.ts';
import { withFloat64 } from '../../src/engine/tensors/float64/scope.ts';
import { valueAndGradients } from '../../src/engine/tensors/gradients.ts';
import * as op from '../../src/engine/tensors/ops.ts';
import type { Scalar, Tensor, Tensor1D, Tensor2D } from '../../src/engine/tensors/tensorflow.ts';
import {
  add,
  bias,
  cosine,
  type Kernel,
  linear,
  matern12,
  matern32,
  matern52,
  mlp,
  multiply,
  periodic,
  polynomial,
  rationalQuadratic,
  rbf,
  white,
} from '../../src/kernels/index.ts';
import { entriesOf, shapeOf } from '../../src/model/parameter.ts';
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
  /** Missing where GPy has none. */
  grad_diag: Gradient | null;
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

/** Where GPy's gradient in a parameter is among ours: under a path, or what our gradients make of it after a rescaling. */
type Place = string | ((dp: Record<string, Float64Array>) => number[]);

/** Our kernel for each of GPy's, and where its parameters are. */
const ARD = [0.7, 1.3, 2.1];
const stationary = (name: string) => ({ variance: `${name}.variance`, lengthscale: `${name}.lengthscale` });
const mlpPaths = {
  variance: 'mlp.variance',
  weight_variance: 'mlp.weightVariance',
  bias_variance: 'mlp.biasVariance',
};
const polynomialPaths = { variance: 'polynomial.variance', scale: 'polynomial.scale', bias: 'polynomial.offset' };
// GPy's rational quadratic is v(1 + r²/2)^−power, without our division by α = power: its lengthscale is ours times √α. So with
// l = lengthscale/√power, ∂/∂power = ∂/∂α − Σ l/(2α)·∂/∂l.
const POWER = 1.7;
function rationalQuadraticCase(theirs: number[]) {
  const lengthscale = theirs.map((l) => l / Math.sqrt(POWER));
  const ard = theirs.length > 1;
  return {
    kernel: rationalQuadratic({ variance: 1.4, lengthscale: ard ? lengthscale : lengthscale[0]!, alpha: POWER }),
    paths: {
      variance: 'rationalQuadratic.variance',
      lengthscale: (dp: Record<string, Float64Array>) =>
        Array.from(dp['rationalQuadratic.lengthscale']!, (entry) => entry / Math.sqrt(POWER)),
      power: (dp: Record<string, Float64Array>) => [
        dp['rationalQuadratic.lengthscale']!.reduce(
          (sum, entry, d) => sum - (lengthscale[d]! / (2 * POWER)) * entry,
          dp['rationalQuadratic.alpha']![0]!,
        ),
      ],
    },
  };
}
// GPy's periodic has ½ in place of our 2: its lengthscale is half of ours.
const periodicPaths: Record<string, Place> = {
  variance: 'periodic.variance',
  period: 'periodic.period',
  lengthscale: (dp) => Array.from(dp['periodic.lengthscale']!, (entry) => 2 * entry),
};
const catalog: Record<string, { kernel: Kernel; paths: Record<string, Place> }> = {
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
  'rbf*linear*matern32': {
    kernel: multiply(
      rbf({ variance: 1.4, lengthscale: 0.8 }),
      linear({ variance: 1.7 }),
      matern32({ variance: 1.1, lengthscale: 1.5 }),
    ),
    paths: {
      'rbf.variance': 'rbf.variance',
      'rbf.lengthscale': 'rbf.lengthscale',
      'linear.variances': 'linear.variance',
      'Mat32.variance': 'matern32.variance',
      'Mat32.lengthscale': 'matern32.lengthscale',
    },
  },
  'mlp+linear+white': {
    kernel: add(
      mlp({ variance: 1.1, weightVariance: 1.6, biasVariance: 0.7 }),
      linear({ variance: 1.7 }),
      white({ variance: 0.3 }),
    ),
    paths: {
      ...Object.fromEntries(Object.entries(mlpPaths).map(([theirs, ours]) => [`mlp.${theirs}`, ours])),
      'linear.variances': 'linear.variance',
      'white.variance': 'white.variance',
    },
  },
  ...Object.fromEntries(
    // GPy has the Ornstein–Uhlenbeck covariance under two names.
    Object.entries({ ou: matern12, exponential: matern12, matern32, matern52 }).flatMap(([theirs, factory]) =>
      [0.8, ARD].map((lengthscale) => {
        const kernel = factory({ variance: 1.4, lengthscale });
        return [lengthscale === ARD ? `${theirs}_ard` : theirs, { kernel, paths: stationary(kernel.name) }];
      }),
    ),
  ),
  poly2: {
    kernel: polynomial({ variance: 0.6, scale: 0.9, offset: 1.3, degree: 2 }),
    paths: polynomialPaths,
  },
  poly3: {
    kernel: polynomial({ variance: 0.6, scale: 0.9, offset: 1.3, degree: 3 }),
    paths: polynomialPaths,
  },
  mlp: {
    kernel: mlp({ variance: 1.1, weightVariance: 1.6, biasVariance: 0.7 }),
    paths: mlpPaths,
  },
  mlp_ard: {
    kernel: mlp({ variance: 1.1, weightVariance: [0.5, 1.6, 2.2], biasVariance: 0.7 }),
    paths: mlpPaths,
  },
  ratquad: rationalQuadraticCase([0.8]),
  ratquad_ard: rationalQuadraticCase(ARD),
  std_periodic: {
    kernel: periodic({ variance: 1.2, period: 1.9, lengthscale: 1.7 }),
    paths: periodicPaths,
  },
  std_periodic_ard: {
    kernel: periodic({ variance: 1.2, period: [1.9, 2.5, 3.1], lengthscale: [1.7, 2.2, 1.2] }),
    paths: periodicPaths,
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

describe.each(Object.entries(catalog))('%s equals GPy', (name, { kernel, paths }) => {
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
      if (wanted === null) continue;
      const { dX, dp } = weighted(kernel, X, form, weights as number[][]);
      expectClose(dX, wanted.dX, 1e-9, `${key} dX`);
      expect(Object.keys(wanted.params)).toEqual(Object.keys(paths));
      for (const [theirs, ours] of Object.entries(paths)) {
        const gradient = typeof ours === 'string' ? dp[ours]! : ours(dp);
        expectClose(gradient, wanted.params[theirs], 1e-9, `${key} ${theirs}`);
      }
    }
  });
});

// GPy's cosine is v·cos(r) of the Euclidean distance, ours v·cos(2π·Σ(x − x')/l): the same function along a line, with our
// lengthscale 2π times theirs. So its matrices are ours of the points 0 and r_ij on a line.
describe.each([
  ['cosine', [0.8, 0.8, 0.8]],
  ['cosine_ard', ARD],
])('%s equals GPy along a line', (name, lengthscales) => {
  const expected = file.kernels.find((entry) => entry.name === name)!;
  const kernel = cosine({ variance: 1.4, lengthscale: 2 * Math.PI });
  const scaled = (rows: number[][]) => Matrix.from(rows.map((row) => row.map((x, d) => x / lengthscales[d]!)));
  const alongLine = (p: Record<string, Tensor>, r: Tensor2D) => {
    const origin = op.tensor<Tensor2D>([[0]]);
    const line = op.reshape<Tensor2D>(r, [r.size, 1]);
    return op.reshape(kernel.covariance(p, line, origin, origin), r.shape);
  };

  it('in its Gram matrix and cross covariance to 1e-12', () => {
    const p = () => ({ 'cosine.variance': op.scalar(1.4), 'cosine.lengthscale': op.scalar(2 * Math.PI) });
    const X = scaled(file.X);
    const K = withFloat64(() => {
      const A = matrixTensor(X);
      return tensorMatrix(alongLine(p(), op.distances(A, A)) as Tensor2D);
    });
    const cross = withFloat64(() =>
      tensorMatrix(alongLine(p(), op.distances(matrixTensor(X), matrixTensor(scaled(file.X2)))) as Tensor2D),
    );
    expectClose(K, expected.K, 1e-12, 'K');
    expectClose(cross, expected.K_cross, 1e-12, 'cross');
  });

  it('in its gradients to 1e-9', () => {
    const { dX, dp } = weighted(kernel, scaled(file.X), (p, A) => alongLine(p, op.distances(A, A)), file.R);
    const unscaled = dX.map((entry, i) => entry / lengthscales[i % 3]!);
    expectClose(unscaled, expected.grad_full.dX, 1e-9, 'dX');
    expectClose(dp['cosine.variance'], expected.grad_full.params.variance, 1e-9, 'variance');
    if (name === 'cosine_ard') return;
    // ∂/∂l of ours at points scaled by 1/0.8 is theirs times 0.8/(2π).
    const lengthscale = (dp['cosine.lengthscale']![0]! * 2 * Math.PI) / 0.8;
    expectClose([lengthscale], expected.grad_full.params.lengthscale, 1e-9, 'lengthscale');
  });
});

it('every covariance of GPy in the file is compared, but for one that the catalog has no counterpart of', () => {
  const compared = [...Object.keys(catalog), 'cosine', 'cosine_ard'];
  // The periodic exponential is a finite sum of waves that depends on an interval.
  expect(file.kernels.map((entry) => entry.name).filter((name) => !compared.includes(name))).toEqual([
    'periodic_exponential',
  ]);
});
