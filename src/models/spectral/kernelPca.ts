import * as v from 'valibot';
import { InvalidInputError } from '../../core/errors.ts';
import { describe, Matrix, type MatrixLike } from '../../core/matrix.ts';
import {
  checkAllPairs,
  observationsFrom,
  standardizationOf,
  standardized,
  unitsAdvice,
} from '../../core/observations.ts';
import { checkOptions, type OptionsIn, typed } from '../../core/options.ts';
import { counted } from '../../core/wording.ts';
import { checkKernel } from '../../kernels/algebra.ts';
import * as builtIn from '../../kernels/builtIn.ts';
import { covariance } from '../../kernels/covariance.ts';
import type { Kernel } from '../../kernels/kernel.ts';
import { rbf } from '../../kernels/rbf.ts';
import { stage } from '../../model/computation.ts';
import { type ComputedSolution, defineComputedModel } from '../../model/computedModel.ts';
import { withoutDensity } from '../../model/posterior.ts';
import { doublyCentered, leadingEmbedding } from './embedding/leadingEmbedding.ts';
import { embeddingShapes, latentDimOption, type SpectralModel, savedSpectral, traceTerm } from './embedding/options.ts';
import { type ReadOutOptions, readAs, readOutOptions, withVectors } from './embedding/readOut.ts';

export interface KernelPcaOptions extends OptionsIn<typeof schema> {}

const schema = v.strictObject({
  /** Number of latent dimensions q, from 1; default 2. */
  latentDim: latentDimOption,
  /** Kernel; default an rbf whose lengthscale is the square root of the observations' total variance. */
  kernel: v.optional(typed<Kernel>()),
  ...readOutOptions,
});

/**
 * Kernel principal component analysis: X = V·Λ^½ from the q leading eigenpairs of HKH, with K the kernel matrix of all points.
 *
 * New observations are projected by their centered kernels: x_c = Σ_i v_ic·k̃(y, y_i)/√λ_c.
 *
 * @summary principal components in the space of a kernel
 * @remarks It needs an N×N matrix. `pca` does not.
 * @param Y - N×D observations
 * @param options - `latentDim` q (2), `kernel`
 * @returns a model in closed form for `fit`; `eigenvalues` belong to HKH
 * @throws InvalidInputError for observations that are not finite numbers, and if fewer than q eigenvalues are positive
 * @see Schölkopf, Smola & Müller 1998
 * @example
 * ```ts
 * const result = await fit(kernelPca(Y, { kernel: rbf({ lengthscale: 3 }) }));
 * (await result.project(Ynew)).latents;
 * ```
 */
export function kernelPca(Y: MatrixLike, options: KernelPcaOptions = {}): SpectralModel {
  const checked = withVectors(checkOptions(schema, options, 'kernelPca'), options, 'kernelPca');
  const { latentDim, kernel: given, embedding } = checked;
  const points = observationsFrom(Y);
  checkAllPairs('kernelPca', points.rows, 'Take pca, or fewer points.');
  if (given !== undefined) checkKernel(given, "Option 'kernel' of kernelPca");
  const kernel = kernelFor(points, given, 'kernelPca');
  return readAs(defined({ points, latentDim, kernel, embedding }), embedding);
}

interface KernelPcaData {
  readonly points: Matrix;
  readonly latentDim: number;
  readonly kernel: Kernel;
  readonly embedding: ReadOutOptions['embedding'] | undefined;
}

/** Maximum relative size of negative eigenvalues that count as rounding. */
const NEGLIGIBLE = 1e-10;

/** True if all parts of a kernel are known to be positive definite. */
function isBuiltIn({ name, form }: Kernel): boolean {
  if (form.type === 'leaf') return Object.hasOwn(builtIn, name);
  return ('children' in form ? form.children : [form.child]).every(isBuiltIn);
}

const defined = defineComputedModel({
  name: 'kernelPca',
  solve: function* ({ points, latentDim, kernel }: KernelPcaData) {
    const K = doublyCentered(covariance(kernel, points), 1);
    const total = K.data.reduce((sum, entry, index) => (index % (points.rows + 1) === 0 ? sum + entry : sum), 0);
    const embedding = leadingEmbedding(K, latentDim, 'kernelPca', isBuiltIn(kernel) ? undefined : Infinity);
    const { latents, eigenvalues, smallest = 0, positive } = yield* stage('eigenvectors', embedding);
    const isIndefinite = smallest < -NEGLIGIBLE * eigenvalues[0]!;
    const whole = isIndefinite ? positive! : total;
    const percent = (part: number) => `${((100 * part) / whole).toFixed(1)} %`;
    const part = percent(eigenvalues.reduce((sum, value) => sum + value, 0));
    const note = isIndefinite
      ? ` The kernel is not positive definite: its negative eigenvalues, ${percent(whole - total)} as much as the positive ones, are left out.`
      : '';
    return {
      latents,
      eigenvalues,
      ...traceTerm(eigenvalues, 1),
      message: `Closed form: ${part} of the variance in feature space is in ${counted(latentDim, 'dimension')}.${note}${unitsAdvice(points)}`,
    };
  },
  shapes: ({ points }, found) => embeddingShapes(points.rows, found),
  posterior: (found, { points, kernel }) => ({
    placement: {
      observedColumns: points.columns,
      place: (given: Matrix) => withoutDensity(placed(kernel, points, found, given)),
    },
  }),
  toJSON: ({ points, latentDim, kernel, embedding }) =>
    savedSpectral('kernelPca', points, { latentDim, kernel, embedding }),
});

function placed(kernel: Kernel, points: Matrix, { latents: X, eigenvalues }: ComputedSolution, Y: Matrix): Matrix {
  const { rows: N, columns: q } = X;
  const K = covariance(kernel, points);
  const means = Float64Array.from({ length: N }, (_, i) => K.row(i).reduce((sum, entry) => sum + entry, 0) / N);
  const across = covariance(kernel, Y, points);
  const result = Matrix.zeros(Y.rows, q);
  for (let n = 0; n < Y.rows; n++) {
    // The mean over i of k(y, y_i) and the mean of K multiply columns of X, whose sums are 0.
    for (let c = 0; c < q; c++) {
      let sum = 0;
      for (let i = 0; i < N; i++) sum += X.data[i * q + c]! * (across.at(n, i) - means[i]!);
      result.data[n * q + c] = sum / eigenvalues[c]!;
    }
  }
  return result;
}

/** The specified kernel, or an rbf as wide as the spread of the points. */
export function kernelFor(points: Matrix, given: unknown, name: string): Kernel {
  if (given === undefined) {
    const { data } = standardized(points, standardizationOf(points, true, false));
    const variance = data.reduce((sum, entry) => sum + entry * entry, 0) / points.rows;
    return rbf({ lengthscale: Math.sqrt(variance) || 1 });
  }
  if (typeof given === 'object' && given !== null && 'kind' in given && given.kind === 'kernel') return given as Kernel;
  throw new InvalidInputError(
    `Option 'kernel' of ${name} must be a kernel, such as rbf(), but ${describe(given)} was given.`,
  );
}
