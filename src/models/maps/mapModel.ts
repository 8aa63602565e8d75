import * as v from 'valibot';
import { square } from '../../core/elementary/index.ts';
import { InvalidInputError } from '../../core/errors.ts';
import { Matrix, type MatrixLike } from '../../core/matrix.ts';
import { observationsFrom, unitsAdvice } from '../../core/observations.ts';
import { completed } from '../../core/progressiveWork.ts';
import { copiesNote } from '../../core/rowMatrices.ts';
import type { Descent } from '../../engine/neighborEmbedding/descents.ts';
import { givenDistances, type Metric, metricNeighborsOf, type Neighbors } from '../../engine/neighbors/index.ts';
import type { Tensor2D } from '../../engine/tensors/tensorflow.ts';
import { type SearchPoint, type SearchStep, searchSolver } from '../../fields/solvers/fieldSearch.ts';
import { minimize } from '../../inference/minimize/minimize.ts';
import { slices } from '../../inference/minimize/slices.ts';
import { lbfgs } from '../../inference/solvers/lbfgs.ts';
import type { Placing } from '../../model/abilities.ts';
import { madeHere } from '../../model/givenModel.ts';
import { initialLatents, keptInit } from '../../model/initialization.ts';
import type { Density, DensityContext, Rows } from '../../model/language/density.ts';
import { known } from '../../model/language/known.ts';
import { latent } from '../../model/language/latent.ts';
import { fieldPosterior } from '../../model/language/readOff.ts';
import type { PointRows } from '../../model/language/variable.ts';
import { variablesModel } from '../../model/language/variablesModel.ts';
import type { Model } from '../../model/model.ts';
import { checkMapped } from '../../model/neighborStart.ts';
import { real } from '../../model/parameter.ts';
import { type Projection, withoutDensity } from '../../model/posterior.ts';
import type { Solver, SolverMemory } from '../../model/solver.ts';
import { type PlainFunction, plainFunction } from '../../priors/plainFunction.ts';
import { spectralStart } from '../gp/spectralStart.ts';
import { doublyCentered, type LeadingEmbedding, leadingEmbedding } from '../spectral/embedding/leadingEmbedding.ts';
import { checkVaried, savedSpectral } from '../spectral/embedding/options.ts';

/** Schedule of steps for the latents. */
interface Schedule {
  readonly name: string;
  readonly steps: number;
  /** Begins at X, which it modifies, or resumes from the memory of an interrupted run; the seed determines its random draws. */
  begin(X: Float64Array, seed: number, memory?: Readonly<Record<string, Float64Array>>): Descent;
}

/** Steps per iteration of the fit, since evaluations of the objective cost more than steps. */
const ROUND = 50;

type Round = SearchStep & SearchPoint;

/**
 * Solver that follows a schedule: an iteration is a round of 50 steps, and it has converged at the end of the schedule.
 *
 * @param size - number of variables
 * @param density - log density that it reports
 */
function scheduledSolver({ name, steps, begin }: Schedule, seed: number, size: number, density: PlainFunction): Solver {
  const gradient = new Float64Array(size);
  function* search(x: Float64Array, saved: SolverMemory | undefined): Generator<Round | undefined, Round, unknown> {
    const { steps: done = 0, ...arrays } = (saved ?? {}) as Record<string, Float64Array> & { steps?: never };
    delete (arrays as SolverMemory).iterations;
    delete (arrays as SolverMemory).evaluations;
    const descent = begin(x, seed, saved === undefined ? undefined : arrays);
    const roundAt = (number: number): Round => ({
      ...{ x, gradient, value: density(x, gradient) },
      iterations: Math.ceil(number / ROUND),
      evaluations: number,
      memory: () => ({
        ...Object.fromEntries(Object.entries(descent.memory).map(([key, entries]) => [key, entries.slice()])),
        ...{ steps: number, iterations: Math.ceil(number / ROUND), evaluations: number },
      }),
    });
    for (let number = Number(done); number < steps; ) {
      descent.step(number++);
      yield number % ROUND === 0 && number < steps ? roundAt(number) : undefined;
    }
    return roundAt(steps);
  }
  return searchSolver<Round, Round>({
    name,
    scale: new Float64Array(size).fill(1),
    begin: search,
    pointAt: (round) => round,
    ending: () => ({ status: 'converged', reason: `the ${steps} steps of the schedule are done` }),
  });
}

/** Start of a map's latents: principal components (principal coordinates for distances), Laplacian eigenmaps, or an N×q matrix, which is used unscaled. */
export type StartOfMap = 'pca' | 'eigenmaps' | number[][] | Matrix;

/** Model with latents only and a single term, a density of neighbors; `project` places new rows. */
export type MapModel = Model<{ readonly latents: Matrix }, Placing, 'searched'>;

/** Ingredients of a map; costly ones are computed on demand. */
interface MapParts {
  readonly points: Matrix;
  /** Sentence about the points. */
  readonly note?: string;
  readonly latentDim: number;
  /** Initial latents; a function computes them. */
  readonly init: StartOfMap | (() => Matrix);
  /** Scales a start other than a matrix. */
  scaled(start: Matrix): Matrix;
  /** Log density of the latents. */
  density(): PlainFunction;
  /** Schedule that is independent of the gradient; default the usual search. */
  readonly schedule?: Schedule;
  /** Metric that defines nearby rows. */
  readonly metric?: Metric;
  /** Number of neighbors used to place new rows. */
  readonly near: number;
  /** Negative log density of a new row's position, conditional on its neighbors among the points. */
  placing(neighbors: Neighbors, latents: Matrix): RowDensity;
  readonly saved: object;
}

