import * as v from 'valibot';
import { square } from '../core/elementary/index.ts';
import { InvalidInputError, LatentFieldError } from '../core/errors.ts';
import { Matrix, type MatrixLike } from '../core/matrix.ts';
import { checkOptions, integerFrom, seedOption, signalOption } from '../core/options.ts';
import type { ProgressiveWork } from '../core/progressiveWork.ts';
import { type Random, seededRandom } from '../core/random.ts';
import { rowsOf } from '../core/rowMatrices.ts';
import { classesOf, type Labels } from '../engine/graph/labelGraph.ts';
import { nearestNeighbors } from '../engine/neighbors/index.ts';
import {
  type Assessment,
  assessmentOf,
  BEYOND,
  type DimensionRow,
  type LabelScores,
  type Structure,
} from '../inference/assessment/assessment.ts';
import {
  aTenth,
  calibrationOf,
  type HeldOutEntry,
  heldOutEntries,
  logDensityOf,
  rowwise,
  withHidden,
} from '../inference/assessment/calibration.ts';
import { type OtherMap, stabilityOf } from '../inference/assessment/stability.ts';
import { fit } from '../inference/fit/fit.ts';
import type { FitOptions } from '../inference/fit/fitOptions.ts';
import { openProblem } from '../inference/fit/fitProblem.ts';
import { fitThreads } from '../inference/fit/fitThreads.ts';
import { perturbedStarts } from '../inference/fit/perturbedStarts.ts';
import { slices } from '../inference/minimize/slices.ts';
import { clusteringAccuracy, kMeans, normalizedMutualInformation } from '../inference/scores/clusterings.ts';
import { type LocalScores, localScoresInParts } from '../inference/scores/localScores.ts';
import { nearestNeighborError } from '../inference/scores/neighborScores.ts';
import type { Fit, FittedModel } from '../model/fit.ts';
import type { Model, ModelJSON } from '../model/model.ts';
import { checkHasLatents, comparable, observationsOf, usualNeighbors } from './comparedRows.ts';
import type { OwnParts } from './ownParts.ts';
import { filledIn, type RefitChanges, refitModel } from './refit.ts';

/** Options of {@link assess}. */
export interface AssessOptions {
  /** N×D, the observations that were fitted, for fits that do not hold them. */
  readonly observations?: MatrixLike | undefined;
  /** N labels; those of the table that was fitted unless given. */
  readonly labels?: Labels | undefined;
  /** k of the local scores, from 1 and less than N/4; default 10, or what N allows. */
  readonly neighbors?: number | undefined;
  /** How many maps from moved starts; default 3, 0 for none. */
  readonly starts?: number | undefined;
  /** How many maps of rows drawn with replacement, whose other rows have entries held out; default 4, 0 for none. */
  readonly bootstraps?: number | undefined;
  /**
   * How many fits with a tenth of the observed entries hidden, whose intervals are those of a table's missing entries; 1 unless given where the fitted table has missing entries, 0 otherwise.
   */
  readonly holes?: number | undefined;
  /** Numbers of latent dimensions that held-out entries are predicted with; one less and one more than the fit has unless given, [] for none. */
  readonly dimensions?: readonly number[] | undefined;
  /** Tables of shuffled columns that the data are compared with; default 5, at least 2, or 0 for none. */
  readonly shuffled?: number | undefined;
  /** Options of the fits. */
  readonly fit?:
    | Pick<FitOptions, 'solver' | 'maxIterations' | 'maxSeconds' | 'tolerance' | 'engine' | 'threads'>
    | undefined;
  /** Seed of all that is drawn; default 0. */
  readonly seed?: number | undefined;
  /** Factories of parts that do not come with the library, by name: as `loadFit` takes them. */
  readonly own?: OwnParts | undefined;
  /** Called after each fit with how many are done, and of how many, and awaited. */
  readonly onProgress?: ((done: number, total: number) => unknown) | undefined;
  /** Aborting it rejects with its reason. */
  readonly signal?: AbortSignal | undefined;
}

