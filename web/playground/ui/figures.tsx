import { useEffect, useRef, useState } from 'preact/hooks';
import { areDays, type Dataset, dateText, deviationsOf, type RowView } from '../data/dataset.ts';
import type { Theme } from '../drawing/colors.ts';
import { imagesOf } from '../drawing/images.ts';

/** Scales for drawing rows: least and largest value, mean and standard deviation of each column, and least and largest of all. */
export interface Ranges {
  readonly low: Float64Array;
  readonly high: Float64Array;
  readonly mean: Float64Array;
  readonly spread: Float64Array;
  readonly least: number;
  readonly most: number;
}

export function rangesOf({ observations }: Pick<Dataset, 'observations'>): Ranges {
  const { data, rows, columns } = observations;
  const mean = new Float64Array(columns);
  const counts = new Float64Array(columns);
  const low = new Float64Array(columns).fill(Number.POSITIVE_INFINITY);
  const high = new Float64Array(columns).fill(Number.NEGATIVE_INFINITY);
  for (let k = 0; k < rows * columns; k++) {
    const value = data[k]!;
    const j = k % columns;
    if (value < low[j]!) low[j] = value;
    if (value > high[j]!) high[j] = value;
    if (Number.isNaN(value)) continue;
    counts[j]! += 1;
    mean[j]! += (value - mean[j]!) / counts[j]!;
  }
  const least = low.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  const spread = deviationsOf(observations);
  return { low, high, mean, spread, least, most: high.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY) };
}

/** Row, and its prediction with standard deviations; either may be absent. */
export interface Reading {
  readonly observed?: ArrayLike<number> | undefined;
  readonly expected?: ArrayLike<number> | undefined;
  readonly deviations?: ArrayLike<number> | undefined;
}

interface Given {
  readonly dataset: Dataset;
  readonly ranges: Ranges;
  readonly theme: Theme;
  readonly label: string;
}

export function short(value: number): string {
  if (Number.isNaN(value)) return 'missing';
  const size = Math.abs(value);
  const text =
    size !== 0 && (size < 1e-3 || size >= 1e6)
      ? value.toExponential(2)
      : String(Number(value.toPrecision(size >= 1000 ? 5 : 3)));
  return text.replaceAll('-', '−');
}

/** Value of a column as text: the date where dates are fitted as days. */
export const valueText = (dataset: Dataset, j: number, value: number): string =>
  areDays(dataset, dataset.columns[j]!) && !Number.isNaN(value) ? dateText(Math.floor(value)) : short(value);

/** Half an interval of a column as text. */
export const spreadText = (dataset: Dataset, j: number, half: number): string =>
  areDays(dataset, dataset.columns[j]!) ? `${short(half)} days` : short(half);

/** Reading in the form of the data: pictures, a curve, or a figure; nothing for plain values. */
export function Figure({ dataset, ranges, theme, label, ...reading }: Given & Reading) {
  const { view } = dataset;
  if (view.kind === 'image') return <Pictures {...{ view, ranges, theme, label, ...reading }} />;
  if (view.kind === 'curve') return <Curve {...{ dataset, ranges, label, ...reading }} />;
  if (view.kind === 'figure') return <Skeleton {...{ dataset, ranges, label, bones: view.bones, ...reading }} />;
  return null;
}

type Image = Extract<RowView, { kind: 'image' }>;

export function Picture({
  values,
  view,
  low,
  high,
  stops,
  label,
}: {
  readonly values: ArrayLike<number>;
  readonly view: Image;
  readonly low: number;
  readonly high: number;
  readonly stops: readonly string[];
  readonly label: string;
}) {
  const { height, width } = view;
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    canvas.current!.getContext('2d')!.putImageData(imagesOf([values], view, 1, low, high, stops), 0, 0);
  });
  return (
    <canvas
      ref={canvas}
      {...{ width, height }}
      class="pixels"
      style={`aspect-ratio: ${width} / ${height}`}
      role="img"
      aria-label={label}
    />
  );
}

