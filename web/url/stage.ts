import { Matrix } from 'latentfield';
import { canvasMap, type MapScene, mixed } from 'latentfield/plot';
import { type Background, doubtOf, isFlat } from '../playground/background.ts';
import { byLabels, byNumbers, type Coloring, ofOneColor, PALETTES } from '../playground/drawing/colors.ts';
import { THEMES } from './themes.ts';

/** Predictions of new rows at positions of the map. */
export type Predict = (X: Matrix) => { readonly mean: Matrix; readonly variance: Matrix };

interface Given {
  readonly labels: readonly (string | number)[] | undefined;
  readonly columns: readonly string[] | undefined;
}

/** Maximum number of values of a row in its sentence, and of labels in the legend. */
const MOST_VALUES = 8;
const MOST_KINDS = 12;
/** Fewest different numbers that are colored on a scale. */
const MANY_NUMBERS = 11;
/** Step of an arrow key, relative to the visible part. */
const STEP = 1 / 40;

const written = (value: number) => String(Number(value.toPrecision(4))).replaceAll('-', '−');

/** Map of rows in an element: a canvas, and below it a sentence and the meaning of colors. */
export function stageIn(element: HTMLElement, observations: Matrix, { labels, columns = [] }: Given) {
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const name = dark.matches ? 'dark' : 'light';
  const theme = { name, map: THEMES[name], ...PALETTES[name] } as const;
  const coloring = coloringOf(labels, observations.rows, theme);
  const frame = element.appendChild(document.createElement('div'));
  frame.style.cssText = `display:flex;flex-direction:column;box-sizing:border-box;width:100%;height:100%;min-height:420px;background:${theme.map.panel};color:${theme.map.ink};font:13px/1.4 ${theme.map.font}`;
  const canvas = frame.appendChild(document.createElement('canvas'));
  canvas.style.cssText = 'display:block;flex:1 1 0;min-height:0;width:100%';
  const foot = frame.appendChild(document.createElement('div'));
  foot.style.cssText = 'padding:6px 10px 8px';
  const words = foot.appendChild(document.createElement('p'));
  words.setAttribute('role', 'status');
  words.style.cssText = 'margin:0;min-height:2.8em;font-variant-numeric:tabular-nums';
  const legend = foot.appendChild(document.createElement('div'));
  legend.style.cssText = 'display:flex;flex-wrap:wrap;align-items:center;gap:2px 14px';

  let scene: MapScene | undefined;
  let predict: Predict | undefined;
  let hint = '';
  let hovered = -1;
  let cursor: readonly [number, number] | undefined;
  /** Sentence about the position of the cross. */
  let decoded = '';
  const draw = () => scene && map.show({ ...scene, hovered, ...(cursor && { cursor }) }, theme.map);
  const say = (text: string) => {
    words.textContent = text === '' ? hint : text;
  };
  const valuesOf = (value: (d: number) => string) => {
    const shown = Array.from(
      { length: Math.min(MOST_VALUES, observations.columns) },
      (_, d) => `${columns[d] ?? `column ${d + 1}`} ${value(d)}`,
    );
    return `${shown.join(', ')}${observations.columns > MOST_VALUES ? ', …' : ''}`;
  };
  const sayRow = (row: number) => {
    const label = labels?.[row] === undefined ? '' : ` (${labels[row]})`;
    say(row < 0 ? '' : `Row ${row + 1}${label}: ${valuesOf((d) => written(observations.at(row, d)))}`);
  };
  const decode = (x: number, y: number) => {
    cursor = [x, y];
    hovered = -1;
    try {
      const { mean, variance } = predict!(Matrix.from([[x, y]]));
      const interval = (d: number) => `${written(mean.at(0, d))} ± ${written(2 * Math.sqrt(variance.at(0, d)))}`;
      decoded = `Expected at (${written(x)}, ${written(y)}), ± 2 standard deviations: ${valuesOf(interval)}`;
    } catch (error) {
      decoded = messageOf(error);
    }
    say(decoded);
    draw();
  };
  const listeners = {
    isEmbedded: true,
    hover(row: number) {
      if (row === hovered) return;
      hovered = row;
      if (row < 0 && cursor !== undefined) say(decoded);
      else sayRow(row);
      draw();
    },
    pick(row: number) {
      cursor = undefined;
      sayRow(row);
      draw();
    },
    lasso() {},
    ask: decode,
  };
  const map = canvasMap(canvas, listeners);
  map.margins({ left: 48, right: 0, bottom: 26, gap: { left: 20, right: 20, top: 20, bottom: 20 } });
  const pressed = (event: KeyboardEvent) => {
    const direction = ARROWS[event.key];
    if (event.key === 'Escape') {
      cursor = undefined;
      say('');
      draw();
    } else if (direction !== undefined && predict !== undefined) {
      event.preventDefault();
      const [x, y] = map.spans();
      const [from, lengths] = [cursor ?? [(x[0] + x[1]) / 2, (y[0] + y[1]) / 2], [x[1] - x[0], y[1] - y[0]]];
      decode(from[0]! + STEP * direction[0] * lengths[0]!, from[1]! + STEP * direction[1] * lengths[1]!);
    }
  };
  canvas.addEventListener('keydown', pressed);

  return {
    spans: map.spans,
    say,
    /** Shows positions, and the predictions that dragging asks for. */
    show(latents: Matrix, predictions: Predict | undefined, background?: Background) {
      predict = predictions;
      cursor = undefined;
      map.use(predict === undefined ? 'move' : 'ask');
      hint = `${predict === undefined ? 'Point at a row to read it.' : 'Drag over the map to decode a row.'} Click, then turn the wheel to zoom.`;
      const isLine = latents.columns < 2;
      scene = {
        x: latents.column(0),
        y: isLine ? Array.from({ length: latents.rows }, (_, row) => row) : latents.column(1),
        equal: !isLine,
        titles: ['latent 1', isLine ? 'row' : 'latent 2'],
        kinds: coloring.kinds,
        kindOf: coloring.kindOf,
        ...(background && {
          terrain: { x: background.x, y: background.y, side: background.side, doubt: doubtOf(background) },
        }),
      };
      canvas.tabIndex = predict === undefined ? -1 : 0;
      canvas.setAttribute('role', predict === undefined ? 'img' : 'application');
      canvas.setAttribute(
        'aria-label',
        `Map of ${latents.rows} rows${predict === undefined ? '' : '; arrow keys decode rows'}`,
      );
      legend.replaceChildren(...legendOf(coloring, theme.map.faintInk), ...certaintyOf(background, theme.map));
      say('');
      draw();
    },
    release() {
      map.release();
      frame.remove();
    },
  };
}

