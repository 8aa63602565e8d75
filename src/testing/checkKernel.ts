import * as v from 'valibot';
import { LatentFieldError } from '../core/errors.ts';
import { Matrix } from '../core/matrix.ts';
import { namedOptions, type OptionsIn, typed } from '../core/options.ts';
import { doublesOf, matrixTensor } from '../engine/tensors/doubles.ts';
import { withFloat64 } from '../engine/tensors/float64/scope.ts';
import { valueAndGradients } from '../engine/tensors/gradients.ts';
import * as op from '../engine/tensors/ops.ts';
import type { Scalar, Tensor, Tensor2D } from '../engine/tensors/tensorflow.ts';
import { checkKernel as kernelOrThrow, startedAt } from '../kernels/algebra.ts';
import { describe } from '../kernels/describe.ts';
import type { Kernel } from '../kernels/kernel.ts';
import { featuresOf, noisyGram, symmetricBasisOf } from '../kernels/structure.ts';
import type { ParameterValues, TensorMap } from '../model/model.ts';
import { valueTensors } from '../model/part.ts';
import { type DifferenceOptions, differenceEntries, gradientAgreement } from './checkGradient.ts';
import {
  dimensionsOf,
  expectationAgreement,
  hasExpectations,
  jsonRoundTrip,
  textRoundTrip,
} from './kernelAgreement.ts';
import {
  agreement,
  type ConformanceReport,
  checkEntries,
  conformance,
  finite,
  largest,
  type Requirement,
  randomPoints,
  withCoincident,
} from './report.ts';

const OPTIONS = {
  ...checkEntries,
  ...differenceEntries,
  /** Numbers of columns of the points; default all of 1, 2, 3 that its lists and column selections allow. */
  dimensions: v.optional(typed<readonly number[]>()),
  /** Number of points in the larger sets (7). */
  points: v.optional(typed<number>()),
};

export interface KernelCheckOptions extends OptionsIn<typeof OPTIONS> {}

/** Largest relative difference between two computations of the same quantity. */
const ROUNDING = 1e-12;

/**
 * Checks the requirements on every kernel, built-in or custom: it is symmetric and positive semi-definite; its diagonal and cross covariances agree
 * with its Gram matrix; gradients with respect to points, inputs and free parameters are correct; coincident points, one point and one column are
 * handled; declared
 * features, bases and radial profiles agree with the covariance; closed-form expectations under Gaussian latents agree with means of draws; results
 * are deterministic; JSON and text restore it; no tensors leak.
 * Runs with the guard against numbers rounded to float32. Points are standard normal: use a kernel with lengthscales not far from 1.
 *
 * @param kernel - at the parameter values to be checked
 * @param options - `dimensions`, `points` (7), `tolerance` of gradients (1e-7), number of `entries` perturbed per value (30), `seed` (1), `throws`
 * @returns a report with every check
 * @throws ConformanceError if one fails, listing all failures, unless `throws` is false
 * @example
 * ```ts
 * import { checkKernel } from 'latentfield/testing';
 *
 * test('my kernel', () => {
 *   checkKernel(cauchy({ lengthscale: [1, 0.5] }));
 * });
 * ```
 */
export function checkKernel(kernel: Kernel, options: KernelCheckOptions = {}): ConformanceReport {
  namedOptions(options, 'checkKernel', OPTIONS);
  kernelOrThrow(kernel, 'checkKernel');
  const { points = 7, seed = 1 } = options;
  const dimensions = options.dimensions ?? dimensionsOf(kernel);
  return conformance(`Kernel ${describe(kernel)}`, options, [
    ...dimensions.flatMap((q) => requirements(kernel, q, points, seed, options)),
    ['JSON round trip', () => jsonRoundTrip(kernel, randomPoints(points, dimensions[0]!, seed))],
    ['text round trip', () => textRoundTrip(kernel, randomPoints(points, dimensions[0]!, seed))],
  ]);
}

/** Number of points per side of a lattice, since functions that are not covariances may look valid at few points. */
const LATTICE = 15;

/** Lattice points in the plane with spacing one half. */
const lattice = (side: number): Matrix =>
  Matrix.from(Array.from({ length: side * side }, (_, i) => [(i % side) / 2, Math.floor(i / side) / 2]));

