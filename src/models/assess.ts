import * as v from 'valibot';
import { square } from '../core/elementary/index.ts';
import { InvalidInputError, LatentFieldError } from '../core/errors.ts';
import { Matrix, type MatrixLike } from '../core/matrix.ts';
import {
  checkOptions,
  functionOf,
  integerFrom,
  listOf,
  type OptionsIn,
  seedOption,
  signalOption,
  typed,
} from '../core/options.ts';
import type { ProgressiveWork } from '../core/progressiveWork.ts';
import { type Random, seededRandom } from '../core/random.ts';
import { rowsOf } from '../core/rowMatrices.ts';
import { secondsOf, secondsOfRows } from '../core/secondsOfRows.ts';
import { classesOf, type Labels } from '../engine/graph/labelGraph.ts';
import { nearestNeighbors } from '../engine/neighbors/index.ts';
import { meanOf } from '../engine/vectors.ts';
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
import { chosenRows, knownRowsOf } from '../inference/fit/knownRows.ts';
import { perturbedStarts } from '../inference/fit/perturbedStarts.ts';
import { slices } from '../inference/minimize/slices.ts';
import { clusteringAccuracy, kMeans, normalizedMutualInformation } from '../inference/scores/clusterings.ts';
import { type LocalScores, localScoresInParts, usualNeighbors } from '../inference/scores/localScores.ts';
import { nearestNeighborError } from '../inference/scores/neighborScores.ts';
import type { Fit, FittedModel } from '../model/fit.ts';
import type { Model, ModelJSON } from '../model/model.ts';
import { checkHasLatents, comparable, observationsOf } from './comparedRows.ts';
import { isAtNoiseFloor } from './noiseFloor.ts';
import type { OwnParts } from './ownParts.ts';
import { filledIn, type RefitChanges, refitModel } from './refit.ts';

/** Options of {@link assess}. */
export interface AssessOptions extends OptionsIn<typeof schema> {}

const schema = v.strictObject({
  /** Fitted observations, N×D, for fits that do not keep them. */
  observations: v.optional(typed<MatrixLike>()),
  /** N labels; default the labels of the fitted table. */
  labels: v.optional(typed<Labels>()),
  /** Number of neighbors k of the local scores, from 1 and less than N/4; default 10, or the most that N allows. */
  neighbors: v.optional(integerFrom(1)),
  /** Number of maps from perturbed starts; default 3, 0 for none. */
  starts: v.optional(integerFrom(0), 3),
  /** Number of maps of bootstrap samples of rows, with entries held out in the remaining rows; default 4, 0 for none. */
  bootstraps: v.optional(integerFrom(0), 4),
  /**
   * Number of fits with a tenth of the observed entries hidden, which test the intervals of a table's missing entries; default 1 if the fitted table
   * has missing entries, otherwise 0.
   */
  holes: v.optional(integerFrom(0)),
  /** Numbers of latent dimensions to compare on held-out entries; default one less and one more than the fit has, [] for none. */
  dimensions: v.optional(listOf(integerFrom(1), 'a list of whole numbers from 1')),
  /** Number of tables with shuffled columns to compare with; default 5, at least 2, or 0 for none. */
  shuffled: v.optional(
    v.pipe(
      integerFrom(0),
      v.check((count) => count !== 1, '0 or a whole number from 2'),
    ),
    5,
  ),
  /** Options of the fits. */
  fit: v.optional(
    typed<Pick<FitOptions, 'solver' | 'maxIterations' | 'maxSeconds' | 'tolerance' | 'engine' | 'threads'>>(),
    {},
  ),
  /** Seed of all random numbers; default 0. */
  seed: seedOption,
  /** Factories of custom parts by name, as for `loadFit`. */
  own: v.optional(typed<OwnParts>(), {}),
  /** Function that is called before the first fit and after each with the number of completed fits, their total, and about how many seconds are left, and awaited. */
  onProgress: v.optional(functionOf<(done: number, total: number, secondsLeft: number) => unknown>()),
  /** Signal that aborts the assessment, which then rejects with the signal's reason. */
  signal: signalOption,
});