/** Ingredients for placing one row: the weights of its neighbors, and the negative log density at x, which writes its gradient. */
interface RowDensity {
  readonly weights: Float64Array;
  at(x: Float64Array, gradient: Float64Array): number;
}

const METRICS = ['euclidean', 'cosine', 'correlation', 'hamming', 'precomputed'] as const;
export const metricOption = v.optional(v.picklist(METRICS, METRICS.map((name) => `'${name}'`).join(', ')), 'euclidean');

/**
 * Checked observations of a map, and a sentence about rounded distances.
 *
 * @throws InvalidInputError for observations that are not finite numbers, invalid 'precomputed' distances, and a start at eigenmaps, which is
 * unavailable for distances
 */
export function mappedPoints(Y: MatrixLike, metric: Metric, init: unknown, name: string) {
  const given = observationsFrom(Y);
  checkMapped(given, name);
  checkVaried(given, name);
  if (metric !== 'precomputed') return { points: given, note: '' };
  const { distances: points, note } = givenDistances(given, `metric 'precomputed' of ${name}`);
  if (init !== 'eigenmaps') return { points, note };
  throw new InvalidInputError(
    `The eigenmaps where ${name} would start need points, but it has distances only. Leave init out, for their principal coordinates, or give it a matrix.`,
  );
}

/** Named map: latents X with a density that depends on the observations. */
export function mapModel(name: string, given: MapParts): MapModel {
  const parts = { ...given, init: keptInit(given.init) };
  const { points, latentDim, schedule, saved } = parts;
  const density: Density = Object.freeze({
    kind: 'density',
    name,
    normalized: false,
    exact: true,
    centered: false,
    takesMissing: false,
    independent: false,
    parameters: () => ({}),
    prepare: () => parts.density(),
    logDensity: (_: object, { value }: Rows, { constants }: DensityContext) =>
      plainFunction(value, constants as PlainFunction),
    search: {
      place: (rows: Matrix, latents: Matrix) => placed(parts, latents, rows),
      ...(schedule && {
        settings: {
          solver: (seed: number) => scheduledSolver(schedule, seed, points.rows * latentDim, parts.density()),
          ...{ rounds: Math.ceil(schedule.steps / ROUND), tolerance: 0, relativeDecrease: 0 },
        },
      }),
    },
  });
  const posterior: PointRows = {
    kind: 'latents',
    name: 'free',
    parameters: () => ({ latents: real(startOf(parts, name)) }),
    from: () => posterior,
    mapsObservations: false,
    features: (Y) => Y,
    apply: (p) => p.latents as Tensor2D,
    toJSON: () => ({ name: 'free' }),
  };
  const variables = () => {
    const y = known(points);
    return { y, latents: latent({ dim: latentDim, density, given: y, posterior }) };
  };
  const places = () => ({ path: 'latents', term: name });
  const isOfColumns = parts.metric !== 'precomputed' && parts.metric !== 'hamming';
  const note = () =>
    (isOfColumns ? unitsAdvice(points) : '') + (parts.note ?? '') + copiesNote(points, 'the map spreads them');
  const toJSON = () => savedSpectral(name, points, saved);
  return madeHere(
    variablesModel({ name, variables, places, note }, undefined, toJSON, fieldPosterior),
  ) as unknown as MapModel;
}

function startOf({ points, latentDim, init, scaled, metric }: MapParts, name: string): Matrix {
  if (typeof init === 'function') return init();
  if (init === 'pca') {
    const embedding = metric === 'precomputed' ? principalCoordinates(points, latentDim, name) : init;
    return scaled(initialLatents(embedding, points, latentDim));
  }
  if (init === 'eigenmaps') return scaled(initialLatents(spectralStart(init, points, latentDim), points, latentDim));
  return initialLatents(init, points, latentDim);
}

/** Principal coordinates of points from their distances, by classical scaling. */
function principalCoordinates(distances: Matrix, latentDim: number, name: string): LeadingEmbedding {
  return completed(leadingEmbedding(doublyCentered(distances.map(square), -0.5), latentDim, name));
}

const MOST_ITERATIONS = 100;

/**
 * Places new rows at their densest position, searched from the mean of their neighbors and from the nearest one; rows that equal fitted points are
 * mapped to these. Yields to the event loop every 40 ms.
 */
async function placed(
  { points, metric = 'euclidean', near, placing }: MapParts,
  latents: Matrix,
  rows: Matrix,
): Promise<Projection> {
  const q = latents.columns;
  const { indices, distances } = metricNeighborsOf(metric, points, near, rows);
  const placeOf = (i: number): Float64Array => {
    const own = {
      indices: indices.subarray(i * near, (i + 1) * near),
      distances: distances.slice(i * near, (i + 1) * near),
    };
    const nearest = latents.row(own.indices[0]!);
    if (own.distances[0] === 0) return nearest;
    const density = placing(own, latents);
    const gradient = new Float64Array(q);
    const objective = (x: Float64Array) => ({ value: density.at(x, gradient), gradient });
    const total = density.weights.reduce((sum, weight) => sum + weight, 0);
    const mean = new Float64Array(q);
    own.indices.forEach((j, p) => {
      for (let c = 0; c < q; c++) mean[c]! += (density.weights[p]! / total) * latents.at(j, c);
    });
    const [first, second] = [mean, nearest].map((start) =>
      minimize(objective, start, lbfgs(), { maxIterations: MOST_ITERATIONS }),
    );
    return first!.value <= second!.value ? first!.x : second!.x;
  };
  const places = Matrix.zeros(rows.rows, q);
  const slice = slices();
  for (let i = 0; i < rows.rows; i++) {
    places.data.set(placeOf(i), i * q);
    if (slice.isOver()) await slice.leave();
  }
  return withoutDensity(places);
}
