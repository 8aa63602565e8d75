import * as v from 'valibot';
import { InvalidInputError } from '../../core/errors.ts';
import { checkGiven, checkOptions, givenList, type OptionsIn, typed, unknownName } from '../../core/options.ts';
import type { Draws, PredictiveCheck } from '../../inference/sampling/index.ts';
import { type Axis, type Mark, sceneSvg } from '../../scene/index.ts';
import { domainOf } from './diagnosticPlots.ts';
import { colorOf, PRIMARY } from './looks.ts';
import { pictureGrid } from './pictureGrid.ts';
import { pixels, titleOption } from './render.ts';

/** Options of {@link chainPlot}, {@link rankPlot} and {@link pairsPlot}. */
export interface DrawsPlotOptions extends OptionsIn<typeof drawsSchema> {}

const sizeEntries = {
  title: titleOption,
  /** Width of the area between the axes of each panel in pixels; default 300. */
  width: v.optional(pixels, 300),
  /** Height of the area between the axes of each panel in pixels; default 160, or 180 for `pairsPlot`. */
  height: v.optional(pixels, 160),
};
const drawsSchema = v.strictObject({
  /** Names of the quantities to show, from `draws.names`; default the first six (four for `pairsPlot`) that are not latents. */
  names: v.optional(typed<readonly string[]>()),
  ...sizeEntries,
});

/** Options of {@link predictivePlot}. */
export interface PredictivePlotOptions extends OptionsIn<typeof predictiveSchema> {}

const predictiveSchema = v.strictObject({
  ...sizeEntries,
  /** Name of the statistic along the axis; default 'statistic'. */
  statistic: v.optional(v.string('a text'), 'statistic'),
});

/** Color of divergences and observed values. */
const MARKED = '#d62728';
/** Maximum number of points per panel: more could not be distinguished, and would make the file large. */
const MOST_POINTS = 2000;
/** Number of bins of ranks, as in R's posterior package and ArviZ. */
const BINS = 20;

/**
 * Draws trace plots with the chains of each quantity on top of each other: chains that agree look alike and cover the same values.
 *
 * @param draws - result of `samplePosterior`
 * @param options - see {@link DrawsPlotOptions}
 * @returns the picture as SVG text, one panel per number
 * @throws InvalidInputError for a name that is not in the draws
 * @example
 * ```ts
 * const svg = await chainPlot(draws, { names: ['mapping.noise'] });
 * ```
 */
export async function chainPlot(draws: Draws, options: DrawsPlotOptions = {}): Promise<string> {
  return panels(draws, options, 'chainPlot', (name, size) => {
    const values = draws.values(name);
    const step = Math.ceil(values.columns / MOST_POINTS);
    const x = Array.from({ length: Math.ceil(values.columns / step) }, (_, s) => s * step);
    const lines = Array.from({ length: values.rows }, (_, c) => ({
      ...{ x, y: x.map((draw) => values.at(c, draw)), color: colorOf(c), width: 0.7 },
    }));
    return panel({
      ...size,
      ...{ x: 'draw', y: name, xDomain: domainOf(x), yDomain: domainOf(lines.flatMap(({ y }) => y)) },
      marks: [{ mark: 'lines', name: 'chains', lines }],
    });
  });
}

/**
 * Draws histograms of the ranks of each chain's draws among the draws of all chains, with 20 bins per chain. They are uniform if the chains agree; the
 * line is their expectation.
 *
 * @param draws - result of `samplePosterior`
 * @param options - see {@link DrawsPlotOptions}
 * @returns the picture as SVG text, one panel per number and one row of bars per chain
 * @throws InvalidInputError for a name that is not in the draws
 * @see Vehtari et al., Rank-normalization, folding, and localization, Bayesian Analysis 16 (2021), §5
 * @example
 * ```ts
 * const svg = await rankPlot(draws);
 * ```
 */
