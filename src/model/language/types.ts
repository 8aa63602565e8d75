import type { Matrix, MatrixLike } from '../../core/matrix.ts';
import type { ObservationsLike } from '../../core/namedTable.ts';
import type {
  DistributedLatents,
  FieldShowing,
  Forecasting,
  LatentPlace,
  PredictedLatents,
  ProjectOptions,
} from '../abilities.ts';
import type { Model, ParameterValues } from '../model.ts';
import type { Parameter, ParameterValue } from '../parameter.ts';
import type { PathsBelow } from '../part.ts';
import type { LearnedByLayer, LearnedField, Prediction, Projection } from '../posterior.ts';
import type { Variables } from './graph.ts';
import type { EmbeddedVariable, KnownVariable, LatentVariable, MappedVariable, ObservedVariable } from './variable.ts';

/** Names of variables of a role. */
type Named<V, Of> = { [K in keyof V & string]: V[K] extends Of ? K : never }[keyof V & string];
type LatentNames<V> = Named<V, LatentVariable>;
type ObservedNames<V> = Named<V, ObservedVariable>;
type KnownNames<V> = Named<V, KnownVariable>;
type MappedNames<V> = Named<V, MappedVariable | EmbeddedVariable>;

/** Rows by the names of variables. */
type RowsOf<Names extends string> = { readonly [K in Names]?: MatrixLike | undefined };

/** Parameters of a density by path, where its type knows them; any below the variable's name otherwise. */
type PathsOfDensity<Name extends string, D> = D extends { readonly density: object; readonly '~paths'?: infer P }
  ? PathsBelow<Name, NonNullable<P>>
  : { readonly [Path in `${Name}.${string}`]: ParameterValue };

/** Natural values of a model of variables by path. */
export type PathsOfVariables<V> = {
  readonly [K in LatentNames<V>]: Matrix;
} & {
  readonly [K in Named<V, Parameter>]: ParameterValue;
} & UnionToIntersection<
    {
      [K in keyof V & string]: V[K] extends { readonly '~density'?: infer D }
        ? PathsOfDensity<K, NonNullable<D>>
        : unknown;
    }[keyof V & string]
  > & {
    readonly [Path in `${keyof V & string}.${string}`]: ParameterValue;
  };

type UnionToIntersection<U> = (U extends unknown ? (each: U) => void : never) extends (all: infer All) => void
  ? All
  : never;

/** What a density or a factor says that fits can do. */
type DensityAbilities<V> = {
  [K in keyof V]: V[K] extends { readonly '~density'?: infer D; readonly '~factors'?: infer F }
    ? AbilityOf<NonNullable<D>> | AbilityOf<F extends readonly (infer E)[] ? E : NonNullable<F>>
    : never;
}[keyof V];
type AbilityOf<D> = D extends { readonly '~abilities'?: infer A }
  ? unknown extends A
    ? never
    : FieldShowing extends A
      ? FieldShowing
      : never
  : never;

/** What a model with several observed variables can do beside. */
type Translating<V> =
  IsUnion<ObservedNames<V>> extends true
    ? {
        /** Latents of new rows of some variables, and the prediction of another there. */
        translate(
          given: RowsOf<ObservedNames<V> | KnownNames<V>>,
          to: ObservedNames<V>,
          options?: ProjectOptions,
        ): Promise<PredictedLatents>;
      }
    : unknown;

type IsUnion<T, All = T> = [T] extends [never] ? false : T extends unknown ? ([All] extends [T] ? false : true) : never;

