import { InvalidInputError } from '../core/errors.ts';
import { Matrix } from '../core/matrix.ts';
import { doublesOf } from '../tensors/doubles.ts';
import { valueAndGradients } from '../tensors/gradients.ts';
import { matrixTensor, tensorMatrix } from '../tensors/matrixTensor.ts';
import * as op from '../tensors/ops.ts';
import type { Scalar, Tensor, Tensor1D, Tensor2D } from '../tensors/tensorflow.ts';
import { jointDraw, normalEntries } from './jointDraw.ts';
import type { Mapping } from './posterior.ts';

/** Moments of observations at n latents, as tensors. */
export interface DefinedMoments {
  /** n×D */
  readonly mean: Tensor2D;
  /** Variance of the noise-free functions, n×D or n×1. */
  readonly variance: Tensor2D;
  /** The variance that noise adds to it in an observation: a scalar, D entries, or n×D; none unless given. */
  readonly noise?: Tensor;
  /** Covariances between the n points, n×n: one for all columns, or D. Without them `sample` draws each entry by itself. */
  readonly covariances?: () => readonly Tensor2D[];
}

/** Makes the moments at latents, and the log density of each row of them. */
type AtValues = <T>(
  work: (moments: (X: Tensor2D) => DefinedMoments, prior: ((X: Tensor2D) => Tensor1D) | undefined) => T,
) => T;

/** The mapping of a model that gives its moments. `at` does work with them on the float64 backend. */
export function definedMapping(owner: string, latents: Matrix, at: AtValues): Mapping {
  let columns: number | undefined;
  const predict: Mapping['predict'] = (X, noise) =>
    at((moments) => {
      const { mean, variance, added } = checked(owner, X.rows, moments(matrixTensor(X)));
      // The variance of a noise-free function is not negative; rounding may make it so.
      const own = tensorMatrix(variance);
      own.data.forEach((entry, i) => {
        own.data[i] = Math.max(0, entry);
      });
      const noisy = noise ? op.add<Tensor2D>(matrixTensor(own), added) : matrixTensor(own);
      return { mean: tensorMatrix(mean), variance: tensorMatrix(noisy) };
    });
  return {
    get observedColumns() {
      columns ??= predict(new Matrix(latents.row(0), 1, latents.columns), false).mean.columns;
      return columns;
    },
    predict,
    sample: (X, random, noise) =>
      at((moments) => {
        const { mean, variance, added, covariances } = checked(owner, X.rows, moments(matrixTensor(X)));
        const asked = noise ? added : op.scalar(0);
        if (covariances === undefined) {
          const spread = op.sqrt(op.add<Tensor2D>(op.relu(variance), asked));
          return tensorMatrix(op.add<Tensor2D>(mean, op.mul(spread, normalEntries(random, ...mean.shape))));
        }
        const own = covariances();
        const isShared = own.length === 1;
        const covarianceOf = (column: number) => own[isShared ? 0 : column]!;
        return tensorMatrix(jointDraw({ mean, covarianceOf, isShared, noise: asked }, random));
      }),
    predictiveDensity: (X, Y) =>
      at((moments, prior) => {
        const A = matrixTensor(X);
        const [present, given] = [Matrix.zeros(Y.rows, Y.columns), Matrix.zeros(Y.rows, Y.columns)];
        Y.data.forEach((entry, i) => {
          if (Number.isNaN(entry)) return;
          present.data[i] = 1;
          given.data[i] = entry;
        });
        let density: Float64Array = new Float64Array(X.rows);
        let posterior = density;
        const sum = () => {
          const { mean, variance, added } = checked(owner, X.rows, moments(A));
          const noisy = op.add(variance, added);
          const seen = matrixTensor(present);
          const misfit = op.div(op.square(op.sub(matrixTensor(given), mean)), noisy);
          const own = op.mul<Tensor1D>(
            -0.5,
            op.sum(op.mul(seen, op.add(op.log(op.mul(2 * Math.PI, noisy)), misfit)), 1),
          );
          const both = prior === undefined ? own : op.add<Tensor1D>(own, prior(A));
          density = doublesOf(own);
          posterior = doublesOf(both);
          return op.sum<Scalar>(both);
        };
        const { gradients } = valueAndGradients(sum, [A]);
        return {
          density,
          posterior,
          gradient: new Matrix(gradients[0] ?? new Float64Array(X.data.length), X.rows, X.columns),
        };
      }),
  };
}

/** The moments of observations that are independent given the latents, in columns next to one another. */
export function momentsSideBySide(
  n: number,
  views: readonly { readonly name: string; readonly moments: DefinedMoments }[],
): DefinedMoments {
  const parts = views.map(({ name, moments }) => checked(name, n, moments));
  const joined = (of: (part: (typeof parts)[number]) => Tensor2D) => op.concat(parts.map(of), 1) as Tensor2D;
  return {
    mean: joined(({ mean }) => mean),
    variance: joined(({ variance }) => variance),
    noise: joined(({ added, mean }) => op.mul<Tensor2D>(added, op.onesLike(mean))),
  };
}

/** Moments n×D, and what the noise adds, 0 where there is none. */
function checked(owner: string, n: number, { mean, variance, noise, covariances }: DefinedMoments) {
  const isWide = variance?.shape[1] === mean?.shape[1];
  if (
    mean?.rank !== 2 ||
    variance?.rank !== 2 ||
    mean.shape[0] !== n ||
    variance.shape[0] !== n ||
    !(isWide || variance.shape[1] === 1)
  ) {
    throw new InvalidInputError(
      `predict of ${owner} must return mean and variance with a row for each of ${n} latents and a column for each of the observations, ` +
        `but they have shapes [${mean?.shape}] and [${variance?.shape}].`,
    );
  }
  return {
    mean,
    variance: isWide ? variance : op.mul<Tensor2D>(variance, op.ones([1, mean.shape[1]])),
    added: noise ?? op.scalar(0),
    covariances,
  };
}
