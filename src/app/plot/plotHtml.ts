import * as v from 'valibot';
import { InvalidInputError } from '../../core/errors.ts';
import { checkEach, Matrix, type MatrixLike } from '../../core/matrix.ts';
import { namedOptions, type OptionsIn, typed } from '../../core/options.ts';
import { escaped, insidePolygon, PALETTES, printable, shapePath } from '../../scene/index.ts';
import { checkVariances, reach } from './layers.ts';
import { checkCount, lookEntries, type PointLooks, PRIMARY, pointLooks, sharedLooks } from './looks.ts';
import type { Pixels } from './page/mapDrawing.ts';
import { drawMarks, drawOver, drawRulers } from './page/mapDrawing.ts';
import { mapOnCanvas } from './page/mapOnCanvas.ts';
import type { MapTheme } from './page/mapScene.ts';
import type { PageData } from './page/runPage.ts';
import { describePoint, runPage } from './page/runPage.ts';
import { brightness, checkImage, type ImageShape } from './rowImages.ts';

const OPTIONS = {
  ...lookEntries,
  /** Latents, N×q. */
  latents: typed<MatrixLike>(),
  /** N names of the points; default their numbers from 0. */
  ids: v.optional(typed<readonly string[]>()),
  /** Observations N×D, whose rows are shown for the point under the pointer. */
  observations: v.optional(typed<MatrixLike>()),
  /** D names. */
  columnNames: v.optional(typed<readonly string[]>()),
  /** Height and width of the images in the observations, which are then shown instead of numbers. */
  image: v.optional(typed<ImageShape>()),
  /** N×q variances, such as `fit.latentVariances`, for ellipses of mean ± 2 standard deviations. */
  variances: v.optional(typed<MatrixLike>()),
  /** Whether both axes have the same scale; default false. */
  equalScales: v.optional(typed<boolean>()),
  title: v.optional(typed<string>()),
};

export interface PlotHtmlOptions extends OptionsIn<typeof OPTIONS> {}

/** Maximum number of values in the rows, about 12 MB of text, and maximum number of points. */
const MOST_NUMBERS = 2e6;
const MOST_POINTS = 200_000;

/**
 * Makes an interactive page of latents: one file that opens from disk without a network, with the data of the point under the pointer (id, label,
 * values or image of its row), zoom by the wheel, and a lasso (Shift and drag) that copies ids. Its content security policy forbids all network
 * access.
 * Rows are rounded to four digits. If they have more than 2 million numbers, pass fewer columns.
 *
 * @param options - see {@link PlotHtmlOptions}
 * @returns the page as HTML text
 * @throws InvalidInputError if sizes do not match, latents are not finite, or there are too many points for a page
 * @example
 * ```ts
 * const page = await plotHtml({ latents: result.latents, labels, observations: Y, equalScales: true });
 * ```
 */
