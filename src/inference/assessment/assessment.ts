import { checkGiven } from '../../core/options.ts';
import { aligned } from '../../core/wording.ts';
import type { FitStatus } from '../../model/fit.ts';
import type { LocalScores } from '../scores/localScores.ts';
import type { Calibration, Coverage } from './calibration.ts';
import type { Stability } from './stability.ts';

/** Agreement of a map with labels of its points. */
export interface LabelScores {
  /** Points with a label, and different labels. */
  readonly labeled: number;
  readonly classes: number;
  /** Rate of points whose nearest neighbor has another label. */
  readonly nearestNeighborError: number;
  /** Share of the k nearest neighbors that have the point's label. */
  readonly neighborhoodHit: number;
  /** Clustering accuracy of k-means on the map, with as many clusters as labels. */
  readonly clusteringAccuracy: number;
  readonly normalizedMutualInformation: number;
}

/** Scores of held-out entries for one number of latent dimensions. */
export interface DimensionRow {
  readonly latentDim: number;
  /** Mean log density per held-out entry, in nats, and its standard error. */
  readonly logDensity: number;
  readonly se: number;
  /** Shortfall from the best mean log density, and the standard error of the difference. */
  readonly behind: number;
  readonly behindSe: number;
}

/** Minimum gain, in standard errors, that counts as structure. */
export const BEYOND = 2.33;

/** Test of whether the map shows more structure than a map of noise. */
export interface Structure {
  readonly isShown: boolean;
  /**
   * 'heldOut': held-out entries are predicted better by the map than by the means of their columns. 'shuffled': neighbors are nearer in the data than
   * after shuffling each column.
   */
  readonly by: 'heldOut' | 'shuffled';
  /** Gain in nats per entry, or the relative decrease of nearest-neighbor distances in the data compared with shuffled columns. */
  readonly difference: number;
  /** Standard error of the difference. */
  readonly se: number;
}

/** A conclusion from the scores. */
export interface Finding {
  readonly code:
    | 'nothing'
    | 'ended'
    | 'noise'
    | 'points'
    | 'torn'
    | 'far'
    | 'starts'
    | 'rows'
    | 'narrow'
    | 'wide'
    | 'dimensions'
    | 'sound';
  readonly text: string;
}

/** One line of a summary. */
export interface SummaryLine {
  readonly score: string;
  readonly value: number;
  /** Standard error; NaN if unknown. */
  readonly se: number;
  readonly meaning: string;
}

/** Scores of a fit that its findings are derived from. */
export interface AssessedParts {
  readonly model: string;
  readonly status: FitStatus;
  /** Message of the fit. */
  readonly message: string;
  /** True if a variance of its noise is at the lower limit of the search. */
  readonly isAtNoiseFloor: boolean;
  readonly points: number;
  readonly latentDim: number;
  readonly scores: LocalScores;
  readonly labels: LabelScores | undefined;
  /** Stability of the map over perturbed starts, and over rows drawn with replacement. */
  readonly starts: Stability | undefined;
  readonly bootstraps: Stability | undefined;
  /** Predictive intervals of entries hidden in rows that were left out of the fit. */
  readonly calibration: Calibration | undefined;
  /** Predictive intervals of a tenth of the observed entries, hidden in fitted rows: how well missing cells are filled in. */
  readonly holes: Calibration | undefined;
  readonly structure: Structure | undefined;
  /** Scores by number of latent dimensions, ascending; empty if none were tried. */
  readonly dimensions: readonly DimensionRow[];
  /** Smallest number of dimensions within one standard error of the best; undefined if none were tried. */
  readonly supportedDim: number | undefined;
  /** Relevance of each latent dimension, the largest 1; undefined for models without relevances. */
  readonly relevance: Float64Array | undefined;
  /** Parts that were not assessed, with reasons. */
  readonly notAssessed: Readonly<Record<string, string>>;
}

/** Result of {@link assess}. */
export interface Assessment extends AssessedParts {
  /** Row numbers of doubtful points: see `findings`. */
  readonly doubtful: Int32Array;
  /** Findings as plain sentences, most serious first. */
  readonly findings: readonly Finding[];
  /** All overall scores with their interpretation. */
  summary(): readonly SummaryLine[];
  /** Findings and scores as text. */
  toString(): string;
}

