import type { insidePolygon } from '../../../scene/index.ts';
import type { drawLand, drawMarks, drawOver, drawRulers, Land, landOf } from './mapDrawing.ts';
import type { CanvasMap, MapEvents, MapMargins, MapScene, MapTerrain, MapTheme, MapTool } from './mapScene.ts';

/** Functions used by the map. */
export interface MapParts {
  readonly landOf: typeof landOf;
  readonly drawLand: typeof drawLand;
  readonly drawMarks: typeof drawMarks;
  readonly drawOver: typeof drawOver;
  readonly drawRulers: typeof drawRulers;
  readonly insidePolygon: typeof insidePolygon;
}

/**
 * Makes a map on a canvas. Background and points are redrawn when they or the visible part change; everything that follows the pointer is drawn above
 * them. With very many points a gesture moves the picture, and the points are redrawn when it ends. Its source becomes part of a page, so it uses
 * nothing else of this module.
 */
export function mapOnCanvas(canvas: HTMLCanvasElement, on: MapEvents, parts: MapParts): CanvasMap {
  const distance = (x: number, y: number) => Math.sqrt(x * x + y * y);
  /** Minimum number of points for gestures that move the picture before redrawing. */
  const MANY = 20_000;
  /** Minimum zoom factor for points as pictures. */
  const PICTURED = 2.6;
  /** Milliseconds into a frame after which a drawing waits for the next one. */
  const LATE = 25;
  const context = canvas.getContext('2d')!;
  const layer = document.createElement('canvas');
  let scene: MapScene | undefined;
  let theme: MapTheme | undefined;
  let margins: MapMargins = { left: 0, right: 0, bottom: 0, gap: { left: 16, right: 16, top: 16, bottom: 16 } };
  let tool: MapTool = 'ask';
  let view = { scaleX: 1, scaleY: -1, shiftX: 0, shiftY: 0 };
  /** Scale at which all points are visible. */
  let whole = 1;
  let isMoved = false;
  let radius = 3;
  let lasso: number[] = [];
  let frame = 0;
  /** Number of frames that a drawing has waited. */
  let waited = 0;
  let rest = 0;
  /** Contents and view of the layer. */
  let drawn: { of: readonly unknown[]; view: typeof view } | undefined;
  let land: { of: MapTerrain; theme: MapTheme; made: Land } | undefined;
  let cells:
    | { of: MapScene; side: number; x: number; y: number; w: number; h: number; first: Int32Array; order: Int32Array }
    | undefined;

  const size = () => ({ width: canvas.clientWidth, height: canvas.clientHeight });
  const ratioOf = () => Math.min(2, window.devicePixelRatio);
  const pixels = () => ({ ...view, ...size(), ratio: ratioOf() });

  const extent = (values: ArrayLike<number>, hidden: ArrayLike<number> | undefined) => {
    let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (let i = 0; i < values.length; i++) {
      if (hidden?.[i] === 1) continue;
      if (values[i]! < low) low = values[i]!;
      if (values[i]! > high) high = values[i]!;
    }
    return low <= high ? { middle: (low + high) / 2, length: high - low || 1 } : { middle: 0, length: 1 };
  };

  function showAll(): void {
    if (scene === undefined) return;
    const { width, height } = size();
    const { left, right, bottom, gap } = margins;
    const [across, up] = [extent(scene.x, undefined), extent(scene.y, undefined)];
    const wide = Math.max(20, width - left - right - gap.left - gap.right);
    const high = Math.max(20, height - bottom - gap.top - gap.bottom);
    let [scaleX, scaleY] = [wide / across.length, high / up.length];
    if (scene.equal) scaleX = scaleY = Math.min(scaleX, scaleY);
    whole = scaleX;
    view = {
      scaleX,
      scaleY: -scaleY,
      shiftX: left + gap.left + wide / 2 - scaleX * across.middle,
      shiftY: gap.top + high / 2 + scaleY * up.middle,
    };
    isMoved = false;
    later();
  }

  function later(): void {
    if (frame === 0) {
      frame = requestAnimationFrame((began) => {
        frame = 0;
        // Other maps of the page may have been drawn in this frame.
        const isLate = performance.now() - began > LATE && waited < 5;
        waited = isLate ? waited + 1 : 0;
        if (isLate || isLandNew()) later();
        else draw();
      });
    }
  }

  /** Makes the background of a new terrain, if there is one, which takes as long as drawing it: drawing is then left to the next frame. */
  function isLandNew(): boolean {
    const terrain = scene?.terrain;
    if (terrain === undefined || theme === undefined || (land?.of === terrain && land.theme === theme)) return false;
    land = { of: terrain, theme, made: parts.landOf(terrain, theme) };
    return true;
  }

  function draw(): void {
    const { width, height } = size();
    if (scene === undefined || theme === undefined || width === 0) return;
    const ratio = ratioOf();
    for (const [name, value] of [
      ['width', Math.round(width * ratio)],
      ['height', Math.round(height * ratio)],
    ] as const)
      if (canvas[name] !== value) canvas[name] = value;
    const { x, y, kinds, kindOf, hidden, faint, ringed, reach, cloud, terrain, pictures } = scene;
    const looks = [kinds, kindOf, hidden, faint, ringed, reach, cloud, terrain, pictures, theme];
    const of = [x, y, ...looks, canvas.width, canvas.height];
    const isSame = drawn !== undefined && of.every((value, k) => value === drawn!.of[k]);
    const isThere =
      isSame && Object.entries(view).every(([key, value]) => drawn!.view[key as keyof typeof view] === value);
    if (isSame && !isThere && x.length > MANY && rest !== 0) shifted();
    else if (!isThere) drawLayer(of, ratio);
    context.setTransform(1, 0, 0, 1, 0, 0);
    if (isThere || rest === 0 || x.length <= MANY || !isSame) context.drawImage(layer, 0, 0);
    parts.drawOver(context, seen(), pixels(), theme, lasso, radius);
    parts.drawRulers(context, pixels(), margins, scene.titles, theme);
  }

  /** Scene with pictures if the zoom is high enough, otherwise without. */
  const seen = (): MapScene =>
    scene!.pictures !== undefined && view.scaleX > PICTURED * whole
      ? { ...scene!, names: [] }
      : { ...scene!, pictures: undefined };

  /** Draws the previous layer at its current position. */
  function shifted(): void {
    const from = drawn!.view;
    const [wider, higher] = [view.scaleX / from.scaleX, view.scaleY / from.scaleY];
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.fillStyle = scene!.terrain === undefined ? theme!.certain : theme!.vague;
    context.fillRect(0, 0, canvas.width, canvas.height);
    const ratio = ratioOf();
    context.setTransform(
      wider,
      0,
      0,
      higher,
      ratio * (view.shiftX - wider * from.shiftX),
      ratio * (view.shiftY - higher * from.shiftY),
    );
    context.drawImage(layer, 0, 0);
  }

  function drawLayer(of: readonly unknown[], ratio: number): void {
    const { terrain } = scene!;
    layer.width = canvas.width;
    layer.height = canvas.height;
    const ground = layer.getContext('2d', { willReadFrequently: scene!.x.length > 4000 })!;
    const at = { ...pixels(), ratio };
    parts.drawLand(ground, terrain && land!.made, terrain, at, theme!);
    radius = parts.drawMarks(ground, seen(), at, theme!, view.scaleX / whole);
    drawn = { of, view: { ...view } };
  }

  /** Points by cells of a grid, for hover. */
  function inCells(): NonNullable<typeof cells> {
    if (cells?.of.x === scene!.x && cells.of.y === scene!.y) return cells;
    const { x, y } = scene!;
    const [across, up] = [extent(x, undefined), extent(y, undefined)];
    const side = Math.max(1, Math.min(512, Math.ceil(Math.sqrt(x.length / 4))));
    const [left, low] = [across.middle - across.length / 2, up.middle - up.length / 2];
    const [w, h] = [across.length / side, up.length / side];
    const cellOf = (i: number) =>
      Math.min(side - 1, Math.max(0, Math.floor((y[i]! - low) / h))) * side +
      Math.min(side - 1, Math.max(0, Math.floor((x[i]! - left) / w)));
    const first = new Int32Array(side * side + 1);
    for (let i = 0; i < x.length; i++) first[cellOf(i) + 1]! += 1;
    for (let k = 0; k < side * side; k++) first[k + 1]! += first[k]!;
    const next = first.slice();
    const order = new Int32Array(x.length);
    for (let i = 0; i < x.length; i++) {
      const cell = cellOf(i);
      order[next[cell]!] = i;
      next[cell]! += 1;
    }
    cells = { of: scene!, side, x: left, y: low, w, h, first, order };
    return cells;
  }

  /** Point nearest to a pixel within a distance, or −1. */
  function nearest(px: number, py: number, within: number): number {
    if (scene === undefined || scene.x.length === 0) return -1;
    const { x, y, hidden } = scene;
    const { side, x: left, y: low, w, h, first, order } = inCells();
    const cell = (value: number) => Math.min(side - 1, Math.max(0, Math.floor(value)));
    const [u, v] = [(px - view.shiftX) / view.scaleX, (py - view.shiftY) / view.scaleY];
    const [du, dv] = [within / view.scaleX, within / Math.abs(view.scaleY)];
    let found = -1;
    let least = within * within;
    for (let row = cell((v - dv - low) / h); row <= cell((v + dv - low) / h); row++) {
      for (let column = cell((u - du - left) / w); column <= cell((u + du - left) / w); column++) {
        const at = row * side + column;
        for (let k = first[at]!; k < first[at + 1]!; k++) {
          const i = order[k]!;
          const [dx, dy] = [view.scaleX * (x[i]! - u), view.scaleY * (y[i]! - v)];
          const square = dx * dx + dy * dy;
          if (square < least && hidden?.[i] !== 1) [found, least] = [i, square];
        }
      }
    }
    return found;
  }

  function zoom(factor: number, px = canvas.clientWidth / 2, py = canvas.clientHeight / 2): void {
    const most = (400 * whole) / view.scaleX;
    const by = Math.max(Math.min(factor, most), (0.2 * whole) / view.scaleX);
    view = {
      scaleX: view.scaleX * by,
      scaleY: view.scaleY * by,
      shiftX: px + by * (view.shiftX - px),
      shiftY: py + by * (view.shiftY - py),
    };
    moved();
  }

  function move(dx: number, dy: number): void {
    view = { ...view, shiftX: view.shiftX + dx, shiftY: view.shiftY + dy };
    moved();
  }

  function moved(): void {
    isMoved = true;
    clearTimeout(rest);
    rest = window.setTimeout(() => {
      rest = 0;
      later();
    }, 90);
    later();
  }

  const placeAt = (px: number, py: number) =>
    [(px - view.shiftX) / view.scaleX, (py - view.shiftY) / view.scaleY] as const;

  // Gestures.
  const fingers = new Map<number, { x: number; y: number }>();
  let gesture: { kind: MapTool | 'pick'; x: number; y: number; point: number; isTouch: boolean } | undefined;
  let isSpace = false;
  let isActive = false;
  const activate = (to: boolean) => {
    isActive = to;
    canvas.style.touchAction = to ? 'none' : 'pan-y';
  };
  activate(on.isEmbedded !== true);
  const pressed = ({ target }: PointerEvent) => {
    if (on.isEmbedded && target !== canvas) activate(false);
  };
  const blurred = () => activate(on.isEmbedded !== true);
  const down = (event: PointerEvent) => {
    // The first swipe is the page's, which cancels it; a tap is the map's.
    if (!isActive && event.pointerType === 'touch') return;
    activate(true);
    canvas.setPointerCapture(event.pointerId);
    const [x, y] = [event.offsetX, event.offsetY];
    fingers.set(event.pointerId, { x, y });
    if (fingers.size === 2) {
      gesture = undefined;
      lasso = [];
      return;
    }
    const isTouch = event.pointerType === 'touch';
    const point = nearest(x, y, Math.max(radius, isTouch ? 20 : 10));
    const isMove = tool === 'move' || event.button > 0 || isSpace || (tool === 'ask' && on.ask === undefined);
    const isLasso = tool === 'lasso' || event.shiftKey;
    const kind = event.button === 0 && point >= 0 && !isLasso ? 'pick' : isLasso ? 'lasso' : isMove ? 'move' : 'ask';
    gesture = { kind, x, y, point, isTouch };
    if (kind === 'lasso') lasso = [x, y];
    if (kind === 'ask') on.ask!(...placeAt(x, y), true);
  };
  const dragged = (event: PointerEvent) => {
    const [x, y] = [event.offsetX, event.offsetY];
    const before = fingers.get(event.pointerId);
    if (before !== undefined && fingers.size === 2) {
      const other = [...fingers].find(([id]) => id !== event.pointerId)![1];
      const length = (a: { x: number; y: number }) => distance(a.x - other.x, a.y - other.y) || 1;
      fingers.set(event.pointerId, { x, y });
      move((x - before.x) / 2, (y - before.y) / 2);
      zoom(length({ x, y }) / length(before), (x + other.x) / 2, (y + other.y) / 2);
      return;
    }
    if (before !== undefined) fingers.set(event.pointerId, { x, y });
    if (gesture === undefined) {
      on.hover(nearest(x, y, Math.max(radius, 12)), x, y);
      return;
    }
    if (gesture.kind === 'pick' && distance(x - gesture.x, y - gesture.y) > 5) {
      // Dragging from a point asks about places, or moves.
      gesture.kind = tool === 'ask' && on.ask !== undefined ? 'ask' : 'move';
    }
    if (gesture.kind === 'lasso') {
      lasso.push(x, y);
      later();
    } else if (gesture.kind === 'move') {
      move(x - gesture.x, y - gesture.y);
      gesture = { ...gesture, x, y };
    } else if (gesture.kind === 'ask') on.ask!(...placeAt(x, y), false);
  };
  const up = (event: PointerEvent) => {
    activate(true);
    fingers.delete(event.pointerId);
    const ended = gesture;
    gesture = undefined;
    if (ended?.kind === 'pick') on.pick(ended.point);
    if (ended?.kind === 'move' && event.button === 0 && ended.point < 0 && !isMoved) on.pick(-1);
    if (ended?.kind === 'lasso' && lasso.length > 4) {
      const { x, y, hidden } = scene!;
      const inside: number[] = [];
      for (let i = 0; i < x.length; i++) {
        const [px, py] = [view.scaleX * x[i]! + view.shiftX, view.scaleY * y[i]! + view.shiftY];
        if (hidden?.[i] !== 1 && parts.insidePolygon(px, py, lasso)) inside.push(i);
      }
      const ring: (readonly [number, number])[] = [];
      for (let p = 0; p < lasso.length; p += 2) ring.push(placeAt(lasso[p]!, lasso[p + 1]!));
      on.lasso(inside, ring);
    }
    lasso = [];
    later();
  };
  const canceled = (event: PointerEvent) => {
    fingers.delete(event.pointerId);
    gesture = undefined;
    lasso = [];
    later();
  };
  const left = () => on.hover(-1, 0, 0);
  const wheel = (event: WheelEvent) => {
    if (!isActive) return;
    event.preventDefault();
    // The power by its series: within a thousandth for one turn of a wheel.
    const turn = Math.max(-2, Math.min(2, -event.deltaY * 0.0015));
    zoom(wheelFactor(turn), event.offsetX, event.offsetY);
  };
  /** eᵗ. */
  function wheelFactor(t: number): number {
    let [sum, term] = [1, 1];
    for (let k = 1; k < 12; k++) {
      term *= t / k;
      sum += term;
    }
    return sum;
  }
  const space = (event: KeyboardEvent) => {
    if (event.key === 'Escape') blurred();
    isSpace =
      event.type === 'keydown' &&
      event.key === ' ' &&
      document.activeElement?.contains(canvas) === true &&
      document.activeElement !== document.body;
  };
  const noMenu = (event: Event) => event.preventDefault();
  const observer = new ResizeObserver(() => (isMoved ? later() : showAll()));
  observer.observe(canvas);
  canvas.addEventListener('pointerdown', down);
  canvas.addEventListener('pointermove', dragged);
  canvas.addEventListener('pointerup', up);
  canvas.addEventListener('pointercancel', canceled);
  canvas.addEventListener('pointerleave', left);
  canvas.addEventListener('wheel', wheel, { passive: false });
  canvas.addEventListener('contextmenu', noMenu);
  window.addEventListener('keydown', space);
  window.addEventListener('keyup', space);
  window.addEventListener('pointerdown', pressed);
  window.addEventListener('blur', blurred);

  return {
    show(next, colors) {
      const isOther = scene === undefined || scene.x !== next.x || scene.y !== next.y || scene.equal !== next.equal;
      scene = next;
      theme = colors;
      if (isOther && !isMoved) showAll();
      else later();
    },
    use: (next) => {
      tool = next;
    },
    margins(next) {
      margins = next;
      if (isMoved) later();
      else showAll();
    },
    zoom,
    move,
    all: showAll,
    spans() {
      const { width, height } = size();
      const [low, high] = [placeAt(0, height), placeAt(width, 0)];
      return [
        [low[0], high[0]],
        [low[1], high[1]],
      ];
    },
    pixel: (x, y) => [view.scaleX * x + view.shiftX, view.scaleY * y + view.shiftY],
    release() {
      cancelAnimationFrame(frame);
      clearTimeout(rest);
      observer.disconnect();
      window.removeEventListener('keydown', space);
      window.removeEventListener('keyup', space);
      window.removeEventListener('pointerdown', pressed);
      window.removeEventListener('blur', blurred);
      for (const [name, listener] of Object.entries({
        ...{ pointerdown: down, pointermove: dragged, pointerup: up, pointercancel: canceled },
        ...{ pointerleave: left, wheel, contextmenu: noMenu },
      }))
        canvas.removeEventListener(name, listener as EventListener);
    },
  };
}