const ARROWS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, 1],
  ArrowDown: [0, -1],
};

function coloringOf(labels: Given['labels'], rows: number, theme: Parameters<typeof byLabels>[2]): Coloring {
  if (labels === undefined) return ofOneColor(rows, theme);
  const isNumber = labels.every((label) => typeof label === 'number');
  return isNumber && new Set(labels).size >= MANY_NUMBERS
    ? byNumbers(labels as readonly number[], '', theme)
    : byLabels(labels.map(String), '', theme);
}

function piece(text: string, ...before: readonly Node[]): HTMLElement {
  const made = document.createElement('span');
  made.style.cssText = 'display:inline-flex;align-items:center;gap:5px';
  made.append(...before, text);
  return made;
}

function rampOf(colors: readonly string[], line: string): HTMLElement {
  const made = document.createElement('i');
  made.style.cssText = `display:inline-block;width:90px;height:9px;border:1px solid ${line};background:linear-gradient(90deg,${colors.join()})`;
  return made;
}

/** Meaning of the colors of points: labels with their counts, or the ends of a scale. */
function legendOf({ kinds, numbers }: Coloring, line: string): HTMLElement[] {
  if (numbers !== undefined) {
    const stops = kinds.slice(0, -1).map(({ color }) => color);
    return [piece(written(numbers.high), document.createTextNode(written(numbers.low)), rampOf(stops, line))];
  }
  if (kinds.length < 2) return [];
  const shown = kinds.slice(0, MOST_KINDS).map(({ name, color, path, count }) => {
    const mark = document.createElement('span');
    mark.innerHTML = '<svg viewBox="-1.7 -1.7 3.4 3.4" width="14" aria-hidden="true"><path/></svg>';
    const shape = mark.querySelector('path')!;
    shape.setAttribute('d', path);
    shape.setAttribute('fill', color);
    return piece(`${name} (${count})`, mark);
  });
  return kinds.length > MOST_KINDS ? [...shown, piece(`and ${kinds.length - MOST_KINDS} more`)] : shown;
}

/** Scale of the background: standard deviation of a new row relative to the spread of each column. */
function certaintyOf(background: Background | undefined, theme: (typeof THEMES)['light']): HTMLElement[] {
  if (background === undefined) return [];
  const low = background.deviation.reduce((a, b) => Math.min(a, b));
  const high = background.deviation.reduce((a, b) => Math.max(a, b));
  const percent = (value: number) => `${Math.round(100 * value)} %`;
  if (isFlat(background)) return [piece(`uncertainty ${percent(high)} of the spread of each column everywhere`)];
  const stops = Array.from({ length: 12 }, (_, k) => mixed([theme.certain, theme.mid, theme.vague], k / 11));
  const from = document.createTextNode(`uncertainty ${percent(low)}`);
  return [piece(`${percent(high)} of the spread of each column`, from, rampOf(stops, theme.line))];
}

/** Attribute of a message of an error, so that the next map in its element can remove it. */
const ERROR = 'data-latentfield-error';

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** Shows an error in the element where its map would be. */
export function showError(element: HTMLElement, error: unknown): void {
  const shown = element.appendChild(document.createElement('p'));
  shown.setAttribute('role', 'alert');
  shown.setAttribute(ERROR, '');
  shown.style.cssText = `margin:0;padding:12px 14px;border:1px solid #b3261e;border-left-width:5px;background:#fff;color:#17222c;font:14px/1.45 ${THEMES.light.font};overflow-wrap:anywhere`;
  shown.textContent = `No map: ${messageOf(error)}`;
}

/** Removes the message of an earlier error. */
export function removeError(element: HTMLElement): void {
  for (const child of [...element.children]) if (child.hasAttribute(ERROR)) child.remove();
}