/** Two pictures and their difference; or the predicted picture between pictures two standard deviations below and above it. */
export function Pictures({
  view,
  ranges: { least, most },
  theme,
  label,
  observed,
  expected,
  deviations,
  names = ['row', 'expected'],
}: Omit<Given, 'dataset'> & Reading & { readonly view: Image; readonly names?: readonly [string, string] }) {
  const off = (by: number) => Array.from(expected!, (value, j) => value + by * (deviations?.[j] ?? 0));
  const shown: [string, ArrayLike<number>][] = [];
  if (observed !== undefined) shown.push([names[0], observed]);
  if (expected !== undefined && observed === undefined) shown.push(['2 sd below', off(-2)]);
  if (expected !== undefined) shown.push([names[1], expected]);
  if (expected !== undefined && observed === undefined) shown.push(['2 sd above', off(2)]);
  const range = most - least;
  return (
    <div class="pictures">
      {shown.map(([name, values]) => (
        <figure key={name}>
          <Picture {...{ values, view }} low={least} high={most} stops={theme.ink} label={`${label}, ${name}`} />
          <figcaption>{name}</figcaption>
        </figure>
      ))}
      {observed !== undefined && expected !== undefined && (
        <figure>
          <Picture
            values={Array.from(expected, (value, j) => observed[j]! - value)}
            view={view}
            low={-range / 2}
            high={range / 2}
            stops={theme.differences}
            label={`${label}, difference`}
          />
          <figcaption>difference</figcaption>
        </figure>
      )}
    </div>
  );
}

const [WIDTH, HEIGHT] = [340, 168];

/** Ticks at 1, 2 or 5 times a power of ten. */
function ticks(low: number, high: number, count: number): number[] {
  const rough = (high - low) / count || 1;
  const unit = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((times) => times * unit).find((each) => each >= rough)!;
  const first = Math.ceil(low / step);
  return Array.from({ length: Math.max(0, Math.floor(high / step) - first + 1) }, (_, k) =>
    Number(((first + k) * step).toPrecision(12)),
  );
}

/** Values along the columns, with axes; numeric column names are used as positions. */
export function Curve({
  dataset,
  ranges: { least, most },
  label,
  observed,
  expected,
  deviations,
}: Omit<Given, 'theme'> & Reading) {
  const { columns } = dataset;
  const numbers = columns.map(Number);
  const isNumeric = numbers.every((value, j) => Number.isFinite(value) && (j === 0 || value > numbers[j - 1]!));
  const at = isNumeric ? numbers : columns.map((_, j) => j);
  const [first, last] = [at[0]!, at.at(-1)!];
  const [left, bottom] = [40, 22];
  const x = (j: number) => left + ((at[j]! - first) / (last - first || 1)) * (WIDTH - left - 8);
  const y = (value: number) => HEIGHT - bottom - ((value - least) / (most - least || 1)) * (HEIGHT - bottom - 10);
  const points = (values: ArrayLike<number>) => Array.from(values, (value, j) => `${x(j)},${y(value)}`);
  const side = (by: number) => points(Array.from(expected!, (value, j) => value + by * deviations![j]!));
  return (
    <svg
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      class="drawing"
      role="img"
      aria-label={`${label}: ${columns.length} columns as a curve`}
    >
      {ticks(least, most, 4).map((value) => (
        <g key={value} class="tick">
          <line x1={left} x2={WIDTH - 8} y1={y(value)} y2={y(value)} />
          <text x={left - 6} y={y(value) + 4} text-anchor="end">
            {short(value)}
          </text>
        </g>
      ))}
      {isNumeric ? (
        ticks(first, last, 5).map((value) => (
          <text
            key={value}
            class="tick"
            x={left + ((value - first) / (last - first)) * (WIDTH - left - 8)}
            y={HEIGHT - 6}
            text-anchor="middle"
          >
            {short(value)}
          </text>
        ))
      ) : (
        <>
          <text class="tick" x={left} y={HEIGHT - 6}>
            {columns[0]}
          </text>
          <text class="tick" x={WIDTH - 8} y={HEIGHT - 6} text-anchor="end">
            {columns.at(-1)}
          </text>
        </>
      )}
      {expected !== undefined && deviations !== undefined && (
        <polygon points={[...side(1), ...side(-1).reverse()].join(' ')} class="band" />
      )}
      {expected !== undefined && <polyline points={points(expected).join(' ')} class="line" />}
      {observed !== undefined &&
        (expected === undefined ? (
          <polyline points={points(observed).join(' ')} class="line" />
        ) : (
          Array.from(
            observed,
            (value, j) => !Number.isNaN(value) && <circle key={j} cx={x(j)} cy={y(value)} r="2.2" class="seen" />,
          )
        ))}
    </svg>
  );
}