const schema = v.strictObject({
  observations: v.optional(v.any()),
  labels: v.optional(v.any()),
  neighbors: v.optional(integerFrom(1)),
  starts: v.optional(integerFrom(0), 3),
  bootstraps: v.optional(integerFrom(0), 4),
  holes: v.optional(integerFrom(0)),
  dimensions: v.optional(v.array(integerFrom(1), 'a list of whole numbers from 1')),
  shuffled: v.optional(
    v.pipe(
      integerFrom(0),
      v.check((count) => count !== 1, '0 or a whole number from 2'),
    ),
    5,
  ),
  fit: v.optional(v.any(), {}),
  seed: seedOption,
  own: v.optional(v.any(), {}),
  onProgress: v.optional(
    v.custom<NonNullable<AssessOptions['onProgress']>>((value) => typeof value === 'function', 'a function'),
  ),
  signal: signalOption,
});

/**
 * How far a fit is to be trusted: whether the map shows more than noise would, which points and distances not to read, whether other starts and other rows lead to the same
 * map, whether intervals hold, and how many dimensions the observations support.
 *
 * Local scores ({@link LocalScores}) compare the map with the observations in the units of {@link comparedRows}. Entries are held out as follows: rows are
 * drawn with replacement, the model is fitted to those drawn, a third of the entries of each other row is hidden, and `impute` predicts them from the rest. The map shows nothing
 * where these predictions gain no more than 2.33 standard errors over the mean and variance of each column, and nearest neighbors in the data are no nearer than after each column
 * is shuffled by itself, or the map keeps no more of them than chance does. Dimensions are compared by the same held-out entries, and the fewest within one standard
 * error of the best are supported.
 *
 * Intervals of missing entries are judged by `holes`: a tenth of the observed entries is hidden, the model is fitted to all rows again, and `impute` predicts what was hidden.
 *
 * It fits the model again starts + bootstraps·(1 + dimensions) + holes times. What cannot be assessed, such as bootstraps of a sequence, is named in `notAssessed` with the reason.
 *
 * @param fitted - a fit of any model with one table of observations
 * @param options - see {@link AssessOptions}
 * @returns scores, `findings` in sentences, `doubtful` points, and `summary()` as a table
 * @throws InvalidInputError when the fit has fewer than 8 points or no observations, or an option is out of its range
 * @see Venna & Kaski 2001; Lee & Verleysen 2009; Gneiting & Raftery 2007 (calibration, interval score); Gower & Dijksterhuis 2004 (Procrustes); Horn 1965 (shuffled columns)
 * @example
 * ```ts
 * const assessment = await assess(result, { starts: 1, bootstraps: 2, dimensions: [] });
 * assessment.findings.map(({ text }) => text);
 * String(assessment); // all scores as a table
 * ```
 */
