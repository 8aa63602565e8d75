import type { Matrix } from '../core/matrix.ts';
import type { Random } from '../core/random.ts';
import type { ForecastStart } from './abilities.ts';
import type { Chart } from './language/mapped.ts';
import type { ParameterValues } from './model.ts';
import type {
  Accuracy,
  LatentMoments,
  LearnedByLayer,
  MissingEntries,
  PlacedBound,
  Placement,
  Prediction,
  PredictiveDensity,
} from './posterior.ts';
import type { RowTransform } from './rowTransforms.ts';

/** Matrices of rows, by the names of their variables. */
export type RowsByName = Readonly<Record<string, Matrix>>;

/** A variable with rows, and its number of columns. */
export interface VariableWidth {
  readonly name: string;
  /** NaN if any number is valid. */
  readonly columns: number;
}

/** Paths of a sequence after its last row. */
export interface PathsAhead {
  /** Rows of all paths, for each step. */
  readonly paths: readonly Matrix[];
  /** Uncertainty of the fitted rows that the paths start from: see `Forecast`. */
  readonly start: ForecastStart;
}

/**
 * Rows of a fitted model by the names of its variables, in plain numbers, and the relations between them. All abilities of fits that involve rows are
 * based on these members, so that models of variables and models in closed form have the same abilities.
 */
export interface RowModel {
  /** Observed variables. */
  readonly observed: readonly VariableWidth[];
  /** Known variables that are required for new rows. */
  readonly known: readonly VariableWidth[];
  /** Variables that are searched for new rows, in the order of their columns. */
  readonly latents: readonly VariableWidth[];
  /** Latent variables without parents, where predictions start. */
  readonly roots: readonly string[];
  /** The variable that `fit.latents` shows. */
  readonly shown: string;
  /** Fitted values of all variables; observed ones in the units of the model. */
  readonly values: RowsByName;
  /** Fitted observations in the original units, NaN where missing; empty for models in closed form. */
  readonly observations: RowsByName;
  /** The same model conditioned on the observations of other fitted points than these; missing if its densities do not accept missing entries. */
  leavingOut?(rows: readonly number[]): RowModel;
  /** Variances of the fitted Gaussian rows, by name. */
  readonly variances: RowsByName;
  /** Chart of the manifold of a variable's points, by name. */
  readonly charts: Readonly<Record<string, Chart>>;
  /** Transforms of latent variables with constrained rows, by name. */
  readonly transforms: Readonly<Record<string, RowTransform>>;
  /** Names of the known variables whose values select rows of a plate. */
  readonly indices: ReadonlySet<string>;
  /** Names of the variables with a row for each new row. */
  readonly rowNames: ReadonlySet<string>;
  /** Random fields over the points, by the name of their variable. */
  readonly fields: Readonly<Record<string, () => LearnedByLayer & { readonly multipliers: ParameterValues }>>;
  /** Abilities that fits of this model lack, with the reasons, by name. */
  readonly missing: Readonly<Record<string, string>>;
  /** The same rows with the predictive variances of the model itself; missing if they are not calibrated. */
  readonly uncalibrated?: RowModel;
  /** True if the latents of a new row have one normalized density, so that log p(y*) is the integral over them. */
  readonly isNormalized: boolean;
  /** Draws of latents of new rows, side by side, from that density, if it can be sampled. */
  drawLatents?(count: number, random: Random): Matrix;
  /** Throws for observations outside of the support of their density. */
  checkRows(given: RowsByName): void;
  /**
   * Log density of new rows at values of the latent variables side by side (n×Q), including their observations and all factors of these rows.
   *
   * @param given - rows of the observed and known variables; NaN means not observed
   * @param isValue - true if no gradient is requested, which is then 0
   */
  density?(X: Matrix, given: RowsByName, accuracy?: Accuracy, isValue?: boolean): PredictiveDensity;
  /**
   * Moments of the variables that follow from these values; moments of observations with `noise`. With `variances`, the values of a variable of that
   * name are means of Gaussian rows, and observations with it as a parent have their moments under these.
   */
  predict?(values: RowsByName, noise: boolean, variances?: RowsByName): Readonly<Record<string, Prediction>>;
  /** A draw of the variables that follow from these values. */
  sample?(values: RowsByName, random: Random, noise: boolean): RowsByName;
  /** Values of variables that are computed without a search: mapped from known ones, or the means of an encoder. */
  computed(given: RowsByName): RowsByName;
  /** Variances of Gaussian rows that an encoder computes, by name. */
  computedVariances(given: RowsByName): RowsByName;
  /** Coordinates of complete rows in an embedding, which take time to compute. */
  embedded?(given: RowsByName): Promise<RowsByName>;
  /**
   * Draws of paths of the shown variable after its last row: for each step, the rows of all paths, and the uncertainty that their start has. Undefined
   * unless the variable is a sequence.
   *
   * @param normals - standard normal numbers, one row per path
   */
  readonly ahead: ((steps: number, normals: (columns: number) => Matrix) => PathsAhead) | undefined;
  /** Contribution of new rows to the bound, as a function of the means and variances of the only latent variable, which consists of Gaussian rows; with `isValue` all gradients are 0. */
  readonly bound?: ((given: RowsByName, x: LatentMoments, isValue?: boolean) => PlacedBound) | undefined;
  /** Moments of missing entries given the observed ones of their row, if the model has them without a search. */
  readonly missingEntries?: MissingEntries | undefined;
  /** Projection of rows by models in closed form. */
  readonly placement?: Placement;
}
