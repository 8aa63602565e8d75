import { aligned } from '../../core/wording.ts';
import type { FitStatus } from '../../model/fit.ts';
import type { LocalScores } from '../scores/localScores.ts';
import type { Calibration, Coverage } from './calibration.ts';
import type { Stability } from './stability.ts';

/** How well a map agrees with labels of its points. */
export interface LabelScores {
  /** Points with a label, and different labels. */
  readonly labeled: number;
  readonly classes: number;
  /** The rate of points whose nearest other one has another label. */
  readonly nearestNeighborError: number;
  /** The share of the k nearest that have the point's label. */
  readonly neighborhoodHit: number;
  /** Clustering accuracy of k-means on the map, with as many clusters as labels. */
  readonly clusteringAccuracy: number;
  readonly normalizedMutualInformation: number;
}

/** Held-out entries under a map of another number of dimensions. */
export interface DimensionRow {
  readonly latentDim: number;
  /** Mean log density of a held-out entry, in nats, and its standard error. */
  readonly logDensity: number;
  readonly se: number;
  /** How much less that is than the best, and the standard error of the difference. */
  readonly behind: number;
  readonly behindSe: number;
}

/** How many standard errors a gain must be above 0 for the map to show something. */
export const BEYOND = 2.33;

/** Whether there is more in the map than in one of noise. */
export interface Structure {
  readonly isShown: boolean;
  /** By held-out entries, which the map predicts better than their columns do; otherwise by the same data with each column shuffled, where neighbors are farther apart. */
  readonly by: 'heldOut' | 'shuffled';
  /** The gain in nats an entry, or the part by which the nearest neighbors in the data are nearer than after shuffling. */
  readonly difference: number;
  /** Its standard error. */
  readonly se: number;
}

/** A conclusion from the scores. */
export interface Finding {
  readonly code:
    | 'nothing'
    | 'ended'
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
  /** Its standard error; NaN where there is none. */
  readonly se: number;
  readonly meaning: string;
}

/** The scores of a fit, from which the findings follow. */
export interface AssessedParts {
  readonly model: string;
  readonly status: FitStatus;
  /** How the fit ended. */
  readonly message: string;
  readonly points: number;
  readonly latentDim: number;
  readonly scores: LocalScores;
  readonly labels: LabelScores | undefined;
  /** Stability of the map over perturbed starts, and over rows drawn with replacement. */
  readonly starts: Stability | undefined;
  readonly bootstraps: Stability | undefined;
  /** Intervals of entries that were hidden of rows that were not fitted. */
  readonly calibration: Calibration | undefined;
  /** Intervals of a tenth of the observed entries, hidden of rows that were fitted: those of the holes of a table. */
  readonly holes: Calibration | undefined;
  readonly structure: Structure | undefined;
  /** By number of latent dimensions, ascending; without rows where none were tried. */
  readonly dimensions: readonly DimensionRow[];
  /** The fewest dimensions that are within one standard error of the best; undefined where none were tried. */
  readonly supportedDim: number | undefined;
  /** How much each dimension matters, of models that say so, the largest 1. */
  readonly relevance: Float64Array | undefined;
  /** Parts that were not assessed, with the reasons. */
  readonly notAssessed: Readonly<Record<string, string>>;
}

/** Result of {@link assess}. */
export interface Assessment extends AssessedParts {
  /** The numbers of the points that are not to be trusted where they are: see `findings`. */
  readonly doubtful: Int32Array;
  /** In plain sentences, the gravest first. */
  readonly findings: readonly Finding[];
  /** All overall scores with what they mean. */
  summary(): readonly SummaryLine[];
  /** Findings and scores as text. */
  toString(): string;
}

/** Trustworthiness of a point below which its place is in doubt, in `assess` and in the explorer. */
export const LEAST_TRUSTWORTHINESS = 0.8;
/** A point is doubtful below one of these: its trustworthiness, and the share of its neighbors that other maps keep. */
const LEAST = { trustworthiness: LEAST_TRUSTWORTHINESS, kept: 0.2 };
/** Distances between far points are not to be read below this correlation. */
const LEAST_CORRELATION = 0.7;
/** Maps from other starts are other maps where fewer neighbors are kept. */
const LEAST_KEPT = 0.5;
/** Coverage of 90 % intervals is judged beyond two standard errors of this range. */
const COVERAGE = { level: 0.9, least: 0.84, most: 0.96 };

/** Coverage of 90 % intervals. */
export const ninetyOf = ({ coverage }: Calibration): Coverage =>
  coverage.find(({ level }) => level === COVERAGE.level)!;

/** An assessment from its scores. */
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

/** Points whose neighbors are not those of the data, or not those of other maps; all where the map shows nothing. */
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
        : `nearest neighbors in the data are no nearer than after each column is shuffled by itself (by ${signed(difference)} ± ${fixed(se)} of their distance)`;
    add(
      'nothing',
      `This map shows nothing: ${why}${calibration === undefined ? '' : '; and it predicts held-out entries no better than each column by itself does'}. What looks like groups in it is chance.`,
    );
  }
  if (status !== 'converged') add('ended', `The fit ended as '${status}'. ${message}`);
  if (isShown) addMapFindings(parts, doubtful, add);
  for (const [found, of] of [
    [calibration, 'the held-out entries'],
    [parts.holes, 'the entries hidden in fitted rows'],
  ] as const) {
    if (found === undefined) continue;
    const { coverage, se } = ninetyOf(found);
    const held = `those of 90 % hold ${percent(coverage)} of ${of}.`;
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

/** Findings about which neighbors and distances a map shows, which mean nothing where it shows nothing. */
function addMapFindings(
  { points, scores, starts, bootstraps }: AssessedParts,
  doubtful: Int32Array,
  add: AddFinding,
): void {
  if (doubtful.length > 0) {
    const share = percent(doubtful.length / points);
    add(
      'points',
      `${doubtful.length} of ${points} points (${share}) are not to be trusted where they are: their neighbors on the map are not those in the data (trustworthiness below ${LEAST.trustworthiness})${bootstraps === undefined ? '' : `, or other maps keep less than ${percent(LEAST.kept)} of them`}.`,
    );
  }
  const torn = scores.pointwise.continuity.reduce((count, own) => count + (own < LEAST.trustworthiness ? 1 : 0), 0);
  if (torn > 0) {
    add(
      'torn',
      `${torn} of ${points} points have neighbors in the data that the map puts elsewhere: a gap beside them need not be one.`,
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
    add(`held-out gain${beside}`, gain, 'nats an entry over each column by itself: 0 nothing is known', gainSe);
    add(`held-out error${beside}`, error, 'root mean square, in standard deviations of the column: 1 nothing is known');
  };
  calibrated(calibration, 'held-out entries of');
  calibrated(holes, 'entries hidden in', ', holes');
  if (structure?.by === 'shuffled') {
    add(
      'nearer than shuffled',
      structure.difference,
      'part by which columns that depend on each other bring neighbors nearer: 0 of noise',
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

/** Three decimals; what rounds to 0 has no sign. */
const fixed = (value: number): string => value.toFixed(3).replace('-0.000', '0.000');
const signed = (value: number): string => fixed(value).replace(/^(?!-)/, '+');
const percent = (part: number): string => `${Math.round(100 * part)} %`;
