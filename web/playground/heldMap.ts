import { add, bias, fit, fixedAt, latentVariableModel, type Matrix, rbf } from 'latentfield';
import type { AnyFit } from './fitSummary.ts';

const INDUCING = 50;
const ITERATIONS = 60;
/** Initial lengthscale, relative to the map's standard deviation. */
const LENGTHSCALE = 0.25;

/** Sparse Gaussian process, fitted to the rows with the positions of a map fixed: it predicts at any position of that map. */
export function heldAt(Y: Matrix, X: Matrix): Promise<AnyFit> {
  const rms = ({ data }: Matrix) => Math.sqrt(data.reduce((sum, entry) => sum + entry * entry, 0) / data.length);
  const variance = rms(Y) ** 2;
  const model = latentVariableModel({
    observations: Y,
    latentDim: X.columns,
    inducing: Math.min(INDUCING, X.rows),
    kernel: add(rbf({ variance, lengthscale: LENGTHSCALE * rms(X) }), bias({ variance: 0.1 * variance })),
    posterior: fixedAt(X),
  });
  return fit(model, { maxIterations: ITERATIONS });
}
