import * as v from 'valibot';
import { exp, log } from '../../core/elementary/index.ts';
import { InvalidInputError } from '../../core/errors.ts';
import { Matrix, type MatrixLike } from '../../core/matrix.ts';
import { namedOptions, type OptionsIn, typed } from '../../core/options.ts';
import type { Assessment } from '../../inference/assessment/assessment.ts';
import { escaped } from '../../scene/index.ts';
import { latentPlot } from './latentPlot.ts';
import { type LookOptions, lookEntries } from './looks.ts';

const OPTIONS = {
  labels: lookEntries.labels,
  legendTitle: lookEntries.legendTitle,
  /** Result of `assess`. */
  assessment: typed<Assessment>(),
  /** Latents of the fit, N×q. */
  latents: typed<MatrixLike>(),
  /** N names of the points; default their numbers from 0. */
  ids: v.optional(typed<readonly string[]>()),
  /** Whether both axes have the same scale; default false. */
  equalScales: v.optional(typed<boolean>()),
  title: v.optional(typed<string>()),
};

export interface AssessmentPageOptions extends OptionsIn<typeof OPTIONS> {}

/** Maximum number of points and pairs that are listed by name. */
const MOST_LISTED = 40;

/**
 * Makes a page of an assessment: its findings in sentences, the map colored by reliability, scores, coverage of intervals with the
 * histogram of PIT values, and held-out densities by dimension. A single file without network access or scripts.
 *
 * @param options - see {@link AssessmentPageOptions}
 * @returns the page as HTML text
 * @throws InvalidInputError unless there are as many latents, labels and ids as points
 * @example
 * ```ts
 * const assessment = await assess(result, { starts: 1, bootstraps: 2, dimensions: [] });
 * const page = await assessmentPage({ assessment, latents: result.latents, labels });
 * ```
 */
