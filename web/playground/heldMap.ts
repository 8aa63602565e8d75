import { add, bias, fit, fixedAt, latentVariableModel, type Matrix, rbf } from 'latentfield';
import { type Background, backgroundOf, type Place } from './background.ts';

const INDUCING = 50;
const ITERATIONS = 60;
/** Of the map's deviation: where the lengthscale starts. */
const LENGTHSCALE = 0.25;

/** What a sparse Gaussian process, fitted to the rows with the places of a map held, expects at the cells of a grid over that map. */
export async function backgroundAt(Y: Matrix, X: Matrix, place: Place): Promise<Background | undefined> {
  const rms = ({ data }: Matrix) => Math.sqrt(data.reduce((sum, entry) => sum + entry * entry, 0) / data.length);
  const variance = rms(Y) ** 2;
  const model = latentVariableModel({
    observations: Y,
    latentDim: X.columns,
    inducing: Math.min(INDUCING, X.rows),
    kernel: add(rbf({ variance, lengthscale: LENGTHSCALE * rms(X) }), bias({ variance: 0.1 * variance })),
    latents: fixedAt(X),
  });
  const held = await fit(model, { maxIterations: ITERATIONS });
  return backgroundOf((at) => held.predict(at, { noise: true }), place, new AbortController().signal);
}