export async function rankPlot(draws: Draws, options: DrawsPlotOptions = {}): Promise<string> {
  return panels(draws, options, 'rankPlot', (name, size) => {
    const { data, rows: chains, columns: count } = draws.values(name);
    const order = Array.from(data.keys()).sort((a, b) => data[a]! - data[b]! || a - b);
    const counts = Array.from({ length: chains }, () => new Float64Array(BINS));
    order.forEach((k, rank) => {
      counts[Math.floor(k / count)]![Math.floor((rank * BINS) / order.length)]!++;
    });
    const expected = count / BINS;
    const highest = Math.max(2 * expected, ...counts.flatMap((own) => Array.from(own)));
    // The baseline of chain c is at level c; its highest bar reaches 0.9 above it.
    const bins = counts.flatMap((own, c) => Array.from(own, (number, bin) => ({ c, bin, number })));
    const bars: Mark = {
      ...{ mark: 'bars', name: 'bars', color: bins.map(({ c }) => colorOf(c)) },
      ...{ x: bins.map(({ bin }) => bin / BINS), x2: bins.map(({ bin }) => (bin + 1) / BINS) },
      ...{ y: bins.map(({ c }) => c), y2: bins.map(({ c, number }) => c + (0.9 * number) / highest) },
    };
    const lines = counts.map((_, c) => {
      const mean = c + (0.9 * expected) / highest;
      return { x: [0, 1], y: [mean, mean], color: '#444444', width: 1, dashes: [3, 2] };
    });
    return panel({
      ...size,
      ...{ xDomain: [0, 1], yDomain: [0, chains], x: `rank of ${name}`, y: 'chain' },
      marks: [bars, { mark: 'lines', name: 'expected', lines }],
    });
  });
}

/**
 * Draws each pair of numbers, one point per draw, with divergent transitions in red: chains could not enter regions where these cluster.
 *
 * @param draws - result of `samplePosterior`
 * @param options - see {@link DrawsPlotOptions}
 * @returns the picture as SVG text, one panel per pair
 * @throws InvalidInputError for a name that is not in the draws, or fewer than two names
 * @example
 * ```ts
 * const svg = await pairsPlot(draws);
 * ```
 */
export async function pairsPlot(draws: Draws, options: DrawsPlotOptions = {}): Promise<string> {
  const { names, title, ...size } = chosen(draws, { height: 180, ...options }, 'pairsPlot', 4);
  if (names.length < 2) {
    throw new InvalidInputError(
      `pairsPlot shows pairs of two names or more, but there is ${names.length === 1 ? `'${names[0]}' only` : 'none'}.`,
    );
  }
  const all = draws.chains * draws.draws;
  const divergent = new Set(draws.divergences.map(({ chain, draw }) => chain * draws.draws + draw));
  const step = Math.ceil(all / MOST_POINTS);
  // All divergences are shown, above the other points.
  const places = [
    ...Array.from({ length: all }, (_, k) => k).filter((k) => k % step === 0 && !divergent.has(k)),
    ...divergent,
  ];
  const pictures: string[] = [];
  for (const [i, first] of names.entries()) {
    for (const second of names.slice(i + 1)) {
      const [a, b] = [draws.values(first).data, draws.values(second).data];
      const [x, y] = [places.map((k) => a[k]!), places.map((k) => b[k]!)];
      const points: Mark = {
        ...{ mark: 'points', name: 'points', x, y, radius: 1.6, opacity: 0.45 },
        looks: [PRIMARY, MARKED].map((color) => ({ color, shape: 'circle' }) as const),
        lookOf: places.map((k) => (divergent.has(k) ? 1 : 0)),
      };
      const domains = { xDomain: domainOf(x), yDomain: domainOf(y) };
      pictures.push(panel({ ...size, ...domains, x: first, y: second, marks: [points] }));
    }
  }
  return pictureGrid(pictures, { columns: Math.min(3, pictures.length), ...(title !== undefined && { title }) });
}

