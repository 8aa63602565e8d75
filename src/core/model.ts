import type { Matrix } from './matrix.ts';
import type { Parameter, ParameterValue } from './parameter.ts';
import type { Scalar, Tensor } from './tensorflow.ts';

/** Tensors of natural values: by path for a whole model, by name for one part. */
export type TensorMap = Readonly<Record<string, Tensor>>;

/** Natural values by path, as people give and read them. */
export type ParameterValues = Readonly<Record<string, ParameterValue>>;

/** What an evaluation has to say beside its number. */
export interface EvaluationReport {
  /** The largest jitter that a factorisation needed (absolute, added to the diagonal); 0 when none did. */
  jitter: number;
}

/** One named term of a model's log density. */
export interface Factor {
  readonly name: string;
  /** The term at the given natural values, as a scalar tensor. */
  logDensity(values: TensorMap, report: EvaluationReport): Scalar;
}

export interface Prediction {
  /** n×D */
  readonly mean: Matrix;
  /** n×D */
  readonly variance: Matrix;
}

/** What a model can do once its values are known; plain numbers only, no tensors. */
export interface Posterior {
  /** N×q */
  readonly latents: Matrix;
  /** Predictive mean and variance of the observations at latent points X (n×q). */
  predict(X: Matrix, noise: boolean): Prediction;
}

/**
 * A model made ready to be evaluated: its variables, its factors, and the constants they need, which are kept as tensors of
 * the float64 backend until `dispose`. Made inside `withFloat64`.
 */
export interface Assembly {
  /** Every variable and every held value by path; iteration order is the order of the solver's variables. */
  readonly parameters: Readonly<Record<string, Parameter>>;
  /** Their log densities add up to the objective. */
  readonly factors: readonly Factor[];
  dispose(): void;
}

/** A description of a model: plain, frozen, nothing computed. Inference sees a model through this only. */
export interface Model {
  readonly name: string;
  assemble(seed: number): Assembly;
  posterior(values: ParameterValues): Posterior;
  /** Everything `loadFit` needs to make the model again, as plain JSON. */
  toJSON(): ModelJSON;
}

/** Plain JSON with a `model` that says which factory reads it. */
export type ModelJSON = { readonly model: string } & { readonly [key: string]: unknown };
