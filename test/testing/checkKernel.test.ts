import * as tf from '@tensorflow/tfjs';
import { defineKernel, type Kernel, positive, rbf, select } from 'latentfield';
import * as op from 'latentfield/ops';
import { ConformanceError, checkKernel } from 'latentfield/testing';
import { describe, expect, it } from 'vitest';
import { writeGuard } from '../../src/engine/tensors/float64/writeGuard.ts';

type Covariance = Parameters<typeof defineKernel>[0]['covariance'];
type Matrix = tf.Tensor2D;

/** v·exp(−r), as a user would write it. */
const exponential: Covariance = (p, A, B) =>
  op.mul(p.variance!, op.exp(op.neg(op.distances(op.div(A, p.lengthscale!), op.div(B, p.lengthscale!)))));

function own(covariance: Covariance, diagonal?: Parameters<typeof defineKernel>[0]['diagonal']): Kernel {
  return defineKernel({
    name: 'own',
    parameters: { variance: positive(1.5), lengthscale: positive(0.8) },
    covariance,
    ...(diagonal && { diagonal }),
  })();
}

const failures = (kernel: Kernel) =>
  checkKernel(kernel, { throws: false, dimensions: [2] })
    .checks.filter(({ passed }) => !passed)
    .map(({ name }) => name.replace(', 2 columns', ''));