/** Trustworthiness below which the position of a point is doubtful, in `assess` and in the explorer. */
export const LEAST_TRUSTWORTHINESS = 0.8;
/** Thresholds below which a point is doubtful: its trustworthiness, and the share of its neighbors that other maps keep. */
const LEAST = { trustworthiness: LEAST_TRUSTWORTHINESS, kept: 0.2 };
/** Distances between far points are unreliable below this correlation. */
const LEAST_CORRELATION = 0.7;
/** Share of kept neighbors below which maps from other starts count as different. */
const LEAST_KEPT = 0.5;
/** Coverage of 90 % intervals is reported if it lies more than two standard errors outside this range. */
const COVERAGE = { level: 0.9, least: 0.84, most: 0.96 };

/** Coverage of 90 % intervals. */
export const ninetyOf = ({ coverage }: Calibration): Coverage =>
  coverage.find(({ level }) => level === COVERAGE.level)!;

/** Builds an assessment from its scores. */
export function assessmentOf(parts: AssessedParts): Assessment {
  const doubtful = doubtfulPoints(parts);
  const findings = findingsOf(parts, doubtful);
  const lines = summaryOf(parts);
  return Object.freeze({
    ...parts,
    doubtful,
    findings,
    summary: () => lines,
    toString: () => textOf(parts, findings, lines),
  });
}

/**
 * Sentence about the points whose trustworthiness is below {@link LEAST_TRUSTWORTHINESS}, the same in `assess` and in the explorer.
 *
 * @param doubtful - number of these points, from 0 to `points`
 * @param points - number of all points, from 1
 * @param orElse - a further rule for doubt, in words; default none
 * @throws InvalidInputError for other numbers, and for a rule that is not a string
 * @example
 * ```ts
 * const { pointwise } = localScores(Y, result.latents);
 * const doubtful = pointwise.trustworthiness.filter((value) => value < LEAST_TRUSTWORTHINESS).length;
 * doubtSentence(doubtful, Y.length);
 * ```
 */
export function doubtSentence(doubtful: number, points: number, orElse = ''): string {
  checkGiven(points, 'doubtSentence', 'a number of points from 1', (own) => Number.isInteger(own) && own >= 1);
  checkGiven(
    doubtful,
    'doubtSentence',
    `a number of doubtful points from 0 to ${points}`,
    (own) => Number.isInteger(own) && own >= 0 && own <= points,
  );
  checkGiven(orElse, 'doubtSentence', 'a rule in words', (own) => typeof own === 'string');
  const bound = LEAST.trustworthiness;
  if (doubtful === 0)
    return `All ${points} points can be trusted where they are: their neighbors on the map are near in the data (trustworthiness of at least ${bound}).`;
  const [verb, whose] = doubtful === 1 ? ['is', 'its'] : ['are', 'their'];
  return `${doubtful} of ${points} points ${verb} in doubt: ${whose} neighbors on the map are not those in the data (trustworthiness below ${bound})${orElse}.`;
}

/** Points whose neighbors differ from the data's or from other maps'; all points if the map shows nothing. */
function doubtfulPoints({ scores, bootstraps, structure, points }: AssessedParts): Int32Array {
  const all = Int32Array.from({ length: points }, (_, i) => i);
  if (structure?.isShown === false) return all;
  const kept = bootstraps?.pointwise.overlap;
  return all.filter(
    (i) =>
      scores.pointwise.trustworthiness[i]! < LEAST.trustworthiness || (kept !== undefined && kept[i]! < LEAST.kept),
  );
}

type AddFinding = (code: Finding['code'], text: string) => void;

