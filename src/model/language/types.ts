import type { Matrix, MatrixLike } from '../../core/matrix.ts';
import type { ObservationsLike } from '../../core/namedTable.ts';
import type {
  DistributedLatents,
  FieldAbility,
  FieldLearning,
  Forecast,
  Forecasting,
  ForecastOptions,
  Interpolate,
  PredictedLatents,
  PredictOptions,
  ProjectOptions,
  SampleOptions,
} from '../abilities.ts';
import type { WithoutLatents } from '../fit.ts';
import type { Model, ParameterValues } from '../model.ts';
import type { Parameter, ParameterValue } from '../parameter.ts';
import type { PathsBelow } from '../part.ts';
import type { LearnedByLayer, LearnedField, Prediction, Projection } from '../posterior.ts';
import type { DensityAbility } from './density.ts';
import type { Variables } from './graph.ts';
import type { EmbeddedVariable, KnownVariable, LatentVariable, MappedVariable, ObservedVariable } from './variable.ts';

/** Names of variables with a role. */
type Named<V, Of> = { [K in keyof V & string]: V[K] extends Of ? K : never }[keyof V & string];
type LatentNames<V> = Named<V, LatentVariable>;
/** Names of latent variables with a row for each new row. */
type PlacedNames<V> = {
  [K in LatentNames<V>]: V[K] extends { readonly rows: infer R } ? (undefined extends R ? K : never) : never;
}[LatentNames<V>];
type ObservedNames<V> = Named<V, ObservedVariable>;
type KnownNames<V> = Named<V, KnownVariable>;
type MappedNames<V> = Named<V, MappedVariable | EmbeddedVariable>;

/** Rows by the names of variables. */
type RowsOf<Names extends string> = { readonly [K in Names]?: MatrixLike | undefined };

/** Known rows by name, all of them unless some may coincide with an observed variable's. */
type KnownRows<V> = HasSource<V> extends true ? RowsOf<KnownNames<V>> : { readonly [K in KnownNames<V>]: MatrixLike };
type HasSource<V> = true extends {
  [K in ObservedNames<V>]: V[K] extends { readonly source: undefined } ? false : true;
}[ObservedNames<V>]
  ? true
  : false;

/** Rows without names, if no known rows are required. */
type Unnamed<V, Rows> = [KnownNames<V>] extends [never] ? Rows : HasSource<V> extends true ? Rows : never;

/** Parameters of a density by path if its type knows them; otherwise any path below the variable's name. */
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

/** Abilities of fits due to a density or factor. */
type DensityAbilities<V> = {
  [K in keyof V]: V[K] extends { readonly '~density'?: infer D; readonly '~factors'?: infer F }
    ? AbilityOf<NonNullable<D>> | AbilityOf<F extends readonly (infer E)[] ? E : NonNullable<F>>
    : never;
}[keyof V];
type AbilityOf<D> = D extends { readonly '~says'?: infer S }
  ? unknown extends S
    ? never
    : 'field' extends S
      ? FieldAbility
      : never
  : never;

/** Abilities of a density by its type: see {@link DensityAbility}; unknown if its type is not specific, and none for random fields over the points. */
type Said<D> = [AbilityOf<D>] extends [never]
  ? D extends { readonly '~says'?: infer S }
    ? S extends undefined
      ? never
      : S
    : unknown
  : never;
/** False if the type of a density rules out this ability. */
type MaySay<D, What extends DensityAbility> = unknown extends Said<D> ? true : What extends Said<D> ? true : false;
type DensityOf<V> = V extends { readonly '~density'?: infer D } ? Exclude<D, undefined> : never;
type FactorOf<V> = V extends { readonly '~factors'?: infer F } ? EntryOf<Exclude<F, undefined>> : never;
type EntryOf<F> = F extends readonly (infer E)[] ? E : F;

/** True unless the type of an observed variable's density rules the ability out, or there is no observed variable or no other variable. */
type AllSay<V, What extends DensityAbility> = string extends keyof V
  ? true
  : [ObservedNames<V>] extends [never]
    ? false
    : [LatentNames<V> | MappedNames<V> | KnownNames<V>] extends [never]
      ? false
      : false extends { [K in ObservedNames<V>]: MaySay<DensityOf<V[K]>, What> }[ObservedNames<V>]
        ? false
        : true;
type CanPlace<V> = string extends keyof V
  ? true
  : [PlacedNames<V> | Named<V, MappedVariable>] extends [never]
    ? false
    : AllSay<V, 'rows'>;