function Skeleton({
  ranges: { low, high },
  label,
  observed,
  expected,
  deviations,
  bones,
}: Omit<Given, 'theme'> & Reading & { readonly bones: readonly (readonly [number, number])[] }) {
  const end = (list: Float64Array, parity: number, pick: (a: number, b: number) => number) =>
    list.filter((_, k) => k % 2 === parity).reduce((a, b) => pick(a, b));
  const [left, right] = [end(low, 0, Math.min), end(high, 0, Math.max)];
  const [foot, head] = [end(low, 1, Math.min), end(high, 1, Math.max)];
  const scale = Math.min((WIDTH - 40) / (right - left), 200 / (head - foot));
  const drawn = (values: ArrayLike<number>, name: string) => {
    const x = (k: number) => WIDTH / 2 + scale * (values[2 * k]! - (left + right) / 2);
    const y = (k: number) => 12 + scale * (head - values[2 * k + 1]!);
    return (
      <g class={name}>
        {deviations !== undefined &&
          name === 'line' &&
          Array.from({ length: values.length / 2 }, (_, k) => (
            <ellipse
              key={k}
              cx={x(k)}
              cy={y(k)}
              rx={2 * scale * deviations[2 * k]!}
              ry={2 * scale * deviations[2 * k + 1]!}
              class="band"
            />
          ))}
        {bones.map(([from, to]) => (
          <line key={`${from}-${to}`} x1={x(from)} y1={y(from)} x2={x(to)} y2={y(to)} />
        ))}
        <circle cx={x(0)} cy={y(0)} r="7" />
      </g>
    );
  };
  return (
    <svg viewBox={`0 0 ${WIDTH} 225`} class="drawing" role="img" aria-label={`${label} as a figure`}>
      {expected !== undefined && drawn(expected, 'line')}
      {observed !== undefined && drawn(observed, expected === undefined ? 'line' : 'seen')}
    </svg>
  );
}

const MOST_SHOWN = 24;
/** Number of columns of a row or a position before all are requested. */
const TELLING = 3;

/**
 * Columns by how far a row, or else its expectation, is from the mean of the column: in standard deviations of the column for a row, and of a new row
 * for an expectation, so that what is both unusual and well known comes first.
 */
export function byTelling({ observed, expected, deviations }: Reading, { mean, spread }: Ranges): number[] {
  const values = observed ?? expected!;
  const units = observed === undefined ? (deviations ?? spread) : spread;
  const telling = (j: number) => Math.abs(values[j]! - mean[j]!) / (units[j]! || 1) || 0;
  return Array.from(mean.keys()).sort((a, b) => telling(b) - telling(a));
}

/** Legend of bars, whiskers and circles. */
export interface Words {
  readonly bar: string;
  readonly interval: string;
  readonly circle: string;
}
const WORDS: Words = { bar: 'expected', interval: '95 % of new rows', circle: 'this row' };

type Order = 'telling' | 'order' | 'size' | 'difference';