function findingsOf(parts: AssessedParts, doubtful: Int32Array): Finding[] {
  const { status, message, calibration, structure, supportedDim, latentDim } = parts;
  const findings: Finding[] = [];
  const add: AddFinding = (code, text) => findings.push({ code, text });
  const isShown = structure?.isShown !== false;
  if (!isShown) {
    const { difference, se } = structure;
    const why =
      difference > BEYOND * se
        ? 'it keeps no more of the nearest neighbors in the data than chance does'
        : `nearest neighbors in the data are not nearer than after each column is shuffled independently (by ${signed(difference)} ± ${fixed(se)} of their distance)`;
    add(
      'nothing',
      `This map shows nothing: ${why}${calibration === undefined ? '' : '; and it predicts held-out entries no better than each column alone does'}. Apparent groups are chance.`,
    );
  }
  if (status !== 'converged') add('ended', `The fit ended as '${status}'. ${message}`);
  if (parts.isAtNoiseFloor)
    add(
      'noise',
      'Intervals are too narrow: the noise is at its lower limit, and the mapping passes through the observations.',
    );
  if (isShown) addMapFindings(parts, doubtful, add);
  for (const [found, of] of [
    [calibration, 'the held-out entries'],
    [parts.holes, 'the entries hidden in fitted rows'],
  ] as const) {
    if (found === undefined) continue;
    const { coverage, se } = ninetyOf(found);
    const held = `90 % intervals contain ${percent(coverage)} of ${of}.`;
    if (coverage + 2 * se < COVERAGE.least) add('narrow', `Intervals are too narrow: ${held}`);
    if (coverage - 2 * se > COVERAGE.most) add('wide', `Intervals are too wide: ${held}`);
  }
  if (supportedDim !== undefined && supportedDim !== latentDim && isShown) {
    add(
      'dimensions',
      `Held-out entries support ${supportedDim} latent dimension${supportedDim === 1 ? '' : 's'}, not ${latentDim}: ${supportedDim > latentDim ? 'more predict them better' : 'fewer predict them as well'}.`,
    );
  }
  if (findings.length === 0)
    add(
      'sound',
      'Nothing speaks against this map: neighborhoods, far distances, other fits and intervals agree with it.',
    );
  return findings;
}

/** Findings about neighbors and distances on a map, which are meaningless if the map shows nothing. */
function addMapFindings(
  { points, scores, starts, bootstraps }: AssessedParts,
  doubtful: Int32Array,
  add: AddFinding,
): void {
  if (doubtful.length > 0) {
    const orElse = bootstraps === undefined ? '' : `, or other maps keep less than ${percent(LEAST.kept)} of them`;
    add('points', doubtSentence(doubtful.length, points, orElse));
  }
  const torn = scores.pointwise.continuity.reduce((count, own) => count + (own < LEAST.trustworthiness ? 1 : 0), 0);
  if (torn > 0) {
    add(
      'torn',
      `${torn} of ${points} points have neighbors in the data that the map puts elsewhere: a gap next to them may not be real.`,
    );
  }
  const { farCorrelation } = scores.distances;
  if (!(farCorrelation >= LEAST_CORRELATION)) {
    add(
      'far',
      `Do not read distances between far points or groups: they correlate with those in the data by ${fixed(farCorrelation)} only. Neighborhoods are kept best up to ${scores.coRanking.splitAt} points.`,
    );
  }
  if (starts !== undefined && starts.overlap < LEAST_KEPT) {
    add(
      'starts',
      `Other starts lead to other maps: they keep ${percent(starts.overlap)} of the neighbors. Fit with restarts, and compare.`,
    );
  }
  if (bootstraps !== undefined && bootstraps.overlap < LEAST_KEPT) {
    add(
      'rows',
      `The map depends on which rows there are: maps of rows drawn with replacement keep ${percent(bootstraps.overlap)} of the neighbors.`,
    );
  }
}