export async function assess(fitted: FittedModel, options: AssessOptions = {}): Promise<Assessment> {
  checkHasLatents(fitted, 'assess');
  const settings = checkOptions(schema, options, 'assess');
  const { seed, signal, own } = settings;
  const json = fitted.toJSON().model;
  const { Y, shown } = observationsOf(fitted, json, settings.observations);
  const X = fitted.latents;
  const k = neighborsOf(X.rows, settings.neighbors);
  const labels = labelsOf(fitted, settings.labels, X.rows);
  const notAssessed: Record<string, string> = {};
  const random = seededRandom(seed);

  const distances = await comparable(fitted, json, shown);
  const scores = await inTurns(localScoresInParts(distances, X, { neighbors: k, ...(labels && { labels }) }), signal);
  const q = X.columns;
  /** Does a part of the assessment; where the model does not allow it, the reason is noted under its name. */
  const attempt = async <T>(what: string, work: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof LatentFieldError) || signal?.aborted) throw error;
      notAssessed[what] = error.message;
      return undefined;
    }
  };

  // Fields over points fill in columns of the points that were fitted, and have no mapping to new rows.
  const { impute, predict } = fitted as Fit;
  const probe = withHidden(rowsOf(Y, [0]), seededRandom(seed));
  const whole =
    impute === undefined || predict === undefined
      ? undefined
      : await attempt('held-out entries', () => filledIn(fitted, probe, signal));
  const canImpute = whole !== undefined && Y.columns > 1;
  const tried = (settings.dimensions ?? [q - 1, q + 1]).filter((dim) => dim >= 1 && dim !== q);
  const dims = canImpute && settings.dimensions?.length !== 0 ? [...new Set(tried)].sort((a, b) => a - b) : [];
  const isWhole = shown.rows === Y.rows;
  const holes = settings.holes ?? (isWhole && Y.data.some(Number.isNaN) ? 1 : 0);
  const total = settings.starts + settings.bootstraps * (1 + dims.length) + holes;
  let done = 0;
  const refit = async (changes: RefitChanges, more: Pick<FitOptions, 'start' | 'seed'> = {}): Promise<Fit> => {
    const limit = fitted.status === 'maxIterations' ? { maxIterations: fitted.diagnostics.iterations } : {};
    const model = refitModel(json, changes, own);
    const result = (await fit(model, { ...limit, ...settings.fit, seed, ...more, ...(signal && { signal }) })) as Fit;
    signal?.throwIfAborted();
    await settings.onProgress?.(++done, total);
    return result;
  };
  const starts = await attempt('stability over starts', () => startMaps(json, own, settings.starts, seed, refit));
  const every = Int32Array.from({ length: X.rows }, (_, i) => i);
  const isOne = starts !== undefined && starts.length > 0 && starts.every((latents) => sameEntries(latents, X));
  if (isOne)
    notAssessed['stability over starts'] = 'Its solution is computed, and does not depend on a start or a seed.';
  const others = isOne ? [] : (starts ?? []).filter((latents) => latents.rows === X.rows);
  const startStability = stabilityOf(
    X,
    others.map((latents) => ({ points: every, latents })),
    k,
  );

  const maps: OtherMap[] = [];
  const entries = new Map<number, HeldOutEntry[]>([q, ...dims].map((dim) => [dim, []]));
  if (settings.bootstraps > 0) {
    await attempt(canImpute ? 'stability over rows and held-out entries' : 'stability over rows', async () => {
      if (!isWhole) throw new InvalidInputError('The map has a part of the rows only.');
      for (let b = 0; b < settings.bootstraps; b++) {
        const drawn = drawnRows(Y.rows, random);
        const isDrawn = new Set(drawn);
        const left = every.filter((i) => !isDrawn.has(i));
        const hidden = withHidden(rowsOf(Y, Array.from(left)), random);
        for (const latentDim of [q, ...dims]) {
          const result = await refit({ rows: drawn, latentDim });
          if (latentDim === q && result.latents.rows === drawn.length)
            maps.push({ points: drawn, latents: result.latents });
          if (!canImpute || result.status === 'failed') continue;
          const held = rowsOf(Y, Array.from(left));
          const predicted = await result.impute!(hidden, signal && { signal });
          entries.get(latentDim)!.push(...heldOutEntries(held, hidden, predicted, left, rowsOf(Y, Array.from(drawn))));
        }
      }
    });
  }
  if (!canImpute && notAssessed['held-out entries'] === undefined)
    notAssessed.intervals = `${fitted.model} fills in no missing entries of new rows, so there are none to hold out.`;
  const ofHoles: HeldOutEntry[] = [];
  const randomHoles = seededRandom(seed);
  await attempt('intervals of missing entries', async () => {
    for (let h = 0; h < holes; h++) {
      const hidden = withHidden(Y, randomHoles, aTenth);
      const result = await refit({ observations: hidden });
      if (result.impute === undefined)
        throw new InvalidInputError(`${fitted.model} does not fill in missing entries of its table.`);
      ofHoles.push(...heldOutEntries(Y, hidden, await filledIn(result, hidden, signal), every, hidden));
    }
  });
  const calibration = calibrationOf(entries.get(q)!);
  const dimensions = dimensionRows(entries);
  const gain: Structure | undefined = calibration && {
    isShown: calibration.gain > BEYOND * calibration.gainSe,
    by: 'heldOut',
    difference: calibration.gain,
    se: calibration.gainSe,
  };
  const structure =
    gain?.isShown === true || settings.shuffled === 0
      ? gain
      : shuffledStructure(distances, settings.shuffled, scores, seededRandom(seed));
  return assessmentOf({
    model: fitted.model,
    status: fitted.status,
    message: fitted.message,
    points: X.rows,
    latentDim: q,
    scores,
    labels: labels && labelScores(X, labels, scores, seed),
    starts: startStability,
    bootstraps: stabilityOf(X, maps, k),
    calibration,
    holes: calibrationOf(ofHoles),
    structure,
    dimensions,
    supportedDim:
      dimensions.length > 1 ? dimensions.find(({ behind, behindSe }) => behind <= behindSe)?.latentDim : undefined,
    relevance: relevanceOf(fitted),
    notAssessed,
  });
}