describe('checkKernel', () => {
  it('passes a kernel written outside the library, with its report', () => {
    const report = checkKernel(own(exponential), { dimensions: [1, 2] });
    expect(report.passed).toBe(true);
    expect(report.subject).toBe('Kernel own(variance=1.5, lengthscale=0.8)');
    expect(report.checks.map(({ name }) => name)).toEqual([
      ...[', 1 column', ', 2 columns'].flatMap((columns) =>
        [
          'symmetric',
          'positive semi-definite',
          'diagonal agrees with the Gram matrix',
          'cross covariances agree with the Gram matrix',
          'entries depend on their own two points',
          'the same every time',
          'gradients of the Gram matrix',
          'gradients of cross covariances',
          'gradients of the diagonal',
          'coincident points',
          'one point',
        ].map((name) => name + columns),
      ),
      'positive semi-definite on a lattice, 2 columns',
      'JSON round trip',
      'text round trip',
      'leaves no tensors behind',
    ]);
    expect(String(report)).toMatch(
      /^Kernel own.*\nok {5}symmetric, 1 column: largest error 0\.0e\+0, tolerance 1e-12\n/,
    );
  });

  it.each<[string, Kernel, string[]]>([
    [
      'a covariance that is not symmetric',
      own((p, A, B) => op.mul(exponential(p, A, B, A, {}), op.exp(op.slice(A, [0, 0], [-1, 1])))),
      ['symmetric', 'cross covariances agree with the Gram matrix'],
    ],
    [
      'a covariance that is not positive semi-definite',
      own((p, A, B) => op.sub(exponential(p, A, B, A, {}), p.variance!)),
      ['positive semi-definite', 'positive semi-definite on a lattice'],
    ],
    [
      'a wrong diagonal',
      own(exponential, (p, A) => op.mul(op.mul(1.0001, p.variance!), op.ones([A.shape[0]]))),
      ['diagonal agrees with the Gram matrix'],
    ],
    [
      'a cross covariance that is scaled otherwise',
      own((p, A, B) => op.mul(A === B ? 1 : 0.5, exponential(p, A, B, A, {}))),
      ['cross covariances agree with the Gram matrix', 'entries depend on their own two points'],
    ],
    [
      'entries that depend on the other points',
      own((p, A, B) => op.mul(exponential(p, A, B, A, {}), op.mean(op.square(A)))),
      ['cross covariances agree with the Gram matrix', 'entries depend on their own two points'],
    ],
    [
      'a gradient of NaN at coincident points',
      own((p, A, B) => {
        const r2 = op.squaredDistances(op.div(A, p.lengthscale!), op.div(B, p.lengthscale!));
        return op.mul(p.variance!, op.exp(op.neg(op.sqrt(r2))));
      }),
      ['gradients of the Gram matrix', 'gradients of the diagonal', 'coincident points', 'one point'],
    ],
    [
      'a gradient that is 1e-5 too large',
      own((p, A, B) => {
        const wrong = tf.customGrad((x) => {
          const value = (x as tf.Tensor).clone();
          return { value, gradFunc: (dy: tf.Tensor) => op.mul(dy, 1 + 1e-5) };
        });
        return wrong(exponential(p, A, B, A, {})) as Matrix;
      }),
      ['gradients of the Gram matrix', 'gradients of cross covariances', 'gradients of the diagonal'],
    ],
    [
      'a parameter whose gradient is cut off',
      own((p, A, B) => op.mul(op.scalar(op.valueOf(p.variance!)), exponential(p, A, B, A, {}))),
      ['gradients of the Gram matrix', 'gradients of cross covariances', 'gradients of the diagonal'],
    ],
    [
      'a result of the wrong shape',
      own(
        (p, A, B) => exponential(p, A, B, A, {}),
        (p) => op.reshape(p.variance!, [1]),
      ),
      // A diagonal of the wrong shape is refused wherever it is asked for.
      ['diagonal agrees with the Gram matrix', 'gradients of the diagonal'],
    ],
    ['tensors kept', own((p, A, B) => tf.keep(exponential(p, A, B, A, {}))), ['leaves no tensors behind']],
  ])('finds %s', (_, kernel, expected) => {
    expect(failures(kernel)).toEqual(expected);
  });

  it.each([
    ['right', 1, []],
    ['a tenth too large', 1.1, ['expectations agree with draws']],
  ])('compares expectations with draws: %s', (_, factor, expected) => {
    // Σ_d v·x_d·x'_d, whose Ψ₁ is v·μ·Zᵀ.
    const product = defineKernel({
      name: 'product',
      parameters: { variance: positive(0.7) },
      covariance: (p, A, B) => op.mul(p.variance, op.matMul(A, B, false, true)),
      diagonal: (p, A) => op.mul(p.variance, op.sum(op.square(A), 1)),
      capabilities: () => ({
        expectations: (p, { x, Z }) => {
          const second = op.add(
            op.matMul<Matrix>(x.mean, x.mean, true, false),
            op.mul(op.eye(x.mean.shape[1]), op.sum(x.variance, 0)),
          );
          const linear = op.mul<Matrix>(p.variance, Z);
          return {
            diagonal: op.mul(p.variance, op.sum(op.add(op.square(x.mean), x.variance), 1)),
            cross: op.mul(factor, op.matMul<Matrix>(x.mean, linear, false, true)),
            products: () => [op.matMul<Matrix>(op.matMul(linear, second), linear, false, true)],
          };
        },
      }),
    })();
    expect(failures(product)).toEqual(expected);
  });

  it('finds numbers that were rounded to float32, in any setting of the guard, which it puts back', () => {
    const rounded = own((p, A, B) => tf.mul(exponential(p, A, B, A, {}), 1.1) as Matrix);
    writeGuard.strict = false;
    try {
      expect(() => checkKernel(rounded)).toThrow(/rounded to float32/);
      expect(writeGuard.strict).toBe(false);
    } finally {
      writeGuard.strict = true;
    }
  });

  it('finds a different number every time', () => {
    let calls = 0;
    const restless = own((p, A, B) => op.add(exponential(p, A, B, A, {}), 1e-9 * calls++));
    expect(failures(restless)).toContain('the same every time');
  });

  it('throws one readable error that lists everything', () => {
    const kernel = own((p, A, B) => op.sub(exponential(p, A, B, A, {}), p.variance!));
    let error: unknown;
    try {
      checkKernel(kernel, { dimensions: [1] });
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(ConformanceError);
    expect((error as ConformanceError).report.passed).toBe(false);
    expect((error as Error).message).toMatch(
      /^Kernel own\(variance=1\.5, lengthscale=0\.8\) fails 1 of 14 checks\.\n {2}positive semi-definite, 1 column: the smallest eigenvalue is -\d/,
    );
  });

  it('takes the number of columns from lists and choices of columns', () => {
    const columns = (kernel: Kernel) => [
      ...new Set(checkKernel(kernel).checks.flatMap(({ name }) => /\d+ column/.exec(name)?.[0] ?? [])),
    ];
    expect(columns(rbf({ lengthscale: [1, 2, 1.5] }))).toEqual(['3 column']);
    expect(columns(select(rbf(), [1]))).toEqual(['2 column']);
    expect(columns(rbf())).toEqual(['1 column', '2 column', '3 column']);
  });

  it('asks for a kernel', () => {
    expect(() => checkKernel(rbf as never)).toThrow(/Call the factory: rbf\(\), not rbf/);
  });
});