/** Values of a reading by name: predictions as bars with intervals, observations as circles, both also as numbers. */
export function Values({
  dataset,
  ranges,
  label,
  observed,
  expected,
  deviations,
  words = WORDS,
}: Omit<Given, 'theme'> & Reading & { readonly words?: Words }) {
  const { columns, view } = dataset;
  const isBoth = observed !== undefined && expected !== undefined;
  const isRow = words === WORDS;
  const [chosen, setOrder] = useState<Order>();
  const [isAll, setAll] = useState(false);
  const few = isRow ? TELLING : MOST_SHOWN;
  const usual =
    isBoth && (!isRow || view.kind === 'image')
      ? 'difference'
      : isRow && !isAll && columns.length > few
        ? 'telling'
        : 'order';
  const order = chosen ?? usual;
  const range = (j: number) => ranges.high[j]! - ranges.low[j]!;
  /** Difference in standard deviations of a new row; for groups of rows, which may not vary, relative to the range. */
  const difference = (j: number) =>
    isBoth && !Number.isNaN(observed[j]!)
      ? Math.abs(observed[j]! - expected[j]!) / ((deviations?.[j] ?? 0) + (isRow ? 0 : 0.1 * range(j)) || 1)
      : -1;
  const places = order === 'telling' ? byTelling({ observed, expected, deviations }, ranges) : columns.map((_, j) => j);
  if (order === 'difference' && isBoth) places.sort((a, b) => difference(b) - difference(a));
  const sizes = expected ?? observed!;
  if (order === 'size') places.sort((a, b) => sizes[b]! - sizes[a]!);
  const shown = isAll ? places : places.slice(0, few);
  const percent = (j: number, value: number) => {
    const margin = 0.08 * range(j) || 1;
    return Math.min(100, Math.max(0, (100 * (value - ranges.low[j]! + margin)) / (range(j) + 2 * margin)));
  };
  /** End of the range of one standard deviation around the mean of a column. */
  const side = (j: number, by: number, at: 'left' | 'right') => {
    const end = percent(j, ranges.mean[j]! + by * ranges.spread[j]!);
    return `${at}: ${at === 'left' ? end : 100 - end}%;`;
  };
  return (
    <section class="part" aria-label="Values">
      <div class="head">
        <h3>{isRow && !isAll && places.length > few ? 'Most telling values' : 'Values'}</h3>
        <select
          aria-label="Order of the values"
          value={order}
          onChange={({ currentTarget }) => setOrder(currentTarget.value as Order)}
        >
          {isRow && <option value="telling">Most telling</option>}
          <option value="order">Column order</option>
          <option value="size">Largest</option>
          {isBoth && <option value="difference">Most different</option>}
        </select>
      </div>
      <p class="key" aria-hidden="true">
        {expected !== undefined && (
          <>
            <span>
              <i /> {words.bar}
            </span>
            <span>
              <u /> {words.interval}
            </span>
          </>
        )}
        {observed !== undefined && (
          <span>
            <s /> {words.circle}
          </span>
        )}
        <span>
          <em /> mean ± sd of the table
        </span>
      </p>
      <table class="values" aria-label={label}>
        <thead class="hidden">
          <tr>
            <th>column</th>
            <th>range</th>
            <th>value</th>
          </tr>
        </thead>
        <tbody>
          {shown.map((j) => {
            const [mean, sd] = [expected?.[j], deviations?.[j] ?? 0];
            const seen = observed?.[j];
            const isFar = isRow && isBoth && difference(j) > 3;
            return (
              <tr key={j} class={isFar ? 'far' : ''}>
                <th scope="row" title={columns[j]}>
                  {columns[j]}
                </th>
                <td class="track" aria-hidden="true">
                  <span
                    title={`From ${valueText(dataset, j, ranges.low[j]!)} to ${valueText(dataset, j, ranges.high[j]!)} in the table, ${valueText(dataset, j, ranges.mean[j]!)} on average`}
                  >
                    <em style={side(j, -1, 'left') + side(j, 1, 'right')} />
                    {mean !== undefined && <i style={`width: ${percent(j, mean)}%`} />}
                    {mean !== undefined && (
                      <u style={`left: ${percent(j, mean - 2 * sd)}%; right: ${100 - percent(j, mean + 2 * sd)}%`} />
                    )}
                    {seen !== undefined && !Number.isNaN(seen) && <s style={`left: ${percent(j, seen)}%`} />}
                  </span>
                </td>
                <td class="number">
                  {isRow ? (
                    <>
                      {seen !== undefined && <b>{valueText(dataset, j, seen)}</b>}{' '}
                      {mean !== undefined && (
                        <span>
                          {isBoth ? 'exp. ' : ''}
                          {valueText(dataset, j, mean)} ± {spreadText(dataset, j, 2 * sd)}
                        </span>
                      )}
                    </>
                  ) : (
                    <>
                      <b>{valueText(dataset, j, mean!)}</b> / {valueText(dataset, j, seen!)}
                    </>
                  )}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
      {places.length > few && (
        <button type="button" class="link" onClick={() => setAll(!isAll)}>
          {isAll ? 'Fewer columns' : `All ${places.length} columns`}
        </button>
      )}
      {expected !== undefined && (
        <p class="note">{isRow ? '± two standard deviations of a new row.' : `${words.bar} / ${words.circle}`}</p>
      )}
    </section>
  );
}
