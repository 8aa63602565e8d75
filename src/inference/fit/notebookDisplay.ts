import type { Matrix } from '../../core/matrix.ts';

/** Representations of a value in a notebook, by media type. */
export type MediaBundle = Readonly<Record<'text/plain' | 'text/html' | 'image/svg+xml', string>>;

/** Representation of a fit. */
interface Shown {
  readonly model: string;
  readonly message: string;
  readonly latents: Matrix;
}

const WIDTH = 480;
const HEIGHT = 360;
const MARGIN = 24;
/** Points that are drawn: more would make a cell of a notebook slow and show no more. */
const MOST_POINTS = 5000;

/** A fit as text, as a picture of its first two latent dimensions, and as both: the bundle that `Symbol.for('Jupyter.display')` returns. */
export function notebookDisplay({ model, message, latents }: Shown): MediaBundle {
  const text = `${model}: ${latents.rows} × ${latents.columns} latents. ${message}`;
  const svg = scatter(latents, text);
  const html = `<figure style="margin:0">${svg}<figcaption>${escaped(text)}</figcaption></figure>`;
  return { 'text/plain': text, 'text/html': html, 'image/svg+xml': svg };
}

/** Latents over their first two columns with equal units; over the row's number where there is one column. */
function scatter(latents: Matrix, title: string): string {
  const step = Math.max(1, Math.ceil(latents.rows / MOST_POINTS));
  const rows = Array.from({ length: Math.ceil(latents.rows / step) }, (_, i) => i * step);
  const across = rows.map((row) => latents.data[row * latents.columns]!);
  const isLine = latents.columns < 2;
  const up = rows.map((row) => (isLine ? row : latents.data[row * latents.columns + 1]!));
  const [x, y] = [range(across), range(up)];
  const fill = (length: number, space: number) => (space - 2 * MARGIN) / (length || 1);
  const scales = [fill(x.length, WIDTH), fill(y.length, HEIGHT)] as const;
  const equal = Math.min(...scales);
  const [a, b] = isLine ? scales : [equal, equal];
  const place = (value: number, { middle }: Range, scale: number, space: number) =>
    (space / 2 + (value - middle) * scale).toFixed(1);
  const points = rows.map((_, i) => {
    const [left, top] = [place(across[i]!, x, a, WIDTH), place(-up[i]!, { ...y, middle: -y.middle }, b, HEIGHT)];
    return `M${left} ${top}h0`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" role="img">`,
    `<title>${escaped(title)}</title>`,
    `<path d="${points.join('')}" fill="none" stroke="#4c78a8" stroke-width="5" stroke-linecap="round" stroke-opacity=".75"/></svg>`,
  ].join('');
}

interface Range {
  readonly middle: number;
  readonly length: number;
}

function range(values: readonly number[]): Range {
  const [least, most] = values.reduce(([low, high], value) => [Math.min(low, value), Math.max(high, value)] as const, [
    Number.POSITIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
  ] as readonly [number, number]);
  return { middle: (least + most) / 2, length: most - least };
}

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