/**
 * Draws a posterior predictive check: the histogram of a statistic of replicated observations, with a line at the statistic of the observations.
 *
 * @param check - result of `checkPredictive`
 * @param options - see {@link PredictivePlotOptions}
 * @returns the picture as SVG text
 * @throws InvalidInputError if it is not such a check
 * @example
 * ```ts
 * const largest = checkPredictive(draws, ({ data }) => Math.max(...data));
 * const svg = await predictivePlot(largest, { statistic: 'largest entry' });
 * ```
 */
export async function predictivePlot(check: PredictiveCheck, options: PredictivePlotOptions = {}): Promise<string> {
  checkGiven(check, 'predictivePlot', 'what checkPredictive returned', ({ replicated }) => replicated?.length > 0);
  const { title, statistic, width, height } = checkOptions(predictiveSchema, options, 'predictivePlot');
  const { observed, replicated } = check;
  const [low, high] = [Math.min(observed, ...replicated), Math.max(observed, ...replicated)];
  const width1 = (high - low || 1) / BINS;
  const counts = new Float64Array(BINS);
  for (const value of replicated) counts[Math.min(BINS - 1, Math.floor((value - low) / width1))]!++;
  const most = Math.max(...counts);
  const bins = Array.from(counts.keys());
  return panel({
    ...{ width, height, ...(title && { title }) },
    ...{ xDomain: [low, low + BINS * width1], yDomain: [0, most] },
    ...{ x: `${statistic} (observed in red, p = ${check.pValue.toFixed(3)})`, y: 'replications' },
    marks: [
      {
        ...{ mark: 'bars', name: 'bars', color: PRIMARY, y: bins.map(() => 0), y2: Array.from(counts) },
        ...{ x: bins.map((bin) => low + bin * width1), x2: bins.map((bin) => low + (bin + 1) * width1) },
      },
      {
        ...{ mark: 'lines', name: 'observed' },
        lines: [{ x: [observed, observed], y: [0, most], color: MARKED, width: 2 }],
      },
    ],
  });
}

interface PanelSize {
  readonly width: number;
  readonly height: number;
}

interface Panel extends PanelSize {
  readonly title?: string;
  /** Titles of the axes. */
  readonly x: string;
  readonly y: string;
  readonly xDomain: Axis['domain'];
  readonly yDomain: Axis['domain'];
  readonly marks: readonly Mark[];
}

const panel = ({ x, y, xDomain, yDomain, title, ...rest }: Panel): string =>
  sceneSvg({
    ...{ ...rest, description: title ?? `${y} by ${x}`, ...(title !== undefined && { title }), legends: [] },
    x: { domain: xDomain, title: x, ticks: 5 },
    y: { domain: yDomain, title: y, ticks: 4 },
  });

function chosen(draws: Draws, options: DrawsPlotOptions, caller: string, most: number) {
  checkGiven(
    draws,
    caller,
    'what draw returned',
    (given) => typeof given.values === 'function' && Array.isArray(given.names),
  );
  const { names, title, ...size } = checkOptions(drawsSchema, options, caller);
  const others = draws.names.filter((name) => !/^latents\[/.test(name));
  const given = names === undefined ? undefined : givenList(names, caller, 'a list of names');
  const bad = given?.find((name) => !draws.names.includes(name));
  if (bad !== undefined) throw unknownName('name', bad, draws.names.slice(0, 12), 'These draws');
  return { names: given ?? (others.length > 0 ? others : draws.names).slice(0, most), title, ...size };
}

async function panels(
  draws: Draws,
  options: DrawsPlotOptions,
  caller: string,
  draw: (name: string, size: PanelSize) => string,
): Promise<string> {
  const { names, title, ...size } = chosen(draws, options, caller, 6);
  const pictures = names.map((name) => draw(name, size));
  return pictureGrid(pictures, { columns: Math.min(2, names.length), ...(title !== undefined && { title }) });
}
