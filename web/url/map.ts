import { type Fit, fit, Matrix, pca } from 'latentfield';
import { type CanvasMap, canvasMap, type MapScene } from 'latentfield/plot';
import { type Background, backgroundOf, doubtOf } from '../playground/background.ts';
import { deviationsOf } from '../playground/data/dataset.ts';
import { byLabels, PALETTES } from '../playground/drawing/colors.ts';
import { THEMES } from './themes.ts';

/** Options of {@link map}. */
export interface MapOptions {
  /** Name of a model, default `'pca'`; others are loaded on demand. */
  readonly model?: string | undefined;
  /** Options of the model, such as `{ latentDim: 2 }`. */
  readonly options?: Readonly<Record<string, unknown>> | undefined;
  /** Labels for coloring, one per row. */
  readonly labels?: readonly (string | number)[] | undefined;
  /** Names of the columns, for the row under the pointer. */
  readonly columns?: readonly string[] | undefined;
  readonly seed?: number | undefined;
  readonly maxIterations?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Map in an element. */
export interface DrawnMap {
  /** Fit that is shown. */
  readonly fit: Fit;
  /** Removes the map from the page. */
  release(): void;
}

/**
 * Draws a map of rows into an element: principal components at once, and the latents of another model when it is fitted, with its certainty in the background.
 *
 * @param element - element that the map fills; 360 pixels high if it has no height
 * @param rows - N×D, as lists of numbers
 */
export async function map(
  element: HTMLElement,
  rows: readonly (readonly number[])[],
  { model = 'pca', options, labels, columns, seed, maxIterations, signal }: MapOptions = {},
): Promise<DrawnMap> {
  const stage = stageIn(element, rows, columns ?? []);
  try {
    const first = await fit(
      pca(rows, { latentDim: Math.min(2, rows[0]?.length ?? 0), ...(model === 'pca' && options) }),
    );
    let shown: Fit = first as Fit;
    stage.show(shown.latents, labels);
    if (model !== 'pca') {
      const { makeModel } = await import('./models.ts');
      const described = makeModel(model, rows, labels, { latentDim: 2, ...options });
      shown = await fit(described, {
        ...(seed !== undefined && { seed }),
        ...(maxIterations && { maxIterations }),
        ...(signal && { signal }),
      });
      stage.show(shown.latents, labels);
      const background = await backgroundIn(shown, stage.spans(), deviationsOf(Matrix.from(rows)), signal);
      if (background !== undefined) stage.show(shown.latents, labels, background);
    }
    return { fit: shown, release: stage.release };
  } catch (error) {
    stage.release();
    throw error;
  }
}

/** Cells along each axis of the background, and its margin beyond the visible part, relative to its length. */
const SIDE = 52;
const BEYOND = 0.25;

async function backgroundIn(
  fitted: Fit,
  visible: ReturnType<CanvasMap['spans']>,
  spreads: Float64Array,
  signal: AbortSignal | undefined,
): Promise<Background | undefined> {
  const { latents, predict } = fitted as unknown as { latents: Matrix; predict?: Parameters<typeof backgroundOf>[0] };
  if (predict === undefined || latents.columns !== 2) return undefined;
  const [x, y] = visible.map(([left, right], axis) => {
    const values = [left, right, ...latents.column(axis)];
    const [low, high] = [Math.min(...values), Math.max(...values)];
    const beyond = BEYOND * (high - low) || 1;
    return [low - beyond, high + beyond] as const;
  });
  return backgroundOf(
    predict,
    { x: x!, y: y!, side: SIDE, middle: [0, 0], axes: [0, 1], spreads },
    signal ?? new AbortController().signal,
  );
}

/** Canvas and text of a map in an element. */
function stageIn(element: HTMLElement, rows: readonly (readonly number[])[], columns: readonly string[]) {
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const frame = element.appendChild(document.createElement('div'));
  frame.style.cssText = `position:relative;width:100%;height:100%;min-height:360px`;
  const canvas = frame.appendChild(document.createElement('canvas'));
  canvas.style.cssText = 'position:absolute;inset:0;width:100%;height:100%';
  canvas.setAttribute('role', 'img');
  const words = frame.appendChild(document.createElement('p'));
  words.setAttribute('role', 'status');
  words.style.cssText = 'position:absolute;left:8px;top:4px;margin:0;pointer-events:none;font:12px system-ui';
  let draw: (hovered?: number) => void = () => {};
  const say = (row: number) => {
    const values = rows[row]
      ?.slice(0, 8)
      .map((value, d) => `${columns[d] ?? `column ${d + 1}`} ${Number(value.toPrecision(4))}`);
    words.textContent =
      values === undefined ? '' : `row ${row + 1}: ${values.join(', ')}${rows[row]!.length > 8 ? ', …' : ''}`;
  };
  const made: CanvasMap = canvasMap(canvas, {
    isEmbedded: true,
    hover: (row) => {
      say(row);
      draw(row);
    },
    pick: say,
    lasso: () => {},
  });
  const show = (latents: Matrix, labels?: readonly (string | number)[], background?: Background) => {
    const name = dark.matches ? 'dark' : 'light';
    const theme = { name, map: THEMES[name], ...PALETTES[name] } as const;
    const { kinds, kindOf } = byLabels((labels ?? Array(latents.rows).fill('')).map(String), '', theme);
    const isLine = latents.columns < 2;
    const scene: MapScene = {
      x: latents.column(0),
      y: isLine ? Array.from({ length: latents.rows }, (_, row) => row) : latents.column(1),
      equal: !isLine,
      titles: ['latent 1', isLine ? 'row' : 'latent 2'],
      kinds,
      kindOf,
      ...(background && {
        terrain: { x: background.x, y: background.y, side: background.side, doubt: doubtOf(background) },
      }),
    };
    canvas.setAttribute('aria-label', `Map of ${latents.rows} rows`);
    words.style.color = theme.map.ink;
    draw = (hovered) => made.show(hovered === undefined || hovered < 0 ? scene : { ...scene, hovered }, theme.map);
    draw();
  };
  return {
    show,
    spans: made.spans,
    release: () => {
      made.release();
      frame.remove();
    },
  };
}
