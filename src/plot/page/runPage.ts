import type { drawAxes, drawPoints, insidePolygon } from './drawing.ts';

/** What the page is given beside its data. */
interface Parts {
  readonly drawAxes: typeof drawAxes;
  readonly drawPoints: typeof drawPoints;
  readonly describePoint: typeof describePoint;
  readonly insidePolygon: typeof insidePolygon;
}

/**
 * Runs the page of a plot: hover, zoom by the wheel or + and −, move by dragging, lasso by dragging with Shift or in lasso mode, hide kinds by a click on the
 * legend. Its text becomes part of a page: it uses nothing of this module.
 */
export function runPage(data: PageData, { drawAxes, drawPoints, describePoint, insidePolygon }: Parts): void {
  const element = <T extends HTMLElement>(id: string) => document.getElementById(id) as T;
  const canvas = element<HTMLCanvasElement>('canvas');
  const hint = element('hint');
  const context = canvas.getContext('2d')!;
  const count = data.ids.length;
  const axes = [element<HTMLSelectElement>('across'), element<HTMLSelectElement>('up')];
  const x = new Float64Array(count);
  const y = new Float64Array(count);
  const hidden = new Set<number>();
  const chosen = new Set<number>();
  const margins = { left: 54, bottom: 26 };
  /** Pixels between points and the ends of the axes. */
  const gap = 16;
  let hovered = -1;
  let lasso: number[] = [];
  let isLassoMode = false;
  let width = 0;
  let height = 0;
  // Pixels = scale · unit + shift.
  let view = { scaleX: 1, scaleY: 1, shiftX: 0, shiftY: 0 };

  const column = (axis: 0 | 1) => data.latents[Number(axes[axis]!.value)] ?? data.ids.map((_, i) => i);
  const reachOf = (axis: 0 | 1) => data.reach?.[Number(axes[axis]!.value)] ?? [];
  const isHidden = (i: number) => data.kindOf.length > 0 && hidden.has(data.kindOf[i]!);

  function fitAll(): void {
    const extent = (values: readonly number[]) => {
      const low = values.reduce((a, b) => Math.min(a, b), Infinity);
      const high = values.reduce((a, b) => Math.max(a, b), -Infinity);
      return { middle: (low + high) / 2, length: high - low || 1 };
    };
    const [across, up] = [extent(column(0)), extent(column(1))];
    const [wide, high] = [width - margins.left, height - margins.bottom];
    let scaleX = (wide - 2 * gap) / across.length;
    let scaleY = (high - 2 * gap) / up.length;
    if (data.equalScales && axes[1]!.value !== 'index') scaleX = scaleY = Math.min(scaleX, scaleY);
    view = {
      scaleX,
      scaleY: -scaleY,
      shiftX: margins.left + wide / 2 - scaleX * across.middle,
      shiftY: high / 2 + scaleY * up.middle,
    };
    draw();
  }

  function draw(): void {
    const [first, second] = [column(0), column(1)];
    for (let i = 0; i < count; i++) {
      x[i] = view.scaleX * first[i]! + view.shiftX;
      y[i] = view.scaleY * second[i]! + view.shiftY;
    }
    const across = Float64Array.from(reachOf(0), (length) => length * view.scaleX);
    const up = across.map((_, i) => Math.abs((reachOf(1)[i] ?? 0) * view.scaleY));
    const isChosen = (i: number) => chosen.has(i);
    drawPoints(data, { context, width, height, x, y, across, up, isHidden, isChosen, hovered, lasso });
    const titleOf = (axis: 0 | 1) => axes[axis]!.selectedOptions[0]!.text;
    drawAxes(
      context,
      { width, height },
      margins,
      { scale: view.scaleX, shift: view.shiftX, title: titleOf(0) },
      { scale: view.scaleY, shift: view.shiftY, title: titleOf(1) },
    );
  }

  function resize(): void {
    const ratio = window.devicePixelRatio || 1;
    width = canvas.clientWidth;
    height = canvas.clientHeight;
    canvas.width = width * ratio;
    canvas.height = height * ratio;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    fitAll();
  }

  function zoom(factor: number, px = width / 2, py = height / 2): void {
    view = {
      scaleX: view.scaleX * factor,
      scaleY: view.scaleY * factor,
      shiftX: px + factor * (view.shiftX - px),
      shiftY: py + factor * (view.shiftY - py),
    };
    draw();
  }

  function hover(px: number, py: number): void {
    let nearest = 144;
    hovered = -1;
    for (let i = 0; i < count; i++) {
      const distance = (x[i]! - px) ** 2 + (y[i]! - py) ** 2;
      if (distance < nearest && !isHidden(i)) {
        nearest = distance;
        hovered = i;
      }
    }
    hint.hidden = hovered < 0;
    if (hovered >= 0) {
      describePoint(data, hovered, hint);
      hint.style.left = `${Math.min(px + 16, width - hint.offsetWidth - 4)}px`;
      hint.style.top = `${Math.max(4, Math.min(py + 12, height - hint.offsetHeight - 4))}px`;
    }
    draw();
  }

  async function choose(): Promise<void> {
    chosen.clear();
    for (let i = 0; i < count; i++) if (!isHidden(i) && insidePolygon(x[i]!, y[i]!, lasso)) chosen.add(i);
    lasso = [];
    draw();
    const ids = Array.from(chosen, (i) => data.ids[i]!).join('\n');
    const list = element<HTMLTextAreaElement>('chosen');
    list.value = ids;
    list.hidden = chosen.size === 0;
    let isCopied = chosen.size > 0;
    if (isCopied) {
      try {
        await navigator.clipboard.writeText(ids);
      } catch {
        list.select();
        isCopied = document.execCommand('copy');
      }
    }
    const points = `${chosen.size} point${chosen.size === 1 ? '' : 's'}`;
    element('status').textContent = chosen.size === 0 ? '' : `${points} chosen, ids ${isCopied ? 'copied' : 'below'}`;
  }

  let from: { x: number; y: number } | undefined;
  canvas.addEventListener('pointerdown', (event) => {
    canvas.setPointerCapture(event.pointerId);
    from = { x: event.offsetX, y: event.offsetY };
    lasso = isLassoMode || event.shiftKey ? [from.x, from.y] : [];
  });
  canvas.addEventListener('pointermove', (event) => {
    const [px, py] = [event.offsetX, event.offsetY];
    if (from === undefined) {
      hover(px, py);
    } else if (lasso.length > 0) {
      lasso.push(px, py);
      draw();
    } else {
      view = { ...view, shiftX: view.shiftX + px - from.x, shiftY: view.shiftY + py - from.y };
      from = { x: px, y: py };
      draw();
    }
  });
  canvas.addEventListener('pointerup', () => {
    from = undefined;
    if (lasso.length > 4) void choose();
    lasso = [];
  });
  canvas.addEventListener('pointerleave', () => {
    hovered = -1;
    hint.hidden = true;
    draw();
  });
  canvas.addEventListener(
    'wheel',
    (event) => {
      event.preventDefault();
      zoom(Math.exp(-event.deltaY * 0.0015), event.offsetX, event.offsetY);
    },
    { passive: false },
  );
  canvas.addEventListener('dblclick', fitAll);
  element('lasso').addEventListener('click', () => {
    isLassoMode = !isLassoMode;
    element('lasso').setAttribute('aria-pressed', String(isLassoMode));
  });
  element('all').addEventListener('click', fitAll);
  window.addEventListener('keydown', (event) => {
    if (event.key === '+' || event.key === '=') zoom(1.25);
    if (event.key === '-') zoom(0.8);
    if (event.key === '0') fitAll();
  });
  window.addEventListener('resize', resize);
  for (const axis of axes) axis.addEventListener('change', fitAll);
  for (const entry of document.querySelectorAll<HTMLElement>('[data-kind]')) {
    entry.addEventListener('click', () => {
      const kind = Number(entry.dataset.kind);
      if (!hidden.delete(kind)) hidden.add(kind);
      entry.setAttribute('aria-pressed', String(!hidden.has(kind)));
      draw();
    });
  }
  resize();
}

