import { InvalidInputError } from '../../core/errors.ts';
import { Matrix, type MatrixLike } from '../../core/matrix.ts';
import { checkNumbers, standardizationOf, standardized } from '../../core/observations.ts';
import { rowsOf } from '../../core/rowMatrices.ts';
import { add, select } from '../../kernels/algebra.ts';
import { isOffset, type Kernel } from '../../kernels/kernel.ts';
import { rbf } from '../../kernels/rbf.ts';
import { known, residualBeside } from '../../model/language/known.ts';
import { mapped, type RowMap } from '../../model/language/mapped.ts';
import type { Observations } from '../../model/language/observations.ts';
import type { KnownVariable, LatentVariable, MappedVariable, Variable } from '../../model/language/variable.ts';
import { fixed } from '../../model/parameter.ts';
import type { FamilyMapping, SpelledOut } from './family.ts';
import { functionVariance } from './process.ts';

/** Covariates of the rows, the result of {@link covariates}: a plain frozen value. */
export interface Covariates {
  readonly kind: 'covariates';
  /** N×p. */
  readonly rows: Matrix;
  /** The covariates of some of the rows. */
  readonly ofRows: (rows: ArrayLike<number>) => Covariates;
  /** The covariates as a known variable, and standardized. */
  readonly variables: { readonly given: KnownVariable; readonly covariates: MappedVariable };
  /**
   * Inputs of the mapping: the latents, and the standardized covariates.
   *
   * @throws InvalidInputError unless there are covariates for each of N rows
   */
  readonly inputs: (latents: LatentVariable, rows: number) => readonly Variable[];
  /** The observations (N×D, complete) without the part that is linear in the covariates: q latents start there. */
  readonly residual: (Y: Matrix, latentDim: number) => Matrix;
  /**
   * Covariance of f(x) + g(c): this one of the q latents, plus an rbf of the covariates with one lengthscale each and this variance, which is fixed:
   * if it were free, it and the lengthscales would grow until g is linear.
   */
  readonly kernel: (kernel: Kernel, latentDim: number, variance: number) => Kernel;
  /**
   * Mapping of a named model for the observations y, with the effects of the covariates added to the default kernel.
   *
   * @param left - complete observations without the part that is linear in the covariates
   * @internal
   */
  readonly mapping: (
    declare: (y: Observations, parts: SpelledOut) => FamilyMapping,
    y: Observations,
    parts: SpelledOut,
    left: Matrix,
    latentDim: number,
  ) => FamilyMapping;
}

/**
 * Covariates of the rows, such as a season, a batch or a dose, for the option `given` of Gaussian-process models: y = f(x) + g(c) + noise. The
 * default covariance is k(x, x') + v·exp(−½·Σ_j (c_j − c'_j)²/l_j²) with v fixed at the observations' mean variance and the lengthscales l at
 * `mapping.kernel.rbf2.lengthscale`, so that the latents show what the covariates do not explain. Columns are standardized, except columns of 0 and 1. A custom `kernel` reads the latents and then the
 * standardized covariates as columns, and may multiply them: `multiply(select(rbf(), [0, 1]), select(rbf(), [2]))` for effects that differ along the map.
 *
 * New rows need their covariates: `project(Y, { given })`, `impute(Y, { given })`, `predict(X, { given })`, `sample(X, { given })`. `fit.values.given`
 * are the covariates of the fitted rows.
 *
 * @param rows - N×p, finite numbers; a category is one column of 0 and 1 for each of its levels
 * @returns a value of the option `given`
 * @throws InvalidInputError if the rows are not a matrix of finite numbers with a column
 * @see Märtens, Campbell & Yau 2019, Decomposing feature-level variation with covariate Gaussian process latent variable models
 * @example
 * ```ts
 * const season = Y.map((_, n) => [n % 2]);
 * const result = await fit(gplvm(Y, { latentDim: 1, given: covariates(season) }), { maxIterations: 50 });
 * result.predict(result.latents, { given: season.map(() => [0]) }).mean; // all rows in the first season
 * ```
 */
export function covariates(rows: MatrixLike): Covariates {
  const C = checkNumbers(Matrix.from(rows, 'The covariates'), 'The covariates');
  if (C.columns === 0) throw new InvalidInputError('The covariates have no column. Leave them out.');
  const areIndicators = Array.from({ length: C.columns }, (_, j) =>
    C.column(j).every((entry) => entry === 0 || entry === 1),
  );
  const { mean, deviation } = standardizationOf(C, true, true);
  const scales = {
    mean: mean.map((own, j) => (areIndicators[j] ? 0 : own)),
    deviation: deviation.map((own, j) => (areIndicators[j] ? 1 : own)),
  };
  const given = known(C);
  const map: RowMap = {
    kind: 'map',
    name: 'standardized',
    parameters: () => ({}),
    features: (own) => standardized(own, scales),
    apply: (_, own) => own!,
    affine: true,
  };
  const variables = { given, covariates: mapped(given, map) };
  return Object.freeze<Covariates>({
    kind: 'covariates',
    rows: C,
    ofRows: (rows) => covariates(rowsOf(C, rows)),
    variables,
    inputs: (latents, rows) => {
      checkCount(rows);
      return [latents, variables.covariates];
    },
    residual: (Y, latentDim) => {
      checkCount(Y.rows);
      return residualBeside(C, Y, latentDim);
    },
    kernel,
    mapping: (declare, y, parts, left, latentDim) => {
      const mapping = declare({ ...y, data: left }, parts);
      if (parts.kernel !== undefined) return mapping;
      return {
        ...mapping,
        kernel: kernel(mapping.kernel, latentDim, functionVariance(y, parts.likelihood, parts.offset)),
      };
    },
  });

  function checkCount(rows: number): void {
    if (rows === C.rows) return;
    throw new InvalidInputError(
      `There are covariates of ${C.rows} rows, but the observations have ${rows}. Give one row of covariates for each.`,
    );
  }

  function kernel(of: Kernel, latentDim: number, variance: number): Kernel {
    const latents = Array.from({ length: latentDim }, (_, d) => d);
    const parts = of.form.type === 'add' ? of.form.children : [of];
    const others = Array.from({ length: C.columns }, (_, j) => latentDim + j);
    const numbers = areIndicators.filter((is) => !is).length;
    const lengthscale = areIndicators.map((is) => (is ? 1 : Math.sqrt(numbers)));
    return add(
      ...parts.map((part) => (isOffset(part) ? part : select(part, latents))),
      select(rbf({ variance: fixed(variance), lengthscale }), others),
    );
  }
}