export async function plotHtml(options: PlotHtmlOptions): Promise<string> {
  const latents = Matrix.from(namedOptions(options, 'plotHtml', OPTIONS).latents, 'latents');
  const data = await pageData(options, latents);
  const title = escaped(data.title);
  // Functions become text: what they use is passed to them. Compilers that keep names call __name.
  const program = `var __name = (f) => f;
(${runPage})(JSON.parse(document.getElementById('data').textContent), ${describePoint}, (canvas, on) => (${mapOnCanvas})(canvas, on, {
drawLand: ${drawGround}, drawMarks: ${drawMarks}, drawOver: ${drawOver}, drawRulers: ${drawRulers}, insidePolygon: ${insidePolygon} }));`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${PAGE_STYLE}</style>
</head>
<body>
<header><h1>${title}</h1>
<label>across <select id="across">${dimensions(latents.columns, 0)}</select></label>
<label>up <select id="up">${latents.columns === 1 ? '<option value="index" selected>index</option>' : dimensions(latents.columns, 1)}</select></label>
<button id="all" type="button" title="double click or 0">all points</button>
<button id="lasso" type="button" aria-pressed="false" title="or drag with Shift">lasso</button>
<output id="status"></output></header>
<main><canvas id="canvas" tabindex="0" aria-label="${title}"></canvas><div id="hint" hidden></div>
<aside>${legend(data)}<textarea id="chosen" readonly hidden aria-label="ids of the points chosen"></textarea></aside></main>
<footer>Wheel: zoom. Drag: move. Shift and drag: choose points and copy their ids. Legend: hide and show.</footer>
<script type="application/json" id="data">${JSON.stringify(data).replace(/</g, '\\u003c')}</script>
<script>${program.replace(/<\/script/gi, '<\\/script')}</script>
</body>
</html>
`;
}

/** Background of a page without terrain. Its source becomes part of the page. */
function drawGround(
  context: CanvasRenderingContext2D,
  _land: unknown,
  _terrain: unknown,
  { width, height, ratio }: Pixels,
  theme: MapTheme,
): void {
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.fillStyle = theme.certain;
  context.fillRect(0, 0, width, height);
}

async function pageData(options: PlotHtmlOptions, latents: Matrix): Promise<PageData> {
  const { rows: N, columns: q } = latents;
  if (N === 0 || q === 0 || N > MOST_POINTS) {
    throw new InvalidInputError(
      `A page shows 1 to ${MOST_POINTS} points, but latents of ${N}×${q} were given. Pass a subset.`,
    );
  }
  checkEach(latents, 'Latent points must be finite', Number.isFinite);
  const looks = pointLooks(options, N);
  const { ids } = options;
  checkCount(ids?.length ?? N, 'id', N);
  const variances =
    options.variances && checkVariances(Matrix.from(options.variances, 'The variances of the latents'), latents);
  const dimensionsOf = Array.from({ length: q }, (_, d) => d);
  return {
    title: printable(options.title ?? 'Latent points'),
    latents: dimensionsOf.map((d) => Array.from(latents.column(d), (value) => rounded(value, 6))),
    ...(variances && {
      reach: dimensionsOf.map((d) => Array.from(reach(variances, N, d)!, (value) => rounded(value, 4))),
    }),
    ids: ids === undefined ? Array.from({ length: N }, (_, i) => String(i)) : ids.map(printable),
    kindOf: Array.from(looks.kindOf ?? []),
    kinds: looks.kinds.map(({ name, color, shape }) => ({ name: printable(name), color, path: shapePath(shape) })),
    ...numberColors(looks, N),
    legendTitle: printable(looks.title),
    ...rowsOf(options, N),
    equalScales: options.equalScales ?? false,
    primary: PRIMARY,
  };
}

/** Colors of numbers, the same as in pictures. */
function numberColors(looks: PointLooks, N: number): Pick<PageData, 'values' | 'colors' | 'scale'> {
  const { values, range } = looks;
  if (values === undefined) return { values: [], colors: [] };
  const { looks: shared, lookOf } = sharedLooks(looks, N);
  return {
    values: Array.from(values, (value) => (Number.isNaN(value) ? null : rounded(value, 6))),
    colors: lookOf.map((k) => shared[k]!.color),
    ...(range && { scale: { range, stops: PALETTES.light.numbers } }),
  };
}

function rowsOf(
  { observations, columnNames, image }: PlotHtmlOptions,
  N: number,
): Pick<PageData, 'columns' | 'rows' | 'image'> {
  if (observations === undefined) {
    if (image !== undefined) throw new InvalidInputError('Images of points are rows of observations: give these too.');
    return { columns: [], rows: [] };
  }
  const Y = Matrix.from(observations, 'The observations');
  if (Y.rows !== N) {
    throw new InvalidInputError(
      `There are ${N} latent points, but ${Y.rows} observations were given. Give observations of the same points.`,
    );
  }
  if (Y.data.length > MOST_NUMBERS) {
    throw new InvalidInputError(
      `A page can contain ${MOST_NUMBERS} numbers of observations, but ${N}×${Y.columns} were given. Give fewer columns, or none.`,
    );
  }
  if (columnNames !== undefined && columnNames.length !== Y.columns) {
    throw new InvalidInputError(
      `The observations have ${Y.columns} columns, but ${columnNames.length} names were given.`,
    );
  }
  const names = columnNames ?? Array.from({ length: Y.columns }, (_, j) => `column${j}`);
  return {
    columns: image === undefined ? names.map(printable) : [],
    rows: Y.toArrays().map((row) => row.map((value) => (Number.isFinite(value) ? rounded(value, 4) : null))),
    ...(image && { image: { shape: checkImage(image, Y.columns), range: brightness(Y) } }),
  };
}

const rounded = (value: number, digits: number) => Number(value.toPrecision(digits));

const dimensions = (q: number, chosen: number): string =>
  Array.from({ length: q }, (_, d) => `<option value="${d}"${d === chosen ? ' selected' : ''}>x${d + 1}</option>`).join(
    '',
  );

function legend({ kinds, scale, legendTitle }: PageData): string {
  if (scale !== undefined) {
    const [low, high] = scale.range;
    return `<h2>${escaped(legendTitle)}</h2><div class="numbers"><span>${rounded(low, 4)}</span><div style="background: linear-gradient(to right, ${scale.stops.join(', ')})"></div><span>${rounded(high, 4)}</span></div>`;
  }
  if (kinds.length === 0) return '';
  const entries = kinds.map(
    ({ name, color, path }, k) =>
      `<button type="button" data-kind="${k}" aria-pressed="true"><svg viewBox="-1.7 -1.7 3.4 3.4" aria-hidden="true"><path d="${path}" fill="${color}"/></svg>${escaped(name)}</button>`,
  );
  return `<h2>${escaped(legendTitle)}</h2>${entries.join('')}`;
}

/** Styles of a plot's page, in light and dark. */
const PAGE_STYLE = `
:root { color-scheme: light dark; font: 14px/1.4 system-ui, sans-serif; }
* { box-sizing: border-box; }
body { margin: 0; height: 100vh; display: flex; flex-direction: column; background: Canvas; color: CanvasText; }
header { display: flex; flex-wrap: wrap; gap: 0.4rem 0.8rem; align-items: center; padding: 0.5rem 0.8rem; }
h1 { font-size: 1rem; margin: 0 auto 0 0; }
h2 { font-size: 0.85rem; margin: 0 0 0.3rem; font-weight: 600; }
main { position: relative; flex: 1; min-height: 0; display: flex; }
canvas { touch-action: none; }
#canvas { flex: 1; min-width: 0; width: 100%; height: 100%; background: #ffffff; cursor: crosshair; }
aside { width: 13rem; overflow: auto; padding: 0.5rem 0.8rem; }
aside button { display: flex; gap: 0.5rem; align-items: center; width: 100%; border: 0; background: none; color: inherit; font: inherit; text-align: left; padding: 0.1rem 0; cursor: pointer; overflow-wrap: anywhere; }
aside button[aria-pressed='false'] { opacity: 0.35; }
button[aria-pressed='true']#lasso { outline: 2px solid #4c78a8; }
aside svg { flex: none; width: 1.2rem; height: 1.2rem; padding: 1px; border-radius: 3px; background: #ffffff; }
.numbers { display: flex; gap: 0.4rem; align-items: center; font-size: 0.8rem; }
.numbers div { flex: 1; height: 0.8rem; border-radius: 2px; }
#chosen { width: 100%; height: 12rem; margin-top: 0.8rem; font: 12px monospace; }
#hint { position: absolute; pointer-events: none; max-width: 20rem; padding: 0.4rem 0.6rem; background: #ffffffee; color: #222222; border: 1px solid #bbbbbb; border-radius: 4px; font-size: 12px; overflow-wrap: anywhere; }
#hint .id { font-weight: 600; }
#hint .latent, #hint .value { color: #555555; }
#hint canvas { display: block; margin-top: 0.3rem; image-rendering: pixelated; }
footer { padding: 0.3rem 0.8rem; font-size: 0.8rem; opacity: 0.7; }
@media (max-width: 40rem) { main { flex-direction: column; } aside { width: auto; max-height: 30vh; } }
`;