/**
 * Fills an element with what is known of a point: id, label or number, its image, the values of its row. Its text becomes part of a page: it
 * uses nothing of this module.
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

/** What a page of a plot knows: plain data, as JSON in it. */
export interface PageData {
  readonly title: string;
  /** One list of N coordinates a latent dimension. */
  readonly latents: readonly (readonly number[])[];
  /** Two standard deviations, likewise. */
  readonly reach?: readonly (readonly number[])[];
  readonly ids: readonly string[];
  /** The kind of each point; empty without labels. */
  readonly kindOf: readonly number[];
  /** `path` is the shape of its marks as the path of an SVG, of the area of a circle of radius 1. */
  readonly kinds: readonly { readonly name: string; readonly colour: string; readonly path: string }[];
  /** The number of each point, null where there is none; empty without numbers. */
  readonly values: readonly (number | null)[];
  /** The colour of each point; empty where kinds say it. */
  readonly colours: readonly string[];
  /** Smallest and largest number, and colours between them. */
  readonly scale?: { readonly range: readonly [number, number]; readonly stops: readonly string[] };
  readonly legendTitle: string;
  /** The names of the columns of the rows. */
  readonly columns: readonly string[];
  /** N rows; null where missing. */
  readonly rows: readonly (readonly (number | null)[])[];
  /** Height, width and channels of the images that rows are, and what is black and white. */
  readonly image?: { readonly shape: readonly number[]; readonly range: readonly [number, number] };
  readonly equalScales: boolean;
  readonly primary: string;
}
