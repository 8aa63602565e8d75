import * as v from 'valibot';
import { InvalidInputError } from './errors.ts';
import { Matrix, type MatrixLike } from './matrix.ts';
import type { Model, ModelJSON, ParameterValues, Prediction } from './model.ts';
import { checkNumbers } from './observations.ts';
import { checkOptions } from './options.ts';
import { type ParameterJSON, type ParameterValue, valueFromJSON } from './parameter.ts';

/** How a fit ended: see the message that comes with it. */
export type FitStatus = 'converged' | 'maxIterations' | 'stopped' | 'failed';

/** Where a fit stood after an iteration. */
export interface TraceEntry {
  readonly iteration: number;
  readonly evaluations: number;
  /** The best log density so far. */
  readonly objective: number;
  /** Largest entry of the gradient in the solver's variables. */
  readonly gradientNorm: number;
}

export interface FitDiagnostics {
  /** Which linear algebra ran. */
  readonly engine: string;
  /** Of the log density, from all starts. */
  readonly evaluations: number;
  /** Of the solver, from the start that led to the result. */
  readonly iterations: number;
  readonly seconds: number;
  /** Jitter on the diagonal of the covariance at the result (absolute); 0 when none was needed. */
  readonly jitter: number;
  /** Largest entry of the gradient in the solver's variables at the result. */
  readonly gradientNorm: number;
  /** The objective reached from each start, the model's own first, when there were restarts. */
  readonly restarts?: readonly number[];
}

/** What a fit knows beside its model: plain data. */
export interface FitOutcome {
  /** Natural values by path, the latents among them when they are free. */
  readonly values: ParameterValues;
  /** The maximised log density. */
  readonly objective: number;
  /** Each factor's part by name. */
  readonly terms: Readonly<Record<string, number>>;
  readonly trace: readonly TraceEntry[];
  readonly status: FitStatus;
  /** A sentence that says exactly how the fit ended. */
  readonly message: string;
  readonly diagnostics: FitDiagnostics;
}

/** A fitted model. */
export interface Fit extends Omit<FitOutcome, 'values'> {
  /** The name of the model that was fitted. */
  readonly model: string;
  /** N×q */
  readonly latents: Matrix;
  /** Natural values by path, without the latents. */
  readonly parameters: Readonly<Record<string, ParameterValue>>;
  /**
   * Predictive mean and variance of the observations at latent points.
   *
   * @param X - n×q latent points
   * @param options - `noise`: whether the variance is that of a new observation (true) or of the noise-free function (false,
   * the default)
   * @returns mean and variance, both n×D, in the units of the observations
   * @throws InvalidInputError when X is not a matrix of finite numbers with q columns
   */
  predict(X: MatrixLike, options?: { noise?: boolean }): Prediction;
  /** The fit as plain JSON, from which `loadFit` makes it again with the same predictions bit for bit. */
  toJSON(): FitJSON;
}

export interface FitJSON extends Omit<FitOutcome, 'values'> {
  readonly format: 'latentfield-fit';
  readonly version: 1;
  readonly model: ModelJSON;
  readonly values: Readonly<Record<string, ParameterJSON['initial']>>;
}

const predictOptions = v.strictObject({ noise: v.optional(v.boolean()) });

/** A fit from its model and what the optimizer found, or what a file holds. */
export function createFit(model: Model, outcome: FitOutcome): Fit {
  const posterior = model.posterior(outcome.values);
  const { latents } = posterior;
  const { values, ...rest } = outcome;
  const { latents: _, ...parameters } = values;
  return Object.freeze<Fit>({
    model: model.name,
    latents,
    ...rest,
    parameters: Object.freeze(parameters),
    predict: (X, options = {}) => {
      const { noise = false } = checkOptions(predictOptions, options, 'predict');
      const points = checkNumbers(Matrix.from(X, 'X'), 'X');
      if (points.columns !== latents.columns) {
        throw new InvalidInputError(
          `predict takes points of the ${latents.columns}-dimensional latent space, but a ${points.rows}×${points.columns} matrix was given.`,
        );
      }
      return posterior.predict(points, noise);
    },
    toJSON: () => ({
      format: 'latentfield-fit',
      version: 1,
      model: model.toJSON(),
      values: Object.fromEntries(
        Object.entries(values).map(([path, value]) => [path, value instanceof Matrix ? value.toArrays() : value]),
      ),
      ...rest,
    }),
  });
}

/** What `Fit.toJSON` wrote about the outcome. */
export function outcomeFromJSON(json: FitJSON): FitOutcome {
  const { values, objective, terms, trace, status, message, diagnostics } = json;
  return {
    values: Object.fromEntries(Object.entries(values).map(([path, value]) => [path, valueFromJSON(value)])),
    objective,
    terms,
    trace,
    status,
    message,
    diagnostics,
  };
}