/** Whether a density or factor defines the rows that follow its variable's. */
type Follows<D> =
  unknown extends Said<D> ? boolean : 'next' extends Said<D> ? true : 'perhaps next' extends Said<D> ? boolean : false;
type SequenceNames<V> = [PlacedNames<V>] extends [never] ? Named<V, MappedVariable> : PlacedNames<V>;
type Sequential<V> = {
  [K in SequenceNames<V>]: Follows<DensityOf<V[K]>> | Follows<FactorOf<V[K]>>;
}[SequenceNames<V>];
/** Forecasts of the only observed variable, or of several by name. */
type Forecasts<V> =
  IsUnion<ObservedNames<V>> extends true
    ? {
        forecast(
          steps: number,
          options?: ForecastOptions,
        ): Pick<Forecast, 'latents' | 'latentVariances'> & {
          readonly [Name in ObservedNames<V>]: Omit<Forecast, 'latents' | 'latentVariances'>;
        };
      }
    : Forecasting;
/** Abilities of fits whose shown variable is a sequence of rows; if there are several variables, the type does not know which one is shown. */
type ForecastingOf<V> =
  AllSay<V, 'moments'> extends false
    ? unknown
    : string extends keyof V
      ? Partial<Forecasts<V>>
      : true extends Sequential<V>
        ? IsUnion<SequenceNames<V>> extends true
          ? Partial<Forecasts<V>>
          : [KnownNames<V>] extends [never]
            ? Forecasts<V>
            : HasSource<V> extends true
              ? Partial<Forecasts<V>>
              : unknown
        : unknown;

/** Reason why the variables of a model cannot be drawn before a fit; never unless their types determine it. */
type NotDrawn<V> = string extends keyof V
  ? never
  : {
      [K in LatentNames<V> | ObservedNames<V>]: [FactorOf<V[K]>] extends [never]
        ? [DensityOf<V[K]>] extends [never]
          ? `'${K}' has no density`
          : MaySay<DensityOf<V[K]>, 'draws'> extends true
            ? never
            : `the density of '${K}' has no sample`
        : unknown extends FactorOf<V[K]>
          ? never
          : `'${K}' has a factor in addition to its density`;
    }[LatentNames<V> | ObservedNames<V>];

/** Further abilities with several observed variables. */
export type Translating<V> =
  IsUnion<ObservedNames<V>> extends true
    ? {
        /** Latents of new rows of some variables, and predictions of another variable there. */
        translate(
          given: RowsOf<ObservedNames<V>> & KnownRows<V>,
          to: ObservedNames<V>,
          options?: ProjectOptions,
        ): Promise<PredictedLatents>;
      }
    : unknown;

type IsUnion<T, All = T> = [T] extends [never] ? false : T extends unknown ? ([All] extends [T] ? false : true) : never;

/** Members of fits of a model of variables. */
export interface ShowingVariables<V> {
  /** Values of the variables that are not observed, N rows each unless they have a different number. */
  readonly values: { readonly [K in LatentNames<V> | MappedNames<V> | KnownNames<V>]: Matrix };
}

/** Abilities of fits whose observed variables have densities of new rows. */
export interface PlacingVariables<V> {
  /**
   * Projects new rows: the values of all latent variables that maximize the log density of the rows.
   *
   * @param given - rows of observed variables (NaN means not observed) and of all known ones, by name; or the matrix of the only observed variable
   * @returns `latents`, for the variable in `fit.latents`; `values` of all variables; and `logDensity` of each row's observations
   */
  project(
    given: RowsOf<ObservedNames<V>> & KnownRows<V>,
    options?: ProjectOptions,
  ): Promise<Projection & { readonly values: { readonly [K in PlacedNames<V> | MappedNames<V>]: Matrix } }>;
  project(given: Unnamed<V, ObservationsLike>, options?: ProjectOptions): Promise<Projection>;
}

/** Abilities of fits whose observed variables have moments of new rows. */
export interface PredictingVariables<V> {
  /**
   * Moments of the variables that follow from these values, by name; the uncertainty of intermediate random variables is propagated.
   *
   * @param given - values of latent variables without parents, of all known ones, and of others to be fixed
   */
  predict(
    given: RowsOf<PlacedNames<V> | MappedNames<V>> & KnownRows<V>,
    options?: PredictOptions,
  ): { readonly [K in ObservedNames<V>]: Prediction } & { readonly [K in PlacedNames<V>]?: Prediction };
  predict(X: MatrixLike, options?: { readonly view?: ObservedNames<V> | undefined } & PredictOptions): Prediction;
  /** Predictions along a path between two points, on the chart of the latents if they have one, or along the geodesic: see `geometry`. */
  interpolate: Interpolate<{ readonly view?: ObservedNames<V> | undefined }>;
}

