import * as v from 'valibot';
import { InvalidInputError } from '../../core/errors.ts';
import { describe, Matrix, type MatrixLike } from '../../core/matrix.ts';
import { checkEntries, checkNumbers } from '../../core/observations.ts';
import { checkOptions } from '../../core/options.ts';
import { seededRandom } from '../../core/random.ts';
import type { Fit, FitOutcome } from '../../model/fit.ts';
import type { Model, Posterior } from '../../model/model.ts';
import { type EngineChoice, withEngine } from '../../numerics/dense/index.ts';
import { sharedMemory } from '../../numerics/memory.ts';
import { project } from '../project.ts';
import { posteriorOn } from './posteriorOn.ts';

const wholeFromOne = v.pipe(v.number('a whole number from 1'), v.integer('a whole number from 1'), v.minValue(1));
const predictOptions = v.strictObject({ noise: v.optional(v.boolean()) });
const projectOptions = v.strictObject({
  starts: v.optional(wholeFromOne),
  maxIterations: v.optional(wholeFromOne),
  tolerance: v.optional(v.pipe(v.number('a number'), v.minValue(0, 'a number from 0'))),
  signal: v.optional(v.custom<AbortSignal>((value) => value instanceof AbortSignal, 'an AbortSignal')),
});
const sampleOptions = v.strictObject({ seed: v.optional(v.number('a whole number')), noise: v.optional(v.boolean()) });

/**
 * A fit from its model and what the optimizer found, or what a file holds.
 *
 * @param engine - the linear algebra of everything that the fit computes; undefined where the environment says
 */
export function createFit(model: Model, outcome: FitOutcome, engine?: EngineChoice): Fit {
  const made = withEngine(sharedMemory(), engine, () => model.posterior(outcome.values));
  const posterior = posteriorOn(engine, made);
  const { latents } = posterior;
  const { values, objective, terms, trace, status, message, diagnostics } = outcome;
  // In one order, however the fit came about: its text is then the same too.
  const rest = { objective, terms, trace, status, message, diagnostics };
  const { latents: _, ...parameters } = values;
  const pointsFrom = (X: MatrixLike, caller: string) => checkPoints(Matrix.from(X, 'X'), latents.columns, caller);
  const predict: Fit['predict'] = (X, options = {}) => {
    const { noise = false } = checkOptions(predictOptions, options, 'predict');
    return posterior.predict(pointsFrom(X, 'predict'), noise);
  };
  const observationsFrom = (Y: MatrixLike) => checkObservations(Matrix.from(Y, 'Y'), posterior);
  const projected: Fit['project'] = async (Y, options = {}) => {
    const given = checkOptions(projectOptions, options, 'project');
    const { starts = 20, maxIterations = 200, tolerance = 1e-6, signal } = given;
    return project(posterior, observationsFrom(Y), { starts, maxIterations, tolerance }, signal);
  };
  return Object.freeze<Fit>({
    model: model.name,
    latents,
    ...rest,
    parameters: Object.freeze(parameters),
    ...spectralPart(posterior),
    predict,
    project: projected,
    reconstruct: async (Y, options = {}) => {
      if (posterior.reconstruct === undefined) return predict((await projected(Y, options)).latents).mean;
      checkOptions(projectOptions, options, 'reconstruct');
      return posterior.reconstruct(observationsFrom(Y));
    },
    sample: (X, options = {}) => {
      const { seed = 0, noise = true } = checkOptions(sampleOptions, options, 'sample');
      const points = pointsFrom(X, 'sample');
      if (posterior.sample === undefined) throw cannot(model, 'sample', 'a mapping from latents to observations');
      return posterior.sample(points, seededRandom(seed), noise);
    },
    interpolate: (from, to, steps) => {
      if (!Number.isInteger(steps) || steps < 2) {
        throw new InvalidInputError(
          `interpolate takes a whole number of steps from 2, but ${describe(steps)} was given.`,
        );
      }
      const ends = pointsFrom([latentOf(latents, from), latentOf(latents, to)], 'interpolate');
      const along = Array.from({ length: steps }, (_, k) => {
        const part = k / (steps - 1);
        return Array.from(ends.row(0), (entry, c) => (1 - part) * entry + part * ends.at(1, c));
      });
      return { latents: Matrix.from(along), ...predict(along) };
    },
    forecast: (steps) => {
      if (!Number.isInteger(steps) || steps < 1) {
        throw new InvalidInputError(`forecast takes a whole number of steps from 1, but ${describe(steps)} was given.`);
      }
      if (posterior.next === undefined) throw cannot(model, 'forecast', 'a prior on sequences, such as dynamics()');
      let point = new Matrix(latents.row(latents.rows - 1), 1, latents.columns);
      const path: number[][] = [];
      for (let k = 0; k < steps; k++) {
        point = posterior.next(point);
        path.push(Array.from(point.data));
      }
      return { latents: Matrix.from(path), ...predict(path) };
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

/** What only models that embed by eigenvectors, or learn a random field, have. */
function spectralPart({ eigenvalues, latentVariances, relevance, graph, precision, covariance, impute }: Posterior) {
  return {
    ...(latentVariances !== undefined && { latentVariances }),
    ...(relevance !== undefined && { relevance }),
    ...(eigenvalues !== undefined && { eigenvalues }),
    ...(graph !== undefined && { graph }),
    ...(precision !== undefined && { precision }),
    ...(covariance !== undefined && { covariance }),
    ...(impute !== undefined && {
      impute: (Y: MatrixLike) => impute(checkEntries(Matrix.from(Y, 'Y'), 'Y', Number.isNaN)),
    }),
  };
}

function checkPoints(X: Matrix, latentDim: number, caller: string): Matrix {
  if (X.columns === latentDim) return checkNumbers(X, 'X');
  throw new InvalidInputError(
    `${caller} takes points of the ${latentDim}-dimensional latent space, but a ${X.rows}×${X.columns} matrix was given.`,
  );
}

function checkObservations(Y: Matrix, { observedColumns, encode, place, acceptsMissing }: Posterior): Matrix {
  if (observedColumns !== undefined && Y.columns !== observedColumns) {
    throw new InvalidInputError(
      `project takes observations with ${observedColumns} columns, but a ${Y.rows}×${Y.columns} matrix was given.`,
    );
  }
  const complete = encode !== undefined || (place !== undefined && acceptsMissing !== true);
  return complete ? checkNumbers(Y, 'Y') : checkSomethingObserved(checkEntries(Y, 'Y', Number.isNaN));
}

function checkSomethingObserved(Y: Matrix): Matrix {
  for (let i = 0; i < Y.rows; i++) {
    if (!Y.row(i).every(Number.isNaN)) continue;
    throw new InvalidInputError(
      `Row ${i} of Y holds missing entries only, so nothing says where it lies. Leave it out: without observations its latents are those of the prior.`,
    );
  }
  return Y;
}

function latentOf(latents: Matrix, place: number | readonly number[]): readonly number[] {
  if (typeof place !== 'number') return place;
  if (Number.isInteger(place) && place >= 0 && place < latents.rows) return Array.from(latents.row(place));
  throw new InvalidInputError(
    `interpolate takes latents, or points by number from 0 to ${latents.rows - 1}, but ${place} was given.`,
  );
}

function cannot(model: Model, what: string, needed: string): InvalidInputError {
  return new InvalidInputError(`${what} needs ${needed}, which the model '${model.name}' does not have.`);
}