/**
 * Assesses the reliability of a fit: whether the map shows more structure than noise would, which points and distances are unreliable, whether other
 * starts and other rows lead to the same map, whether intervals are calibrated, and how many dimensions the observations support.
 *
 * Local scores ({@link LocalScores}) compare the map with the observations in the units of `comparedRows` (`latentfield/models`). Entries are held out as follows:
 * rows are drawn with replacement, the model is fitted to these rows, a third of the entries of each remaining row is hidden, and `impute` predicts
 * them from the rest. The map shows nothing if these predictions gain at most 2.33 standard errors over the mean and variance of each column, and if
 * nearest neighbors in the data are not nearer than after shuffling each column independently, or the map keeps no more of them than chance. Dimensions
 * are compared on the same held-out entries, and the smallest number within one standard error of the best is supported.
 *
 * Intervals of missing entries are tested by `holes`: a tenth of the observed entries is hidden, the model is refitted to all rows, and `impute`
 * predicts the hidden entries.
 *
 * The model is refitted starts + bootstraps·(1 + dimensions) + holes times. Parts that cannot be assessed, such as bootstraps of a sequence, are
 * listed in `notAssessed` with reasons.
 *
 * @param fitted - a fit of any model with one table of observations
 * @param options - see {@link AssessOptions}
 * @returns scores, `findings` in sentences, `doubtful` points, and `summary()` as a table
 * @throws InvalidInputError if the fit has fewer than 8 points or no observations, or an option is out of range
 * @see Venna & Kaski 2001; Lee & Verleysen 2009; Gneiting & Raftery 2007 (calibration, interval score); Gower & Dijksterhuis 2004 (Procrustes); Horn
 * 1965 (shuffled columns)
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
  /** Runs a part of the assessment; if the model does not allow it, records the reason under its name. */
  const attempt = async <T>(what: string, work: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof LatentFieldError) || signal?.aborted) throw error;
      notAssessed[what] = error.message;
      return undefined;
    }
  };

  const every = Int32Array.from({ length: X.rows }, (_, i) => i);
  // Fields over points fill in columns of the points that were fitted, and have no mapping to new rows.
  const { impute, predict } = fitted as Fit;
  const known = knownRowsOf(fitted);
  const optionsFor = (rows: ArrayLike<number>) => ({ signal, given: chosenRows(known, rows) });
  const probe = (rows: Matrix) =>
    filledIn(fitted, withHidden(rows, seededRandom(seed)), optionsFor(every.subarray(0, rows.rows)));
  const whole =
    impute === undefined || predict === undefined
      ? undefined
      : await attempt('held-out entries', () => probe(rowsOf(Y, [0])));
  const canImpute = whole !== undefined && Y.columns > 1;
  const tried = (settings.dimensions ?? [q - 1, q + 1]).filter((dim) => dim >= 1 && dim !== q);
  const dims = canImpute && settings.dimensions?.length !== 0 ? [...new Set(tried)].sort((a, b) => a - b) : [];
  const isWhole = shown.rows === Y.rows;
  const holes = settings.holes ?? (isWhole && Y.data.some(Number.isNaN) ? 1 : 0);
  const refit = async (changes: RefitChanges, more: Pick<FitOptions, 'start' | 'seed'> = {}): Promise<Fit> => {
    const limit = fitted.status === 'maxIterations' ? { maxIterations: fitted.diagnostics.iterations } : {};
    const model = refitModel(json, changes, own);
    const result = (await fit(model, { ...limit, ...settings.fit, seed, ...more, ...(signal && { signal }) })) as Fit;
    signal?.throwIfAborted();
    return result;
  };
  const { seconds } = fitted.diagnostics;
  const isTimed = canImpute && settings.bootstraps + holes > 0;
  const filling = (isTimed && (await attempt('held-out entries', () => secondsOfRows(Y, probe)))) || (() => 0);
  const parts = timedParts(
    [
      ['starts', settings.starts, seconds],
      ...[q, ...dims].map(
        (dim): Part => [`rows, ${dim}`, settings.bootstraps, DRAWN.fit * seconds + filling(DRAWN.left * Y.rows)],
      ),
      ['holes', holes, seconds + filling(Y.rows)],
    ],
    settings.onProgress,
  );
  await parts.report();
  const starts = await attempt('stability over starts', () =>
    startMaps(json, own, settings.starts, seed, (...of) => parts.timed('starts', () => refit(...of))),
  );
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
        const hidden = withHidden(rowsOf(Y, left), random);
        for (const latentDim of [q, ...dims]) {
          await parts.timed(`rows, ${latentDim}`, async () => {
            const result = await refit({ rows: drawn, latentDim });
            if (latentDim === q && result.latents.rows === drawn.length)
              maps.push({ points: drawn, latents: result.latents });
            if (!canImpute || result.status === 'failed') return;
            const held = rowsOf(Y, left);
            const predicted = await result.impute!(hidden, optionsFor(left));
            const training = rowsOf(Y, drawn);
            entries.get(latentDim)!.push(...heldOutEntries(held, hidden, predicted, left, training));
          });
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
      await parts.timed('holes', async () => {
        const result = await refit({ observations: hidden });
        if (result.impute === undefined)
          throw new InvalidInputError(`${fitted.model} does not fill in missing entries of its table.`);
        ofHoles.push(...heldOutEntries(Y, hidden, await filledIn(result, hidden, optionsFor(every)), every, hidden));
      });
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
    isAtNoiseFloor: isAtNoiseFloor(fitted, own),
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

/** Fraction of the time of a fit that one to rows drawn with replacement takes, and fraction of the rows that are left to be filled in. */
const DRAWN = { fit: 0.4, left: 0.37 };

type Part = readonly [kind: string, count: number, seconds: number];

/** Counts the parts of an assessment and estimates the time of the remaining ones: the mean of their kind so far, or what is expected. */
function timedParts(parts: readonly Part[], onProgress: AssessOptions['onProgress']) {
  const kinds = new Map(parts.map(([kind, count, expected]) => [kind, { count, expected, taken: [] as number[] }]));
  const report = () => {
    let [done, total, left] = [0, 0, 0];
    for (const { count, expected, taken } of kinds.values()) {
      done += taken.length;
      total += count;
      left += (count - taken.length) * (taken.length === 0 ? expected : meanOf(taken));
    }
    return onProgress?.(done, total, left);
  };
  return {
    report,
    async timed<T>(kind: string, work: () => Promise<T>): Promise<T> {
      let result: T;
      kinds.get(kind)!.taken.push(await secondsOf(async () => (result = await work())));
      await report();
      return result!;
    },
  };
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

/** Maps of all rows from randomly perturbed starts, as for restarts; with other seeds for models that compute their solution. */
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

/** Distinct rows in a bootstrap sample, ascending. */
function drawnRows(N: number, random: Random): Int32Array {
  const drawn = new Set(Array.from({ length: N }, () => random.integer(N)));
  return Int32Array.from(drawn).sort();
}

/** Held-out densities by number of dimensions, with paired differences to the best; empty if only one number was tried. */
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

/** Maximum number of rows for the comparison with shuffled columns. */
const MOST_ROWS = 2000;

/**
 * Distances to the nearest neighbors in the data, compared with distances after shuffling each column independently, which are larger for dependent
 * columns; and whether the map keeps more of these neighbors than chance.
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
  const meanDistance = (points: Matrix) => meanOf(nearestNeighbors(points, neighbors).distances);
  const shuffled = Array.from({ length: count }, () => meanDistance(shuffledColumns(Y, random)));
  const mean = meanOf(shuffled);
  const variance = shuffled.reduce((sum, own) => sum + square(own - mean), 0) / (count - 1);
  // The standard error of a prediction: the table itself is one more draw in addition to the draws of the mean.
  const se = Math.sqrt(variance * (1 + 1 / count)) / mean;
  const difference = 1 - meanDistance(Y) / mean;
  const beyondChance = overall.overlap - neighbors / (distances.rows - 1);
  const spread = Math.sqrt(meanOf(pointwise.overlap.map((own) => square(own - overall.overlap))) / distances.rows);
  return { isShown: difference > BEYOND * se && beyondChance > BEYOND * spread, by: 'shuffled', difference, se };
}

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

/** Runs work in parts, yielding to the event loop in between, on as many threads as fits use. */
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
