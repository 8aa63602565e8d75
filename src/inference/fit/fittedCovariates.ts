import type { Matrix } from '../../core/matrix.ts';
import type { FittedModel } from '../../model/fit.ts';

/** Covariates of the fitted rows, N×p, if there are any. */
export const fittedCovariates = (fitted: FittedModel): Matrix | undefined =>
  (fitted as { readonly values?: { readonly given?: Matrix } }).values?.given;