/** Abilities of fits whose observed variables can be drawn for new rows. */
export interface SamplingVariables<V> {
  /** A draw of the variables that follow from these values, by name; jointly over the rows if the density is joint. */
  sample(
    given: RowsOf<PlacedNames<V> | MappedNames<V>> & KnownRows<V>,
    options?: SampleOptions,
  ): { readonly [K in ObservedNames<V>]: Matrix } & { readonly [K in PlacedNames<V>]?: Matrix };
  sample(X: MatrixLike, options?: { readonly view?: ObservedNames<V> | undefined } & SampleOptions): Matrix;
}

/** The same rows; names other than possible variables are errors. */
type NamesOf<V, G> = G & { readonly [K in Exclude<keyof G, ObservedNames<V> | KnownNames<V>>]: never };
/** Result for each observed variable among the rows. */
type ForEach<V, G, Found> = {
  readonly [K in keyof G & ObservedNames<V>]: [G[K]] extends [MatrixLike] ? Found : Found | undefined;
};

/** Abilities of fits that project rows and predict there. */
export interface FillingVariables<V> {
  /** Means of the observed variables at the projections of these rows. */
  reconstruct<G extends RowsOf<ObservedNames<V>> & KnownRows<V>>(
    given: NamesOf<V, G>,
    options?: ProjectOptions,
  ): Promise<ForEach<V, G, Matrix>>;
  reconstruct(given: Unnamed<V, ObservationsLike>, options?: ProjectOptions): Promise<Matrix>;
  /** Rows with their missing entries (NaN) imputed by predictions at their projections, and the variances of these entries. */
  impute<G extends RowsOf<ObservedNames<V>> & KnownRows<V>>(
    given: NamesOf<V, G>,
    options?: ProjectOptions,
  ): Promise<ForEach<V, G, Prediction>>;
  impute(given: Unnamed<V, ObservationsLike>, options?: ProjectOptions): Promise<Prediction>;
}

/** A random field over the points: the edges where its precision is not 0, the multipliers of its constraints, and their optimality. */
export interface FittedField extends Pick<LearnedField, 'precision' | 'covariance'> {
  readonly graph: LearnedByLayer['graph'];
  /** Values of its parameters by name, such as the multipliers of each set of constraints. */
  readonly multipliers: ParameterValues;
  /** Largest violation of the optimality conditions, relative. */
  readonly kktResidual: number | undefined;
  /** Columns over the points with missing entries (NaN) replaced by their conditional mean in the field. */
  impute(Y: MatrixLike, options?: Pick<ProjectOptions, 'calibrated' | 'signal'>): Promise<Prediction>;
}

/** Members of fits with a random field over the points. */
interface ShowingFields<V> extends FieldAbility {
  /** The random field of a variable, by its name. */
  field(name: keyof V & string): FittedField;
}

/** Abilities derived from the fitted densities, by the names of the variables; only those that the densities support. */
export type FitsOfVariables<V> = ShowingVariables<V> &
  (CanPlace<V> extends true ? PlacingVariables<V> : unknown) &
  (AllSay<V, 'moments'> extends true ? PredictingVariables<V> : unknown) &
  (AllSay<V, 'sample'> extends true
    ? SamplingVariables<V>
    : AllSay<V, 'moments'> extends true
      ? SamplingVariables<V>
      : unknown) &
  (CanPlace<V> extends true
    ? AllSay<V, 'moments'> extends true
      ? FillingVariables<V> & Translating<V>
      : unknown
    : unknown);

/** Abilities of fits of a model of these variables; for Gaussian latents, including their variances and relevance. */
export type AbilitiesOfVariables<V> = FitsOfVariables<V> &
  (string extends keyof V
    ? unknown
    : [LatentNames<V> | MappedNames<V> | KnownNames<V>] extends [never]
      ? WithoutLatents
      : unknown) &
  ForecastingOf<V> &
  Partial<Pick<DistributedLatents, 'latentVariances' | 'relevance'>> &
  ([DensityAbilities<V>] extends [never]
    ? unknown
    : ShowingFields<V> & (AllSay<V, 'moments'> extends true ? unknown : Pick<FieldLearning, 'impute'>));

/** A model of these variables. */
export type VariablesModel<V extends Variables> = Model<
  PathsOfVariables<V> & ParameterValues,
  AbilitiesOfVariables<V>,
  'searched'
> & {
  /** In types only: reason why `samplePrior` cannot draw its variables. */
  readonly '~notDrawn'?: NotDrawn<V>;
};