export async function assessmentPage(options: AssessmentPageOptions): Promise<string> {
  const { assessment, latents, labels, legendTitle, ids, equalScales, title } = namedOptions(
    options,
    'assessmentPage',
    OPTIONS,
  );
  const X = Matrix.from(latents, 'latents');
  const { points, scores, bootstraps, starts } = assessment;
  for (const [name, count] of [
    ['latents', X.rows],
    ['ids', ids?.length ?? points],
  ] as const) {
    if (count !== points)
      throw new InvalidInputError(`The assessment is of ${points} points, but ${count} ${name} were given.`);
  }
  const map = (heading: string, looks: LookOptions) =>
    latentPlot({ latents: X, title: heading, equalScales: equalScales ?? false, width: 270, height: 250, ...looks });
  const maps = [
    await map('Trustworthiness', { color: scores.pointwise.trustworthiness, legendTitle: '1 is good' }),
    ...(bootstraps === undefined
      ? []
      : [
          await map('Neighbors kept by maps of other rows', {
            color: bootstraps.pointwise.overlap,
            legendTitle: 'share',
          }),
        ]),
    ...(starts === undefined
      ? []
      : [await map('Neighbors kept from other starts', { color: starts.pointwise.overlap, legendTitle: 'share' })]),
    ...(labels === undefined
      ? []
      : [await map('Labels', { labels, ...(legendTitle !== undefined && { legendTitle }) })]),
  ];
  const heading = escaped(title ?? `${assessment.model}: how far to trust this map`);
  const name = (i: number) => ids?.[i] ?? String(i);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${heading}</title>
<style>${STYLE}</style>
</head>
<body>
<h1>${heading}</h1>
<p>${points} points, latent dimension ${assessment.latentDim}.</p>
<ul class="findings">${assessment.findings.map(({ code, text }) => `<li class="${code}">${escaped(text)}</li>`).join('')}</ul>
<div class="maps">${maps.join('')}</div>
${listed('Points not to trust', Array.from(assessment.doubtful, name), points)}
${pairList('Neighbors on the map that are far apart in the data', scores.falsePairs, name)}
${pairList('Neighbors in the data that the map puts apart', scores.tornPairs, name)}
<h2>Scores</h2>
${table(
  ['score', 'value', '', 'meaning'],
  assessment
    .summary()
    .map(({ score, value, se, meaning }) => [score, fixed(value), Number.isNaN(se) ? '' : `± ${fixed(se)}`, meaning]),
  'scores',
)}
<figure><figcaption>R<sub>NX</sub>(K): neighborhoods of K points that are kept, from 0 by chance to 1, over log K</figcaption>${curve(scores.coRanking.rescaled)}</figure>
${calibrationPart(assessment)}
${dimensionsPart(assessment)}
${Object.entries(assessment.notAssessed)
  .map(([what, why]) => `<p>Not assessed: ${escaped(what)}. ${escaped(why)}</p>`)
  .join('')}
</body>
</html>
`;
}

function calibrationPart({ calibration }: Assessment): string {
  if (calibration === undefined) return '';
  const { entries, rows, pit, coverage } = calibration;
  const rowsOf = coverage.map(({ level, coverage: share, se, intervalScore }) => [
    `${Math.round(100 * level)} %`,
    `${(100 * share).toFixed(1)} ± ${(100 * se).toFixed(1)} %`,
    fixed(intervalScore),
  ]);
  return `<h2>Intervals of ${entries} held-out entries of ${rows} rows</h2>
${table(['interval', 'holds', 'interval score'], rowsOf)}
<figure><figcaption>PIT values: a level histogram where intervals have their nominal coverage, high ends where they are too narrow</figcaption>${bars(pit, ['0', '1'], 1 / pit.length)}</figure>`;
}

function dimensionsPart({ dimensions, supportedDim, relevance }: Assessment): string {
  const rows = dimensions.map((row) => [
    `${row.latentDim}${row.latentDim === supportedDim ? ' (supported)' : ''}`,
    `${fixed(row.logDensity)} ± ${fixed(row.se)}`,
    `${fixed(row.behind)} ± ${fixed(row.behindSe)}`,
  ]);
  const ofEach =
    relevance === undefined
      ? ''
      : `<figure><figcaption>Relevance of each dimension, the largest 1</figcaption>${bars(Array.from(relevance), ['1', String(relevance.length)])}</figure>`;
  if (rows.length === 0) return ofEach === '' ? '' : `<h2>Dimensions</h2>${ofEach}`;
  return `<h2>Dimensions</h2>${table(['latent dimensions', 'log density of a held-out entry', 'behind the best'], rows)}${ofEach}`;
}

function listed(heading: string, names: readonly string[], points: number): string {
  if (names.length === 0) return '';
  const shown = names.length === points ? 'all of them' : names.slice(0, MOST_LISTED).map(escaped).join(', ');
  const more = names.length > MOST_LISTED && names.length < points ? `, and ${names.length - MOST_LISTED} more` : '';
  return `<h2>${escaped(heading)}</h2><p>${shown}${more}</p>`;
}

function pairList(heading: string, pairs: Assessment['scores']['falsePairs'], name: (i: number) => string): string {
  if (pairs.length === 0) return '';
  const rows = pairs.slice(0, 10).map(({ from, to, rank }) => [name(from), name(to), String(rank)]);
  return `<details><summary>${escaped(heading)}</summary>${table(['point', 'neighbor', 'its rank in the other'], rows)}</details>`;
}

const table = (head: readonly string[], rows: readonly (readonly string[])[], kind = ''): string =>
  `<table class="${kind}"><thead><tr>${head.map((cell) => `<th>${escaped(cell)}</th>`).join('')}</tr></thead><tbody>${rows
    .map((row) => `<tr>${row.map((cell) => `<td>${escaped(cell)}</td>`).join('')}</tr>`)
    .join('')}</tbody></table>`;

const [WIDTH, HEIGHT] = [340, 120];

/** First and last number of an axis. */
type Ends = readonly [string, string];

/** Bars of fractions, with a line at the expected height, if any. */
function bars(values: readonly number[], ends: Ends, expected?: number): string {
  const most = Math.max(...values, expected ?? 0) || 1;
  const step = WIDTH / values.length;
  const height = (value: number) => (HEIGHT * Math.max(0, value)) / most;
  const drawn = values.map(
    (value, at) =>
      `<rect x="${(at * step + 1).toFixed(1)}" y="${(HEIGHT - height(value)).toFixed(1)}" width="${(step - 2).toFixed(1)}" height="${height(value).toFixed(1)}"><title>${fixed(value)}</title></rect>`,
  );
  const line =
    expected === undefined
      ? ''
      : `<line x1="0" x2="${WIDTH}" y1="${(HEIGHT - height(expected)).toFixed(1)}" y2="${(HEIGHT - height(expected)).toFixed(1)}"/>`;
  return svg(drawn.join('') + line, ends);
}

/** A curve over the logarithm of 1, 2, …, from 0 to 1. */
function curve(values: Float64Array): string {
  const last = log(values.length + 1);
  const at = Array.from({ length: WIDTH / 2 + 1 }, (_, p) =>
    Math.min(values.length, Math.max(1, Math.round(exp((2 * p * last) / WIDTH)))),
  );
  const points = at.map((K, p) => `${2 * p},${(HEIGHT * (1 - Math.max(0, values[K - 1]!))).toFixed(1)}`);
  return svg(`<polyline points="${points.join(' ')}"/>`, ['1', String(values.length)], ['0', '1']);
}

/** A graph with numbers at the ends of its axes. */
function svg(content: string, [first, last]: Ends, height?: Ends): string {
  const text = (x: number, y: number, anchor: string, label: string) =>
    `<text x="${x}" y="${y}" text-anchor="${anchor}">${label}</text>`;
  const below = text(0, HEIGHT + 14, 'start', first) + text(WIDTH, HEIGHT + 14, 'end', last);
  const beside = height === undefined ? '' : text(-4, HEIGHT, 'end', height[0]) + text(-4, 10, 'end', height[1]);
  return `<svg class="graph" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}">${content}${below}${beside}</svg>`;
}