function requirements(
  described: Kernel,
  q: number,
  n: number,
  seed: number,
  options: DifferenceOptions,
): Requirement[] {
  const [X, Z, inputs] = [0, 1, 2].map((k) => randomPoints(n - k, q, seed + k)) as [Matrix, Matrix, Matrix];
  const kernel = startedAt(described, X);
  const values = initialValues(kernel);
  const held = Object.fromEntries(Object.entries(values).filter(([name]) => !kernel.parameters[name]!.free));
  const free = Object.fromEntries(Object.entries(values).filter(([name]) => kernel.parameters[name]!.free));
  const tensors = (t: TensorMap) => ({ ...valueTensors(held), ...t });
  /** Weighted sum Σ W∘result with random weights W, a scalar whose gradient depends on the whole kernel. */
  const weighted = (result: Tensor): Scalar =>
    op.sum(op.mul(result, op.reshape(matrixTensor(randomPoints(result.size, 1, seed + 9)), result.shape)));
  const gram = (t: TensorMap, points: Tensor2D) => kernel.covariance(tensors(t), points, points, points);
  const forms = {
    gram: (t: TensorMap) => weighted(gram(t, t.points as Tensor2D)),
    cross: (t: TensorMap) =>
      weighted(kernel.covariance(tensors(t), t.points as Tensor2D, t.others as Tensor2D, t.inputs as Tensor2D)),
    diagonal: (t: TensorMap) => weighted(kernel.diagonal(tensors(t), t.points as Tensor2D, t.inputs as Tensor2D)),
  };
  const K = (points: Matrix): Float64Array =>
    withFloat64(() => shaped(gram(valueTensors(free), matrixTensor(points)), [points.rows, points.rows]));
  const cross = (A: Matrix, B: Matrix, own: Matrix): Float64Array =>
    withFloat64(() => {
      const [a, b, c] = [matrixTensor(A), matrixTensor(B), matrixTensor(own)];
      return shaped(kernel.covariance(tensors(valueTensors(free)), a, b, c), [A.rows, B.rows]);
    });
  const gradient = (points: Matrix): Float64Array[] =>
    withFloat64(() => {
      const t = valueTensors({ ...free, points });
      return valueAndGradients(() => forms.gram(t), Object.values(t)).gradients.map(
        (entries) => entries ?? new Float64Array(0),
      );
    });
  const wellBehaved = (points: Matrix): string => {
    finite(K(points), 'the Gram matrix');
    finite(cross(points, Matrix.from(points), points), 'the covariance with the same points as another set');
    gradient(points).forEach((entries, i) => {
      finite(entries, `the gradient in '${[...Object.keys(free), 'points'][i]}'`);
    });
    return 'covariances and gradients are finite';
  };

  const all: Requirement[] = [
    ['symmetric', () => agreement(transposed(K(X), n), K(X), ROUNDING)],
    ['positive semi-definite', () => positiveSemiDefinite(K(X), n)],
    [
      'diagonal agrees with the Gram matrix',
      () => {
        const diagonal = withFloat64(() => {
          const points = matrixTensor(X);
          return shaped(kernel.diagonal(tensors(valueTensors(free)), points, points), [n]);
        });
        const Gram = K(X);
        return agreement(
          diagonal,
          diagonal.map((_, i) => Gram[i * n + i]!),
          ROUNDING,
        );
      },
    ],
    [
      'cross covariances agree with the Gram matrix',
      () => {
        const Gram = K(X);
        const copy = cross(X, Matrix.from(X), X);
        // White noise differs on the diagonal, where a point meets itself.
        for (let i = 0; i < n; i++) copy[i * n + i] = Gram[i * n + i]!;
        agreement(copy, Gram, ROUNDING);
        const there = cross(X, Z, inputs);
        return agreement(transposedBlock(cross(Z, X, inputs), Z.rows, n), there, ROUNDING);
      },
    ],
    [
      'entries depend on their own two points',
      () => {
        const both = Matrix.from([...X.toArrays(), ...Z.toArrays()]);
        const whole = withFloat64(() => {
          const points = matrixTensor(both);
          const p = tensors(valueTensors(free));
          return doublesOf(kernel.covariance(p, points, points, matrixTensor(inputs)));
        });
        const part = cross(X, Z, inputs);
        const block = part.map((_, k) => whole[Math.floor(k / Z.rows) * both.rows + n + (k % Z.rows)]!);
        return agreement(block, part, ROUNDING, largest(whole));
      },
    ],
    ['the same every time', () => agreement(K(X), K(X), 0)],
    ['gradients of the Gram matrix', () => gradientAgreement(forms.gram, { ...free, points: X }, options)],
    [
      'gradients of cross covariances',
      () => gradientAgreement(forms.cross, { ...free, points: X, others: Z, inputs }, options),
    ],
    ['gradients of the diagonal', () => gradientAgreement(forms.diagonal, { ...free, points: X, inputs }, options)],
    ['coincident points', () => wellBehaved(withCoincident(X))],
    ['one point', () => wellBehaved(randomPoints(1, q, seed))],
  ];
  if (q === 2) {
    all.push([
      'positive semi-definite on a lattice',
      () => positiveSemiDefinite(K(lattice(LATTICE)), LATTICE * LATTICE),
    ]);
  }
  if (declaresStructure(kernel)) {
    all.push([
      'its declared components give its covariance',
      () => {
        const forms = structureForms(kernel, q).map(([name, form]) => {
          const own = withFloat64(() => shaped(form(tensors(valueTensors(free)), matrixTensor(X)), [n, n]));
          const slopes = withFloat64(() => {
            const t = valueTensors({ ...free, points: X });
            return valueAndGradients(() => weighted(form(tensors(t), t.points as Tensor2D)), Object.values(t))
              .gradients;
          });
          try {
            agreement(own, K(X), ROUNDING);
            const expected = gradient(X);
            slopes.forEach((slope, i) => {
              agreement(slope ?? new Float64Array(expected[i]!.length), expected[i]!, 1e-10);
            });
          } catch (error) {
            throw new LatentFieldError(`its ${name}: ${(error as Error).message}`);
          }
          return name;
        });
        return forms.join(', ');
      },
    ]);
  }
  if (hasExpectations(kernel, values, Z)) {
    all.push(['expectations agree with draws', () => expectationAgreement(kernel, values, X, Z, seed)]);
  }
  return all.map(([name, work]): Requirement => [`${name}, ${q} column${q === 1 ? '' : 's'}`, work]);
}

