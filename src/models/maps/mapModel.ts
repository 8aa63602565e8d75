import * as v from 'valibot';
import { InvalidInputError } from '../../core/errors.ts';
import { Matrix, type MatrixLike } from '../../core/matrix.ts';
import { observationsFrom, unitsAdvice } from '../../core/observations.ts';
import { completed } from '../../core/progressiveWork.ts';
import { copiesNote } from '../../core/rowMatrices.ts';
import type { Descent } from '../../engine/neighborEmbedding/descents.ts';
import { givenDistances, type Metric, metricNeighborsOf, type Neighbors } from '../../engine/neighbors/index.ts';
import type { Tensor2D } from '../../engine/tensors/tensorflow.ts';
import { type SearchStep, searchSolver } from '../../fields/solvers/fieldSearch.ts';
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
import type { Projection } from '../../model/posterior.ts';
import type { Solver, SolverMemory } from '../../model/solver.ts';
import { type PlainFunction, plainFunction } from '../../priors/plainFunction.ts';
import { spectralStart } from '../gp/spectralStart.ts';
import { doublyCentered, type LeadingEmbedding, leadingEmbedding } from '../spectral/embedding/leadingEmbedding.ts';
import { checkVaried, savedSpectral } from '../spectral/embedding/options.ts';

/** A search of N·q latents along a schedule, and the log density that it reports. */
interface Schedule {
  readonly name: string;
  readonly size: number;
  readonly steps: number;
  /** Begins at X, which it moves, or goes on from what an interrupted one remembered. */
  begin(X: Float64Array, memory?: Readonly<Record<string, Float64Array>>): Descent;
  /** The log density, which fills its gradient. */
  density(X: Float64Array, gradient: Float64Array): number;
}

/** Steps of an iteration of the fit: values cost more than steps. */
const ROUND = 50;

interface Round extends SearchStep {
  readonly x: Float64Array;
  readonly value: number;
  readonly gradient: Float64Array;
}

/** A schedule as a solver: an iteration is a round of 50 steps, and it has converged when the schedule has been gone through. */
export function scheduledSolver({ name, size, steps, begin, density }: Schedule): Solver {
  const gradient = new Float64Array(size);
  function* search(x: Float64Array, saved: SolverMemory | undefined): Generator<Round | undefined, Round, unknown> {
    const { steps: done = 0, ...arrays } = (saved ?? {}) as Record<string, Float64Array> & { steps?: never };
    delete (arrays as SolverMemory).iterations;
    delete (arrays as SolverMemory).evaluations;
    const descent = begin(x, saved === undefined ? undefined : arrays);
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

/** Where the latents of a map start: the principal components (of distances the principal coordinates), Laplacian eigenmaps, or an N×q matrix, which is taken as it is. */
export type StartOfMap = 'pca' | 'eigenmaps' | number[][] | Matrix;

/** A model of latents alone, whose one term is a density of neighbors; `project` places new rows. */
export type MapModel = Model<{ readonly latents: Matrix }, Placing, 'searched'>;

/** Ingredients of a map; costly ones are computed on demand. */
interface MapParts {
  readonly points: Matrix;
  /** Sentence about the points. */
  readonly note?: string;
  readonly latentDim: number;
  /** Where the latents start; a function computes it. */
  readonly init: StartOfMap | (() => Matrix);
  /** The scale of a start that is not given. */
  scaled(start: Matrix): Matrix;
  /** The log density of the latents. */
  density(): PlainFunction;
  /** A schedule that goes on whatever the gradient is, and whose draws a seed decides; the usual search where there is none. */
  solver?(seed: number): Solver;
  /** The metric that defines which rows are near. */
  readonly metric?: Metric;
  /** Neighbors by which new rows are placed. */
  readonly near: number;
  /** Minus the log density of a new row's place, given its neighbors among the points. */
  placing(neighbors: Neighbors, latents: Matrix): RowDensity;
  readonly saved: object;
}

/** Ingredients for placing one row: the weights of its neighbors, and minus the log density at x, which fills its gradient. */
interface RowDensity {
  readonly weights: Float64Array;
  at(x: Float64Array, gradient: Float64Array): number;
}

const METRICS = ['euclidean', 'cosine', 'correlation', 'hamming', 'precomputed'] as const;
export const metricOption = v.optional(v.picklist(METRICS, METRICS.map((name) => `'${name}'`).join(', ')), 'euclidean');

/**
 * The observations of a map, and a sentence about distances that were rounded.
 *
 * @throws InvalidInputError for observations that are not finite numbers, 'precomputed' distances that are none, and a start at eigenmaps, which distances have not
 */
export function mappedPoints(Y: MatrixLike, metric: Metric, init: unknown, name: string) {
  const given = observationsFrom(Y);
  checkMapped(given, name);
  checkVaried(given, name);
  if (metric !== 'precomputed') return { points: given, note: '' };
  const { distances: points, note } = givenDistances(given, `metric 'precomputed' of ${name}`);
  if (init !== 'eigenmaps') return { points, note };
  throw new InvalidInputError(
    `The eigenmaps where ${name} would start are those of points, but it has distances only. Leave init out, for their principal coordinates, or give it a matrix.`,
  );
}

/** A named map: latents X whose density is given the observations. */
export function mapModel(name: string, given: MapParts): MapModel {
  const parts = { ...given, init: keptInit(given.init) };
  const { points, latentDim, solver, saved } = parts;
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
      ...(solver && { settings: { solver: (seed: number) => solver(seed), tolerance: 0, relativeDecrease: 0 } }),
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

/** The principal components of points with these distances, which classical scaling finds. */
function principalCoordinates({ data, rows: N }: Matrix, latentDim: number, name: string): LeadingEmbedding {
  const squares = new Matrix(
    data.map((distance) => distance * distance),
    N,
    N,
  );
  return completed(leadingEmbedding(doublyCentered(squares, -0.5), latentDim, name));
}

const MOST_ITERATIONS = 100;

/** New rows where the density of their place is highest, searched from the mean of their neighbors and from the nearest one; rows that are points land on them. The event loop gets its turn every 40 ms. */
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
  return { latents: places, logDensity: new Float64Array(rows.rows).fill(Number.NaN) };
}
