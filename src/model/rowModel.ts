import type { Matrix } from '../core/matrix.ts';
import type { Random } from '../core/random.ts';
import type { Chart } from './language/mapped.ts';
import type { ParameterValues } from './model.ts';
import type {
  LatentMoments,
  LearnedByLayer,
  MissingEntries,
  PlacedBound,
  Placement,
  Prediction,
  PredictiveDensity,
} from './posterior.ts';

/** Matrices of rows, by the names of their variables. */
export type RowsByName = Readonly<Record<string, Matrix>>;

/** A variable with rows of its own, and its number of columns. */
export interface VariableWidth {
  readonly name: string;
  /** NaN where any number will do. */
  readonly columns: number;
}

/**
 * Rows of a fitted model by the names of its variables, in plain numbers, and what follows from some rows for others. All that a fit can do with rows rests on
 * these members, so that models of variables and models in closed form have the same abilities.
 */
export interface RowModel {
  /** Observed variables. */
  readonly observed: readonly VariableWidth[];
  /** Known variables that new rows come with. */
  readonly known: readonly VariableWidth[];
  /** Variables that are searched for new rows, in the order in which they stand side by side. */
  readonly latents: readonly VariableWidth[];
  /** Latent variables without parents, from which predictions start. */
  readonly roots: readonly string[];
  /** The variable that `fit.latents` shows. */
  readonly shown: string;
  /** Fitted values of all variables; observed ones in the units of the model. */
  readonly values: RowsByName;
  /** Variances of the fitted Gaussian rows, by name. */
  readonly variances: RowsByName;
  /** Chart of the manifold on which a variable's points lie, by name. */
  readonly charts: Readonly<Record<string, Chart>>;
  /** Names of the known variables whose values stand for rows of a plate. */
  readonly indices: ReadonlySet<string>;
  /** Names of the variables that new rows have. */
  readonly rowNames: ReadonlySet<string>;
  /** Random fields over the points, by the variable whose density they are. */
  readonly fields: Readonly<Record<string, () => LearnedByLayer & { readonly multipliers: ParameterValues }>>;
  /** Abilities that fits of this model do not have, with the reasons, by name. */
  readonly missing: Readonly<Record<string, string>>;
  /** The same rows with the predictive variances of the model itself; absent where these are not calibrated anyway. */
  readonly uncalibrated?: RowModel;
  /** True if the latents of a new row have one normalized density, so that log p(y*) is the integral of its observations' over them. */
  readonly isNormalized: boolean;
  /** Draws of latents of new rows, side by side, from that density where it has draws. */
  drawLatents?(count: number, random: Random): Matrix;
  /** Throws for observations outside of the support of their density. */
  checkRows(given: RowsByName): void;
  /**
   * log density of new rows at values of the latent variables side by side (n×Q): of their observations and of all factors of such rows.
   *
   * @param given - rows of the observed and known variables; NaN counts as not observed
   */
  density?(X: Matrix, given: RowsByName, isRough?: boolean): PredictiveDensity;
  /**
   * Moments of the variables that follow from these values; of observations with `noise`. With variances the values of the variable of that name are means of
   * Gaussian rows, and observations that are given it alone have their moments under these.
   */
  predict?(values: RowsByName, noise: boolean, variances?: RowsByName): Readonly<Record<string, Prediction>>;
  /** A draw of the variables that follow from these values. */
  sample?(values: RowsByName, random: Random, noise: boolean): RowsByName;
  /** Values of variables that new rows have without a search: mapped from known ones, or the means of an encoder. */
  computed(given: RowsByName): RowsByName;
  /** Variances of Gaussian rows that an encoder computes, by name. */
  computedVariances(given: RowsByName): RowsByName;
  /** Places of complete rows in an embedding, which take some time. */
  embedded?(given: RowsByName): Promise<RowsByName>;
  /**
   * Draws of paths of the shown variable beyond its last row: of each step the rows of all paths. Undefined where nothing says what follows.
   *
   * @param normals - standard normal numbers, one row a path
   */
  readonly ahead: ((steps: number, normals: (columns: number) => Matrix) => Matrix[]) | undefined;
  /** What new rows add to the bound, given the means and variances of the only latent variable, one of Gaussian rows. */
  readonly bound?: ((given: RowsByName, x: LatentMoments) => PlacedBound) | undefined;
  /** Moments of missing entries given the observed ones of their row, where the model has them without a search. */
  readonly missingEntries?: MissingEntries | undefined;
  /** How models in closed form place rows. */
  readonly placement?: Placement;
}