function summaryOf(parts: AssessedParts): SummaryLine[] {
  const { scores, labels, starts, bootstraps, calibration, holes, structure } = parts;
  const { overall, neighbors: k, coRanking, distances } = scores;
  const lines: SummaryLine[] = [];
  const add = (score: string, value: number, meaning: string, se = Number.NaN) =>
    lines.push({ score, value, se, meaning });
  add(
    'trustworthiness',
    overall.trustworthiness,
    `the ${k} neighbors on the map are near in the data: 1 all, .5 by chance`,
  );
  add('continuity', overall.continuity, `the ${k} neighbors in the data are near on the map`);
  add(
    'overlap',
    overall.overlap,
    `share of the ${k} neighbors that both have; ${fixed(k / (parts.points - 1))} by chance`,
  );
  add('relative ranks, false', overall.relativeRankFalse, 'ranks of neighbors on the map agree with those in the data');
  add(
    'relative ranks, missing',
    overall.relativeRankMissing,
    'ranks of neighbors in the data agree with those on the map',
  );
  add('area under R_NX', coRanking.area, 'neighborhoods of all sizes, small ones first: 1 all kept, 0 by chance');
  add('stress', overall.scaledStress, 'relative error of distances at the best scale: 0 none');
  add('correlation of distances', distances.correlation, 'of all pairs');
  add('correlation, far', distances.farCorrelation, 'of pairs in the farther half of the map');
  if (labels !== undefined) {
    add('nearest-neighbor error', labels.nearestNeighborError, `of ${labels.labeled} labeled points`);
    add('neighborhood hit', labels.neighborhoodHit, `share of the ${k} neighbors that have the point's label`);
    add('clustering accuracy', labels.clusteringAccuracy, `of k-means with ${labels.classes} clusters`);
    add('mutual information', labels.normalizedMutualInformation, 'of these clusters and the labels, normalized');
  }
  const stable = (name: string, found: Stability | undefined, of: string) => {
    if (found === undefined) return;
    add(`kept, ${name}`, found.overlap, `share of neighbors that ${found.maps} maps ${of} keep`);
    add(`Procrustes, ${name}`, found.procrustes, 'how differently those maps lie: 0 the same, 1 unrelated');
  };
  stable('starts', starts, 'from moved starts');
  stable('rows', bootstraps, 'of rows drawn with replacement');
  const calibrated = (found: Calibration | undefined, of: string, beside = '') => {
    if (found === undefined) return;
    const { entries, rows, gain, gainSe, error } = found;
    for (const { level, coverage, se } of found.coverage) {
      add(`coverage of ${percent(level)}${beside}`, coverage, `of ${entries} ${of} ${rows} rows`, se);
    }
    const score = ninetyOf(found).intervalScore;
    add(`interval score${beside}`, score, 'of 90 %, in standard deviations of the column: small is good');
    add(`held-out gain${beside}`, gain, 'nats per entry over each column alone: 0 means that nothing is known', gainSe);
    add(`held-out error${beside}`, error, 'root mean square, in standard deviations of the column: 1 nothing is known');
  };
  calibrated(calibration, 'held-out entries of');
  calibrated(holes, 'entries hidden in', ', holes');
  if (structure?.by === 'shuffled') {
    add(
      'nearer than shuffled',
      structure.difference,
      'how much nearer neighbors are because columns depend on each other: 0 for noise',
      structure.se,
    );
  }
  return lines;
}

function textOf(parts: AssessedParts, findings: readonly Finding[], lines: readonly SummaryLine[]): string {
  const { model, points, latentDim, dimensions, supportedDim, relevance, notAssessed } = parts;
  const shown = lines.map(({ score, value, se, meaning }) => [
    score,
    fixed(value),
    Number.isNaN(se) ? '' : `± ${fixed(se)}`,
    meaning,
  ]);
  const text = [
    `${model}: ${points} points, latent dimension ${latentDim}`,
    ...findings.map((each) => each.text),
    '',
    ...aligned(shown, 'left'),
  ];
  if (dimensions.length > 0) {
    const rows = dimensions.map((row) => [
      `${row.latentDim === supportedDim ? '→' : ' '} ${row.latentDim}`,
      fixed(row.logDensity),
      `± ${fixed(row.se)}`,
      `${fixed(row.behind)} ± ${fixed(row.behindSe)}`,
    ]);
    text.push('', ...aligned([['dimensions', 'log density', '', 'behind the best'], ...rows], 'left'));
  }
  if (relevance !== undefined) text.push('', `relevance of the dimensions: ${Array.from(relevance, fixed).join(', ')}`);
  for (const [what, why] of Object.entries(notAssessed)) text.push(`not assessed: ${what}. ${why}`);
  return text.join('\n');
}

/** Formats with three decimals, without a sign for values that round to 0. */
const fixed = (value: number): string => value.toFixed(3).replace('-0.000', '0.000');
const signed = (value: number): string => fixed(value).replace(/^(?!-)/, '+');
const percent = (part: number): string => `${Math.round(100 * part)} %`;