function neighborsOf(N: number, given: number | undefined): number {
  const k = given ?? usualNeighbors(N);
  if (N < 8 || k >= N / 4) {
    throw new InvalidInputError(
      `assess takes at least 8 points, and fewer neighbors than a quarter of them, but there are ${N} points and ${k} neighbors.`,
    );
  }
  return k;
}

function labelsOf(fitted: FittedModel, given: Labels | undefined, N: number): Labels | undefined {
  const labels = given ?? fitted.table?.labels;
  if (labels === undefined) return undefined;
  const { classes, count } = classesOf(labels, 'assess');
  if (classes.length !== N) {
    throw new InvalidInputError(
      `There are ${N} points, but ${classes.length} labels were given. Give one for each point.`,
    );
  }
  return count > 1 ? labels : undefined;
}

function labelScores(X: Matrix, labels: Labels, { overall }: LocalScores, seed: number): LabelScores {
  const { classes, count } = classesOf(labels, 'assess');
  const labeled = Array.from(classes.keys()).filter((i) => classes[i]! >= 0);
  const own = labeled.map((i) => classes[i]!);
  const { clusters } = kMeans(rowsOf(X, labeled), Math.min(count, labeled.length), { seed });
  return {
    labeled: labeled.length,
    classes: count,
    nearestNeighborError: nearestNeighborError(X, labels),
    neighborhoodHit: overall.neighborhoodHit,
    clusteringAccuracy: clusteringAccuracy(own, clusters),
    normalizedMutualInformation: normalizedMutualInformation(own, clusters),
  };
}

type Refit = (changes: RefitChanges, more?: Pick<FitOptions, 'start' | 'seed'>) => Promise<Fit>;

/** Maps of all rows from starts that are moved at random, as restarts are; by other seeds where the model computes its solution. */
async function startMaps(json: ModelJSON, own: OwnParts, count: number, seed: number, refit: Refit): Promise<Matrix[]> {
  const maps: Matrix[] = [];
  const model = refitModel(json, {}, own) as Model;
  for (let s = 1; s <= count; s++) {
    if (model.solve !== undefined) {
      maps.push((await refit({}, { seed: seed + s })).latents);
      continue;
    }
    const problem = openProblem(model, { seed, engine: undefined });
    try {
      const [moved] = await perturbedStarts(
        problem.layout,
        async () => problem.start,
        [{ init: 'model', width: 1 }],
        seed + s,
      );
      maps.push((await refit({}, { start: problem.valuesAt(moved!) })).latents);
    } finally {
      problem.dispose();
    }
  }
  return maps;
}

const sameEntries = (A: Matrix, B: Matrix): boolean =>
  A.data.length === B.data.length && A.data.every((entry, at) => entry === B.data[at]);

/** The different rows among as many as there are drawn with replacement, ascending. */
function drawnRows(N: number, random: Random): Int32Array {
  const drawn = new Set(Array.from({ length: N }, () => random.integer(N)));
  return Int32Array.from(drawn).sort();
}

