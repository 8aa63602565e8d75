import type { CanvasMap, MapEvents, MapTheme } from './mapScene.ts';

/**
 * Runs the page of a plot on a map: hover, zoom by the wheel or + and −, panning by dragging, lasso by dragging with Shift or in lasso mode, hiding
 * kinds by a click on the legend. Its source becomes part of a page, so it uses nothing else of this module.
 */
export function runPage(
  data: PageData,
  describe: typeof describePoint,
  mapOn: (canvas: HTMLCanvasElement, on: MapEvents) => CanvasMap,
): void {
  const element = <T extends HTMLElement>(id: string) => document.getElementById(id) as T;
  const canvas = element<HTMLCanvasElement>('canvas');
  const hint = element('hint');
  const axes = [element<HTMLSelectElement>('across'), element<HTMLSelectElement>('up')];
  const theme: MapTheme = {
    ...{ certain: '#ffffff', mid: '#ffffff', vague: '#ffffff', contour: '#888888', hatch: '#888888', halo: '#ffffff' },
    ...{ ink: '#111111', faintInk: '#444444', panel: '#ffffff', line: '#888888', accent: '#4c78a8' },
    ...{ font: 'system-ui, sans-serif', serif: 'serif' },
  };
  const hiddenKinds = new Set<number>();
  let chosen: readonly number[] = [];
  let hovered = -1;
  let isLassoMode = false;

  // Where points are colored by numbers, each color is a group. Colors are #rrggbb or rgb(…).
  const circle = 'M1,0A1,1 0 1 1 -1,0A1,1 0 1 1 1,0Z';
  const hex = (color: string) =>
    color.startsWith('#')
      ? color
      : `#${color
          .match(/\d+/g)!
          .map((part) => Number(part).toString(16).padStart(2, '0'))
          .join('')}`;
  const colors = data.colors.map(hex);
  const palette = [...new Set(colors)];
  const numbers = new Map(palette.map((color, k) => [color, k]));
  const kinds =
    data.kinds.length > 0
      ? data.kinds
      : (palette.length > 0 ? palette : [data.primary]).map((color) => ({ color, path: circle }));
  const kindOf =
    data.kindOf.length > 0 ? data.kindOf : data.ids.map((_, i) => (colors.length > 0 ? numbers.get(colors[i]!)! : 0));

  const rows = data.ids.map((_, i) => i);
  const column = (axis: 0 | 1) => data.latents[Number(axes[axis]!.value)] ?? rows;
  const reachOf = (axis: 0 | 1) => data.reach?.[Number(axes[axis]!.value)] ?? rows.map(() => 0);
  const titleOf = (axis: 0 | 1) => axes[axis]!.selectedOptions[0]!.text;
  const marked = (isMarked: (i: number) => boolean) => Uint8Array.from(rows, (i) => (isMarked(i) ? 1 : 0));
  const points = () => {
    const isChosen = new Set(chosen);
    return {
      x: column(0),
      y: column(1),
      equal: data.equalScales && axes[1]!.value !== 'index',
      titles: [titleOf(0), titleOf(1)] as const,
      ...(data.reach && { reach: { x: reachOf(0), y: reachOf(1) } }),
      kinds,
      kindOf,
      hidden: marked((i) => data.kindOf.length > 0 && hiddenKinds.has(data.kindOf[i]!)),
      faint: chosen.length === 0 ? undefined : marked((i) => !isChosen.has(i)),
    };
  };
  let scene = points();

  const map = mapOn(canvas, {
    hover(point, px, py) {
      if (point === hovered && point < 0) return;
      hovered = point;
      hint.hidden = point < 0;
      if (point >= 0) {
        describe(data, point, hint);
        hint.style.left = `${Math.min(px + 16, canvas.clientWidth - hint.offsetWidth - 4)}px`;
        hint.style.top = `${Math.max(4, Math.min(py + 12, canvas.clientHeight - hint.offsetHeight - 4))}px`;
      }
      map.show({ ...scene, hovered }, theme);
    },
    pick: () => {},
    lasso: (inside) => void choose(inside),
  });
  map.use('move');
  map.margins({ left: 54, right: 0, bottom: 26, gap: { left: 16, right: 16, top: 16, bottom: 16 } });

  function draw(): void {
    scene = points();
    map.show({ ...scene, hovered }, theme);
  }
  function drawAll(): void {
    draw();
    map.all();
  }

  async function choose(inside: readonly number[]): Promise<void> {
    chosen = inside;
    draw();
    const ids = inside.map((i) => data.ids[i]!).join('\n');
    const list = element<HTMLTextAreaElement>('chosen');
    list.value = ids;
    list.hidden = inside.length === 0;
    let isCopied = inside.length > 0;
    if (isCopied) {
      try {
        await navigator.clipboard.writeText(ids);
      } catch {
        list.select();
        isCopied = document.execCommand('copy');
      }
    }
    const words = `${inside.length} point${inside.length === 1 ? '' : 's'}`;
    element('status').textContent = inside.length === 0 ? '' : `${words} chosen, ids ${isCopied ? 'copied' : 'below'}`;
  }

  canvas.addEventListener('dblclick', () => map.all());
  element('lasso').addEventListener('click', () => {
    isLassoMode = !isLassoMode;
    map.use(isLassoMode ? 'lasso' : 'move');
    element('lasso').setAttribute('aria-pressed', String(isLassoMode));
  });
  element('all').addEventListener('click', () => map.all());
  window.addEventListener('keydown', (event) => {
    if (event.key === '+' || event.key === '=') map.zoom(1.25);
    if (event.key === '-') map.zoom(0.8);
    if (event.key === '0') map.all();
  });
  for (const axis of axes) axis.addEventListener('change', drawAll);
  for (const entry of document.querySelectorAll<HTMLElement>('[data-kind]')) {
    entry.addEventListener('click', () => {
      const kind = Number(entry.dataset.kind);
      if (!hiddenKinds.delete(kind)) hiddenKinds.add(kind);
      entry.setAttribute('aria-pressed', String(!hiddenKinds.has(kind)));
      draw();
    });
  }
  draw();
}