/** Formats with three decimals and a minus sign; values that round to 0 have no sign. */
const fixed = (value: number): string => value.toFixed(3).replace('-0.000', '0.000').replace('-', '−');

const STYLE = `
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif;
  --page: #ffffff; --ink: #222222; --faint: #555555; --line: #bbbbbb; --graph: #4c78a8; --doubt: #fff8e5; --bad: #fdecea; --good: #eaf5ea; }
@media (prefers-color-scheme: dark) { :root {
  --page: #17191d; --ink: #e8e8e8; --faint: #aab0b8; --line: #565b63; --graph: #7ba7d7; --doubt: #3a3013; --bad: #45201d; --good: #1b3a1e; } }
body { margin: 0 auto; max-width: 62rem; padding: 1rem; background: var(--page); color: var(--ink); }
h1 { font-size: 1.3rem; } h2 { font-size: 1.05rem; margin: 1.6rem 0 0.4rem; }
.findings { padding: 0; list-style: none; }
.findings li { margin: 0.3rem 0; padding: 0.4rem 0.7rem; border-left: 4px solid #e6a700; background: var(--doubt); }
.findings li.nothing, .findings li.ended { border-color: #c62828; background: var(--bad); }
.findings li.sound { border-color: #2e7d32; background: var(--good); }
.maps { display: flex; flex-wrap: wrap; gap: 1rem; } .maps svg { max-width: 100%; height: auto; background: #ffffff; border-radius: 4px; }
table { border-collapse: collapse; } th, td { text-align: left; padding: 0.15rem 0.8rem 0.15rem 0; vertical-align: top; }
th { border-bottom: 1px solid var(--line); font-weight: 600; } td { font-variant-numeric: tabular-nums; } td:not(:last-child) { white-space: nowrap; }
p { overflow-wrap: anywhere; } figure { margin: 1rem 0; } figcaption { font-size: 0.85rem; color: var(--faint); }
.graph { margin: 0.3rem 0 1.2rem; border-bottom: 1px solid var(--line); border-left: 1px solid var(--line); overflow: visible; max-width: 100%; }
.graph text { font-size: 11px; fill: var(--faint); }
.graph rect { fill: var(--graph); } .graph line { stroke: #e05252; stroke-width: 2; stroke-dasharray: 4 3; }
.graph polyline { fill: none; stroke: var(--graph); stroke-width: 2; }
@media (max-width: 40rem) {
  td:not(:last-child) { white-space: normal; }
  .scores, .scores tbody { display: block; } .scores thead { display: none; }
  .scores tr { display: grid; grid-template-columns: 1fr auto auto; padding: 0.2rem 0; border-bottom: 1px solid var(--line); }
  .scores td:last-child { grid-column: 1 / -1; color: var(--faint); }
}
`;
