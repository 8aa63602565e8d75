import { useEffect, useRef } from 'preact/hooks';
import type { Dataset } from '../data/dataset.ts';

interface Given {
  readonly dataset: Pick<Dataset, 'columns' | 'view' | 'observations'>;
  readonly row: ArrayLike<number>;
  /** Standard deviations of a prediction. */
  readonly deviations?: ArrayLike<number> | undefined;
  readonly name: string;
}

const MOST_COLUMNS = 24;
const [WIDTH, HEIGHT] = [260, 150];

/** A row, or a prediction with its uncertainty, as what it is: an image, a curve, a figure, a table. */
export function ShownRow(given: Given) {
  const { view } = given.dataset;
  if (view.kind === 'image') return <ImageRow {...given} height={view.height} width={view.width} />;
  if (view.kind === 'curve') return <CurveRow {...given} />;
  if (view.kind === 'figure') return <FigureRow {...given} bones={view.bones} />;
  return <TableRow {...given} />;
}

function ImageRow({
  dataset,
  row,
  deviations,
  name,
  ...size
}: Given & { readonly height: number; readonly width: number }) {
  const about = deviations && `, ± ${(2 * mean(deviations)).toPrecision(2)} a pixel (2 standard deviations)`;
  return <Pixels values={row} {...size} range={extentOf(dataset.observations.data)} label={`${name}${about ?? ''}`} />;
}

const mean = (values: ArrayLike<number>) => Array.from(values).reduce((sum, value) => sum + value, 0) / values.length;

function Pixels({
  values,
  height,
  width,
  range,
  label,
}: {
  readonly values: ArrayLike<number>;
  readonly height: number;
  readonly width: number;
  readonly range: readonly [number, number];
  readonly label: string;
}) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const context = canvas.current!.getContext('2d')!;
    const pixels = context.createImageData(width, height);
    for (let p = 0; p < width * height; p++) {
      const part = (values[p]! - range[0]) / (range[1] - range[0] || 1);
      pixels.data.set([255 * part, 255 * part, 255 * part, 255], 4 * p);
    }
    context.putImageData(pixels, 0, 0);
  });
  return (
    <figure>
      <canvas ref={canvas} width={width} height={height} class="pixels" role="img" aria-label={label} />
      <figcaption>{label}</figcaption>
    </figure>
  );
}

function CurveRow({ dataset, row, deviations, name }: Given) {
  const [low, high] = extentOf(dataset.observations.data);
  const x = (j: number) => 8 + (j / Math.max(1, row.length - 1)) * (WIDTH - 16);
  const y = (value: number) => HEIGHT - 12 - ((value - low) / (high - low || 1)) * (HEIGHT - 24);
  const line = Array.from(row, (value, j) => `${x(j)},${y(value)}`);
  const sides =
    deviations &&
    [1, -1].map((side) => Array.from(row, (value, j) => `${x(j)},${y(value + 2 * side * deviations[j]!)}`));
  return (
    <figure>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        class="drawing"
        role="img"
        aria-label={`${name}: ${row.length} columns as a curve`}
      >
        {sides && <polygon points={[...sides[0]!, ...sides[1]!.reverse()].join(' ')} class="band" />}
        <polyline points={line.join(' ')} class="line" />
      </svg>
      <figcaption>
        {name}: {dataset.columns[0]} to {dataset.columns.at(-1)}
        {deviations && ', ± 2 standard deviations'}
      </figcaption>
    </figure>
  );
}

function FigureRow({
  dataset,
  row,
  deviations,
  name,
  bones,
}: Given & { readonly bones: readonly (readonly [number, number])[] }) {
  const all = dataset.observations.data;
  const of = (parity: number) => extentOf(all.filter((_, k) => k % 2 === parity));
  const [left, right] = of(0);
  const [bottom, top] = of(1);
  const scale = Math.min((WIDTH - 30) / (right - left), 200 / (top - bottom));
  const x = (k: number) => WIDTH / 2 + scale * (row[2 * k]! - (left + right) / 2);
  const y = (k: number) => 12 + scale * (top - row[2 * k + 1]!);
  return (
    <figure>
      <svg viewBox={`0 0 ${WIDTH} 225`} class="drawing" role="img" aria-label={`${name} as a figure`}>
        {deviations &&
          Array.from({ length: row.length / 2 }, (_, k) => (
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
          <line key={`${from}-${to}`} x1={x(from)} y1={y(from)} x2={x(to)} y2={y(to)} class="line" />
        ))}
        <circle cx={x(0)} cy={y(0)} r="7" class="line" />
      </svg>
      <figcaption>
        {name}
        {deviations && ', ± 2 standard deviations'}
      </figcaption>
    </figure>
  );
}

function TableRow({ dataset, row, deviations, name }: Given) {
  const shown = dataset.columns.slice(0, MOST_COLUMNS);
  return (
    <figure>
      <figcaption>{name}</figcaption>
      <div class="values">
        {shown.map((column, j) => (
          <span key={column}>
            {column}: {Number.isNaN(row[j]!) ? 'missing' : row[j]!.toPrecision(4)}
            {deviations && ` ± ${deviations[j]!.toPrecision(2)}`}
          </span>
        ))}
        {dataset.columns.length > shown.length && <span>and {dataset.columns.length - shown.length} more columns</span>}
      </div>
    </figure>
  );
}

function extentOf(values: ArrayLike<number>): [number, number] {
  let [low, high] = [Infinity, -Infinity];
  for (let k = 0; k < values.length; k++) {
    if (values[k]! < low) low = values[k]!;
    if (values[k]! > high) high = values[k]!;
  }
  return [low, high];
}