/**
 * Fills an element with the data of a point: id, label or number, its image, the values of its row. Its source becomes part of a page, so it uses
 * nothing else of this module.
 */
export function describePoint(data: PageData, i: number, into: HTMLElement): void {
  const MOST_VALUES = 24;
  const line = (text: string, name: string) => {
    const element = document.createElement('div');
    element.className = name;
    element.textContent = text;
    into.append(element);
  };
  into.replaceChildren();
  line(data.ids[i]!, 'id');
  if (data.kindOf.length > 0) line(`${data.legendTitle}: ${data.kinds[data.kindOf[i]!]!.name}`, 'look');
  if (data.values.length > 0) line(`${data.legendTitle}: ${data.values[i] ?? 'none'}`, 'look');
  // Columns of the observations may be called x1 too.
  line(`latents: ${data.latents.map((column, d) => `x${d + 1} ${column[i]!.toPrecision(4)}`).join(', ')}`, 'latent');
  const row = data.rows[i];
  if (row === undefined) return;
  if (data.image === undefined) {
    line('observed:', 'latent');
    const values = row.slice(0, MOST_VALUES).map((value, j) => `${data.columns[j]}: ${value ?? 'missing'}`);
    for (const value of values) line(value, 'value');
    if (row.length > MOST_VALUES) line(`… ${row.length - MOST_VALUES} more columns`, 'value');
    return;
  }
  const [height, width, channels] = data.image.shape as [number, number, number];
  const [black, white] = data.image.range;
  const canvas = document.createElement('canvas');
  canvas.width = width;
  canvas.height = height;
  canvas.style.width = `${Math.max(96, Math.min(192, width * 4))}px`;
  const context = canvas.getContext('2d')!;
  const pixels = context.createImageData(width, height);
  for (let p = 0; p < width * height; p++) {
    for (let c = 0; c < 3; c++) {
      const value = row[p * channels + (channels === 3 ? c : 0)]!;
      pixels.data[4 * p + c] = value === null ? 128 : (255 * (value - black)) / (white - black);
    }
    pixels.data[4 * p + 3] = 255;
  }
  context.putImageData(pixels, 0, 0);
  into.append(canvas);
}

/** Data of a plot's page, embedded as JSON. */
export interface PageData {
  readonly title: string;
  /** One list of N coordinates per latent dimension. */
  readonly latents: readonly (readonly number[])[];
  /** Two standard deviations, in the same form. */
  readonly reach?: readonly (readonly number[])[];
  readonly ids: readonly string[];
  /** Index of each point's kind; empty without labels. */
  readonly kindOf: readonly number[];
  /** `path` is the SVG path of its marks, with the area of a circle of radius 1. */
  readonly kinds: readonly { readonly name: string; readonly color: string; readonly path: string }[];
  /** Number of each point, null where missing; empty without numbers. */
  readonly values: readonly (number | null)[];
  /** Color of each point; empty if kinds determine it. */
  readonly colors: readonly string[];
  /** Smallest and largest number, and the colors between them. */
  readonly scale?: { readonly range: readonly [number, number]; readonly stops: readonly string[] };
  readonly legendTitle: string;
  /** Names of the columns of the rows. */
  readonly columns: readonly string[];
  /** N rows; null where missing. */
  readonly rows: readonly (readonly (number | null)[])[];
  /** Height, width and channels of the images in the rows, and the values drawn black and white. */
  readonly image?: { readonly shape: readonly number[]; readonly range: readonly [number, number] };
  readonly equalScales: boolean;
  readonly primary: string;
}
