import type { Matrix } from '../../core/matrix.ts';
import { escaped, extents, PALETTES, sceneSvg } from '../../scene/index.ts';

/** Representations of a value in a notebook, by media type. */
export interface MediaBundle {
  readonly 'text/plain': string;
  readonly 'text/html': string;
  readonly 'image/svg+xml'?: string;
}

/** Representation of a fit. */
interface Shown {
  readonly model: string;
  readonly message: string;
  readonly latents?: Matrix;
}

const WIDTH = 420;
const HEIGHT = 320;
/** Maximum number of points in a drawing: more would make a notebook cell slow and show no more. */
const MOST_POINTS = 5000;

/**
 * Representation of a fit as text and, if it has latents, as a picture of its first two latent dimensions: the bundle that `Symbol.for('Jupyter.display')`
 * returns.
 */
export function notebookDisplay({ model, message, latents }: Shown): MediaBundle {
  if (latents === undefined) {
    const text = `${model}: ${message}`;
    return { 'text/plain': text, 'text/html': `<p>${escaped(text)}</p>` };
  }
  const text = `${model}: ${latents.rows} × ${latents.columns} latents. ${message}`;
  const svg = scatter(latents, text);
  const html = `<figure style="margin:0">${svg}<figcaption>${escaped(text)}</figcaption></figure>`;
  return { 'text/plain': text, 'text/html': html, 'image/svg+xml': svg };
}

/** Scatter plot of the first two latent columns with equal units, or of a single column over row numbers. */
function scatter(latents: Matrix, description: string): string {
  const step = Math.max(1, Math.ceil(latents.rows / MOST_POINTS));
  const rows = Array.from({ length: Math.ceil(latents.rows / step) }, (_, i) => i * step);
  const isLine = latents.columns < 2;
  const points = rows.map((row) => ({ x: latents.at(row, 0), y: isLine ? row : latents.at(row, 1) }));
  const domains = extents(points, WIDTH, HEIGHT, !isLine);
  return sceneSvg({
    ...{ width: WIDTH, height: HEIGHT, description, legends: [] },
    x: { domain: domains.x, title: 'latent dimension 1', ticks: 6 },
    y: { domain: domains.y, title: isLine ? 'index of the point' : 'latent dimension 2', ticks: 6 },
    marks: [
      {
        ...{ mark: 'points', name: 'points', radius: 2.5, opacity: 0.75, areDots: true },
        ...{ x: points.map(({ x }) => x), y: points.map(({ y }) => y) },
        ...{ looks: [{ color: PALETTES.light.labels[0], shape: 'circle' }], lookOf: points.map(() => 0) },
      },
    ],
  });
}