/** Held-out densities by number of dimensions, with paired differences to the best; none where only one was tried. */
function dimensionRows(entries: ReadonlyMap<number, readonly HeldOutEntry[]>): DimensionRow[] {
  const tried = [...entries].filter(([, held]) => held.length > 0).sort(([a], [b]) => a - b);
  const count = tried[0]?.[1].length;
  const same = tried.filter(([, held]) => held.length === count);
  if (same.length < 2) return [];
  const densities = same.map(([latentDim, held]) => ({ latentDim, held, values: held.map(logDensityOf) }));
  const means = densities.map(({ held, values }) => rowwise(held, values));
  const best = means.reduce((most, { mean }, at) => (mean > means[most]!.mean ? at : most), 0);
  return densities.map(({ latentDim, held, values }, at) => {
    const { mean: logDensity, se } = means[at]!;
    const { mean: behind, se: behindSe } = rowwise(
      held,
      values.map((own, e) => densities[best]!.values[e]! - own),
    );
    return { latentDim, logDensity, se, behind, behindSe };
  });
}

/** Rows whose distances are compared with those of shuffled columns, at most. */
const MOST_ROWS = 2000;

/**
 * Distances to the nearest neighbors in the data beside those after each column is shuffled by itself, which are larger where columns depend on each other; and whether the map
 * keeps more of these neighbors than chance does.
 */
function shuffledStructure(
  distances: Matrix,
  count: number,
  { overall, pointwise, neighbors }: LocalScores,
  random: Random,
): Structure {
  const all = Array.from({ length: distances.rows }, (_, i) => i);
  for (let i = 0; i < Math.min(MOST_ROWS, all.length); i++) {
    const j = i + random.integer(all.length - i);
    [all[i], all[j]] = [all[j]!, all[i]!];
  }
  const Y = rowsOf(distances, all.slice(0, MOST_ROWS));
  const meanDistance = (points: Matrix) => average(nearestNeighbors(points, neighbors).distances);
  const shuffled = Array.from({ length: count }, () => meanDistance(shuffledColumns(Y, random)));
  const mean = average(shuffled);
  const variance = shuffled.reduce((sum, own) => sum + square(own - mean), 0) / (count - 1);
  // The standard error of a prediction: the table itself is one more draw beside those of the mean.
  const se = Math.sqrt(variance * (1 + 1 / count)) / mean;
  const difference = 1 - meanDistance(Y) / mean;
  const beyondChance = overall.overlap - neighbors / (distances.rows - 1);
  const spread = Math.sqrt(average(pointwise.overlap.map((own) => square(own - overall.overlap))) / distances.rows);
  return { isShown: difference > BEYOND * se && beyondChance > BEYOND * spread, by: 'shuffled', difference, se };
}

const average = (values: ArrayLike<number>): number =>
  Array.from(values).reduce((sum, value) => sum + value, 0) / values.length;

function shuffledColumns(Y: Matrix, random: Random): Matrix {
  const shuffled = Matrix.from(Y);
  for (let j = 0; j < Y.columns; j++) {
    for (let i = Y.rows - 1; i > 0; i--) {
      const [a, b] = [i * Y.columns + j, random.integer(i + 1) * Y.columns + j];
      [shuffled.data[a], shuffled.data[b]] = [shuffled.data[b]!, shuffled.data[a]!];
    }
  }
  return shuffled;
}

function relevanceOf(fitted: FittedModel): Float64Array | undefined {
  const { relevance } = fitted as { relevance?: unknown };
  if (!(relevance instanceof Float64Array)) return undefined;
  const most = relevance.reduce((largest, own) => Math.max(largest, own), 0);
  return most > 0 ? relevance.map((own) => own / most) : relevance;
}

/** Work in parts, between which the event loop gets its turn, on as many threads as fits take. */
async function inTurns<T>(work: ProgressiveWork<T>, signal: AbortSignal | undefined): Promise<T> {
  const slice = slices();
  const threads = fitThreads(undefined, undefined);
  try {
    for (;;) {
      const step = threads.run(() => work.next());
      if (step.done) return step.value;
      await threads.join();
      if (slice.isOver()) await slice.leave();
      signal?.throwIfAborted();
    }
  } finally {
    work.return(undefined as never);
    await threads.release();
  }
}
