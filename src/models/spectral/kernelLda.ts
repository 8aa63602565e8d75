import * as v from 'valibot';
import { InvalidInputError } from '../../core/errors.ts';
import type { Matrix, MatrixLike } from '../../core/matrix.ts';
import { checkAllPairs, observationsFrom, unitsAdvice } from '../../core/observations.ts';
import { checkOptions, integerFromOne, numberAboveZero, type OptionsIn, typed } from '../../core/options.ts';
import { columnsOf } from '../../core/rowMatrices.ts';
import type { Labels } from '../../engine/graph/index.ts';
import type { Classes } from '../../engine/graph/labelGraph.ts';
import type { Kernel } from '../../kernels/kernel.ts';
import { defineComputedModel } from '../../model/computedModel.ts';
import {
  checkedClasses,
  classDeviations,
  generalizedPairs,
  savedLabels,
  scatter,
  separatingDimensions,
  signedScores,
} from './embedding/classScatter.ts';
import { featureSpace, placedByFeatures } from './embedding/featureSpace.ts';
import { checkVaried, embeddingShapes, type SpectralModel, savedSpectral, traceTerm } from './embedding/options.ts';
import { kernelFor } from './kernelPca.ts';

export interface KernelLdaOptions extends OptionsIn<typeof schema> {}

const schema = v.strictObject({
  /** Number of latent dimensions q, from 1 to the number of classes minus one; default 2, or 1 for two classes. */
  latentDim: v.optional(integerFromOne),
  /** Kernel; default an rbf whose lengthscale is the square root of the observations' total variance. */
  kernel: v.optional(typed<Kernel>()),
  /** Regularization ε as a fraction of the points' total variance in the feature space, above 0; default 1e-3. */
  regularization: v.optional(numberAboveZero, 1e-3),
});

/**
 * Kernel discriminant analysis: linear discriminant analysis in the feature space of a kernel, S_b·a = λ·(S_w + εI)·a with aᵀ(S_w + εI)a = 1. The
 * directions a are sums of the points' features, so that x_c(y) = Σ_i α_ic·(k(y, y_i) − mean_j k(y_j, y_i)); ε = regularization·tr(HKH)/N.
 *
 * `parameters.coefficients` are the α (N×q), `eigenvalues` the λ. `project` evaluates x at new observations. Points without a label are shown, and
 * included in the mean of the features.
 *
 * @summary discriminant analysis in the space of a kernel
 * @remarks It needs an N×N matrix. `lda` does not.
 * @param Y - N×D observations
 * @param labels - N labels; a missing one is undefined, null, NaN or ''
 * @param options - `latentDim` q, `kernel`, `regularization` (1e-3)
 * @returns a model in closed form for `fit`
 * @throws InvalidInputError for observations that are not finite numbers, fewer than two classes, and more dimensions than separate them
 * @see Mika, Rätsch, Weston, Schölkopf & Müller 1999; Baudat & Anouar 2000
 * @example
 * ```ts
 * const { latents } = await fit(kernelLda(Y, labels, { kernel: rbf({ lengthscale: 3 }) }));
 * ```
 */
export function kernelLda(Y: MatrixLike, labels: Labels, options: KernelLdaOptions = {}): SpectralModel {
  const { latentDim, kernel, regularization } = checkOptions(schema, options, 'kernelLda');
  const points = observationsFrom(Y);
  checkVaried(points, 'kernelLda');
  checkAllPairs('kernelLda', points.rows, 'Take lda, or fewer points.');
  const classes = checkedClasses(labels, points.rows, 'kernelLda');
  const q = separatingDimensions(latentDim, classes.count - 1, 'kernelLda');
  return defined({ points, classes, latentDim: q, kernel: kernelFor(points, kernel, 'kernelLda'), regularization });
}

interface KernelLdaData {
  readonly points: Matrix;
  readonly classes: Classes;
  readonly latentDim: number;
  readonly kernel: Kernel;
  readonly regularization: number;
}

const defined = defineComputedModel({
  name: 'kernelLda',
  solve: ({ points, classes, latentDim, kernel, regularization }: KernelLdaData) => {
    const { coordinates, trace, kept } = featureSpace(kernel, points);
    const { count, residuals, offsets } = classDeviations(coordinates, classes);
    const within = scatter(residuals, count);
    const epsilon = (regularization * trace) / points.rows;
    const { columns: rank } = coordinates;
    if (rank < latentDim) {
      throw new InvalidInputError(
        `${latentDim} dimensions were requested from kernelLda, but its points vary in ${rank} direction${rank === 1 ? '' : 's'} of the feature space only. Choose a smaller \`latentDim\`.`,
      );
    }
    for (let k = 0; k < rank; k++) within.data[k * (rank + 1)]! += epsilon;
    const { values: ratios, vectors } = generalizedPairs(scatter(offsets, count), within);
    const order = Array.from({ length: latentDim }, (_, c) => ratios.length - 1 - c);
    const axes = columnsOf(vectors, order);
    const latents = signedScores(coordinates, axes);
    const eigenvalues = Float64Array.from(order, (c) => ratios[c]!);
    return {
      latents,
      eigenvalues,
      parameters: kept(axes),
      ...traceTerm(eigenvalues, 1),
      message: `Closed form: ${classes.count} classes in ${rank} directions of the feature space.${unitsAdvice(points)}`,
    };
  },
  shapes: ({ points: { rows: N } }, found) => embeddingShapes(N, found, (q) => ({ coefficients: [N, q], means: [N] })),
  posterior: placedByFeatures,
  toJSON: ({ points, classes, latentDim, kernel, regularization }) =>
    savedSpectral('kernelLda', points, { labels: savedLabels(classes), latentDim, kernel, regularization }),
});