/** True if a leaf of the kernel declares the structure of its Gram matrix. */
function declaresStructure({ form }: Kernel): boolean {
  switch (form.type) {
    case 'leaf':
      return form.capabilities.structure !== undefined;
    case 'scale':
    case 'select':
      return declaresStructure(form.child);
    default:
      return form.children.some(declaresStructure);
  }
}

/** Gram matrix in every form that the declarations of the kernel's leaves imply. */
function structureForms(
  kernel: Kernel,
  columns: number,
): [name: string, form: (p: TensorMap, X: Tensor2D) => Tensor2D][] {
  const forms: ReturnType<typeof structureForms> = [
    ['rewritten Gram matrix', (p, X) => noisyGram(kernel)(p, X).matrix()],
  ];
  const noisy = (K: Tensor2D, white: Tensor | undefined) => (white === undefined ? K : op.addDiagonal(K, white));
  const features = featuresOf(kernel, columns);
  if (features !== undefined && features.rank > 0) {
    forms.push(['features', (p, X) => noisy(op.gramMatrix(features.at(p, X)), features.white?.(p))]);
  }
  const structure = symmetricBasisOf(kernel, columns);
  if (structure !== undefined) {
    forms.push([
      'symmetric basis',
      (p, X) => {
        const { basis, features: U } = structure.at(p, X);
        return noisy(op.add<Tensor2D>(op.matMul(basis, basis), op.gramMatrix(U)), structure.white?.(p));
      },
    ]);
  }
  return forms;
}

function initialValues(kernel: Kernel): ParameterValues {
  return Object.fromEntries(Object.entries(kernel.parameters).map(([name, { initial }]) => [name, initial]));
}

function shaped(tensor: Tensor, shape: readonly number[]): Float64Array {
  if (String(tensor.shape) === String(shape)) return doublesOf(tensor);
  throw new LatentFieldError(`a tensor of shape [${shape}] was expected, but it is [${tensor.shape}]`);
}

function positiveSemiDefinite(K: Float64Array, n: number): string {
  const values = withFloat64(() => doublesOf(op.symmetricEigen(matrixTensor(new Matrix(K, n, n))).values));
  const [smallest, most] = [values[0]!, values[n - 1]!];
  if (smallest >= -1e-10 * most) return `eigenvalues from ${smallest.toExponential(1)} to ${most.toExponential(1)}`;
  throw new LatentFieldError(`the smallest eigenvalue is ${smallest}, the largest ${most}`);
}

const transposed = (K: Float64Array, n: number): Float64Array => transposedBlock(K, n, n);

function transposedBlock(K: Float64Array, rows: number, columns: number): Float64Array {
  return K.map((_, k) => K[(k % rows) * columns + Math.floor(k / rows)]!);
}