/** What fits of a model of variables can do, by the names of these. All of it follows from the densities that were fitted. */
export interface FitsOfVariables<V> {
  /** Values of the variables that are not observed, N rows each. */
  readonly values: { readonly [K in LatentNames<V> | MappedNames<V> | KnownNames<V>]: Matrix };
  /**
   * New rows in their place: the values of all latent variables at which the log density of the rows by the model's own densities is greatest.
   *
   * @param given - rows of observed variables (NaN counts as not observed), and of all known ones, by name; or the matrix of the only observed one
   * @returns `latents` of the variable that `fit.latents` shows, `values` of all, and `logDensity` of each row's observations there
   */
  project(
    given: RowsOf<ObservedNames<V> | KnownNames<V>>,
    options?: ProjectOptions,
  ): Promise<Projection & { readonly values: { readonly [K in LatentNames<V> | MappedNames<V>]: Matrix } }>;
  project(given: ObservationsLike, options?: ProjectOptions): Promise<Projection>;
  /**
   * Moments of what follows from these values, by name; variables in between that are random are passed on with their uncertainty.
   *
   * @param given - values of latent variables that are given nothing, of all known ones, and of others to hold there
   */
  predict(
    given: RowsOf<LatentNames<V> | MappedNames<V> | KnownNames<V>>,
    options?: { readonly noise?: boolean | undefined },
  ): { readonly [K in ObservedNames<V>]: Prediction } & { readonly [K in LatentNames<V>]?: Prediction };
  predict(
    X: MatrixLike,
    options?: { readonly noise?: boolean | undefined; readonly view?: ObservedNames<V> | undefined },
  ): Prediction;
  /** A draw of what follows from these values, by name; jointly over the rows where the density is. */
  sample(
    given: RowsOf<LatentNames<V> | MappedNames<V> | KnownNames<V>>,
    options?: { readonly seed?: number | undefined; readonly noise?: boolean | undefined },
  ): { readonly [K in ObservedNames<V>]: Matrix } & { readonly [K in LatentNames<V>]?: Matrix };
  sample(
    X: MatrixLike,
    options?: {
      readonly seed?: number | undefined;
      readonly noise?: boolean | undefined;
      readonly view?: ObservedNames<V> | undefined;
    },
  ): Matrix;
  /** Predictions on the way between two points, on the chart of the latents where they have one. */
  interpolate(
    from: LatentPlace,
    to: LatentPlace,
    steps: number,
    options?: { readonly view?: ObservedNames<V> | undefined; readonly along?: 'line' },
  ): PredictedLatents;
  /** Along the geodesic: see `geometry`. */
  interpolate(
    from: LatentPlace,
    to: LatentPlace,
    steps: number,
    options: { readonly view?: ObservedNames<V> | undefined; readonly along: 'geodesic' },
  ): Promise<PredictedLatents>;
  /** Means of the observed variables at the places of these rows. */
  reconstruct(
    given: RowsOf<ObservedNames<V> | KnownNames<V>>,
    options?: ProjectOptions,
  ): Promise<{ readonly [K in ObservedNames<V>]?: Matrix }>;
  reconstruct(given: ObservationsLike, options?: ProjectOptions): Promise<Matrix>;
  /** Rows with their missing entries (NaN) filled in by predictions at their places, and the variances of these. */
  impute(
    given: RowsOf<ObservedNames<V> | KnownNames<V>>,
    options?: ProjectOptions,
  ): Promise<{ readonly [K in ObservedNames<V>]?: Prediction }>;
  impute(given: ObservationsLike, options?: ProjectOptions): Promise<Prediction>;
}

/** A random field over the points: the edges where its precision is not 0, the multipliers of its constraints, and how well these hold. */
export interface FittedField extends Pick<LearnedField, 'precision' | 'covariance'> {
  readonly graph: LearnedByLayer['graph'];
  /** Values of its parameters by name, such as the multipliers of each set of constraints. */
  readonly multipliers: ParameterValues;
  /** Largest violation of the optimality conditions, relative. */
  readonly kktResidual: number | undefined;
  /** Columns over the points with missing entries (NaN) at their conditional mean in the field. */
  impute(Y: MatrixLike): Prediction;
}

/** What fits with a random field over the points show. */
interface ShowingFields<V> extends FieldShowing {
  /** The random field of a variable, by its name. */
  field(name: keyof V & string): FittedField;
}

/** What fits of a model of these variables can do; of latents that are Gaussian rows with their variances and relevance. */
export type AbilitiesOfVariables<V> = FitsOfVariables<V> &
  Translating<V> &
  Partial<Forecasting> &
  Partial<Pick<DistributedLatents, 'latentVariances' | 'relevance'>> &
  ([DensityAbilities<V>] extends [never] ? unknown : ShowingFields<V>);

/** A model of these variables. */
export type VariablesModel<V extends Variables> = Model<
  PathsOfVariables<V> & ParameterValues,
  AbilitiesOfVariables<V>,
  'searched'
>;
