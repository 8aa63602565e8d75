import { afterEach, expect, it, vi } from 'vitest';
import { drawMarks, landOf } from '../../../src/app/plot/page/mapDrawing.ts';
import { type MapParts, mapOnCanvas } from '../../../src/app/plot/page/mapOnCanvas.ts';
import type { MapEvents, MapScene, MapTheme } from '../../../src/app/plot/page/mapScene.ts';

/** A path as a canvas gets it: its text. */
class PathText {
  readonly d: string;
  constructor(d = '') {
    this.d = d;
  }
}

type Call = readonly [name: string, color: string, opacity: number, center: readonly [number, number], ...unknown[]];

/** A canvas context that records ellipses and fills, with the color, opacity and origin in force. */
function recorder() {
  const calls: Call[] = [];
  let origin: [number, number] = [0, 0];
  const context = {
    fillStyle: '',
    globalAlpha: 1,
    setTransform: (_a: number, _b: number, _c: number, _d: number, e: number, f: number) => {
      origin = [e, f];
    },
    beginPath: () => {},
    stroke: () => {},
    ellipse: (...shape: unknown[]) => calls.push(['ellipse', context.fillStyle, context.globalAlpha, origin, ...shape]),
    fill: (path?: PathText) => {
      if (path !== undefined) calls.push(['mark', context.fillStyle, context.globalAlpha, origin, path.d]);
    },
  };
  return { calls, context: context as unknown as CanvasRenderingContext2D };
}

const theme = { halo: '#ffffff' } as MapTheme;
const pixels = { scaleX: 10, scaleY: -5, shiftX: 100, shiftY: 80, width: 200, height: 100, ratio: 2 };
const scene: MapScene = {
  ...{ x: [0, 1, 50, 2], y: [0, 2, 0, 4], equal: false, titles: ['', ''] },
  kinds: [
    { color: '#111111', path: 'square' },
    { color: '#222222', path: 'circle' },
  ],
  kindOf: [0, 1, 0, 1],
  hidden: [0, 0, 0, 1],
};

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

it('draws a mark of its kind at each point in view that is not hidden, in pixels of the device', () => {
  vi.stubGlobal('Path2D', PathText);
  const { calls, context } = recorder();
  // The third point lies to the right of the view.
  drawMarks(context, scene, pixels, theme, 1);
  expect(calls).toEqual([
    ['mark', '#111111', 1, [200, 160], 'square'],
    ['mark', '#222222', 1, [220, 140], 'circle'],
  ]);
});

it('draws faint points first, so that others lie above them', () => {
  vi.stubGlobal('Path2D', PathText);
  const { calls, context } = recorder();
  drawMarks(context, { ...scene, faint: [0, 1, 0, 0] }, pixels, theme, 1);
  expect(calls.map(([, color, opacity]) => [color, opacity])).toEqual([
    ['#222222', 0.2],
    ['#111111', 1],
  ]);
});

it('draws ellipses with half axes in pixels, also of points out of view, below the marks', () => {
  vi.stubGlobal('Path2D', PathText);
  const { calls, context } = recorder();
  const reach = { x: [1, 2, 3, 4], y: [2, 4, 6, 8], turn: [0.5, 0, 0, 0] };
  drawMarks(context, { ...scene, reach }, pixels, theme, 1);
  expect(calls.slice(0, 3).map(([name, , , , ...shape]) => [name, ...shape])).toEqual([
    ['ellipse', 100, 80, 10, 10, -0.5, 0, 2 * Math.PI],
    ['ellipse', 110, 70, 20, 20, -0, 0, 2 * Math.PI],
    ['ellipse', 600, 80, 30, 30, -0, 0, 2 * Math.PI],
  ]);
  expect(calls.slice(3).map(([name]) => name)).toEqual(['mark', 'mark']);
});

it('draws many points into the pixels, by the parts of each that a mark of its kind covers, cut off at the edges', () => {
  vi.stubGlobal('Path2D', PathText);
  // A mark of 5 by 5 pixels covers its middle, and two fifths of the pixel to the right.
  const covered = new Uint8ClampedArray(4 * 25);
  covered[4 * 12 + 3] = 255;
  covered[4 * 13 + 3] = 102;
  const stamp = { setTransform: () => {}, fill: () => {}, getImageData: () => ({ data: covered }) };
  vi.stubGlobal('document', { createElement: () => ({ getContext: () => stamp }) });
  const data = new Uint8ClampedArray(4 * 6 * 4).fill(250);
  const context = Object.assign(recorder().context, {
    canvas: { width: 6, height: 4 },
    getImageData: () => ({ data }),
    putImageData: vi.fn(),
  });
  const count = 4001;
  const hidden = new Uint8Array(count).fill(1).fill(0, 0, 3);
  // At the pixels (1, 1) and (5, 2), at the right edge, and (3, 3), faint.
  const [x, y] = [new Float64Array(count), new Float64Array(count)];
  x.set([1, 5, 3]);
  y.set([1, 2, 3]);
  const faint = Uint8Array.from({ length: count }, (_, i) => Number(i === 2));
  const many = { ...scene, ...{ x, y, hidden, faint, radius: 1 }, kindOf: new Uint8Array(count).fill(1, 1, 2) };
  drawMarks(context, many, { scaleX: 1, scaleY: 1, shiftX: 0, shiftY: 0, width: 6, height: 4, ratio: 1 }, theme, 1);
  const reds = Array.from({ length: 4 }, (_, row) => Array.from({ length: 6 }, (__, k) => data[4 * (6 * row + k)]));
  // 0x11 = 17, and 250 − 0.4 · 233 = 156.8; 0x22 = 34; faint marks have 0.12 of it: 222.04 and 238.816.
  expect(reds).toEqual([
    [250, 250, 250, 250, 250, 250],
    [250, 17, 157, 250, 250, 250],
    [250, 250, 250, 250, 250, 34],
    [250, 250, 250, 222, 239, 250],
  ]);
});

it('returns the radius of a point: the radius of the scene, larger where the map is enlarged, at most 7 pixels', () => {
  vi.stubGlobal('Path2D', PathText);
  const radius = (nearness: number, own?: number) =>
    drawMarks(recorder().context, { ...scene, ...(own !== undefined && { radius: own }) }, pixels, theme, nearness);
  expect(radius(1)).toBe(4.2);
  expect(radius(1, 3)).toBe(3);
  expect(radius(4, 3)).toBe(6);
  expect(radius(0.25, 3)).toBe(3);
  expect(radius(100, 3)).toBe(7);
});

it('draws points as pictures where they fit, in frames of equal width on all sides, wider around a ringed point', () => {
  vi.stubGlobal('Path2D', PathText);
  const [fillRect, drawImage] = [vi.fn(), vi.fn()];
  const context = Object.assign(recorder().context, { fillRect, drawImage });
  const pictures = { width: 2, height: 4, across: 2, sheet: () => 'sheet' as unknown as HTMLCanvasElement };
  // The second point lies where the picture of the first is, the third 5 units, or 50 pixels, to the right.
  const places = { x: [0, 0, 5, 2], y: [0, 1, 0, 4], ringed: [0, 0, 1, 0] };
  expect(drawMarks(context, { ...scene, ...places, pictures }, pixels, theme, 1)).toBe(6.5);
  // At (100, 80) and (150, 80), 6.5 by 13 pixels.
  expect(drawImage.mock.calls).toEqual([
    ['sheet', 0, 0, 2, 4, 96.75, 73.5, 6.5, 13],
    ['sheet', 0, 4, 2, 4, 146.75, 73.5, 6.5, 13],
  ]);
  expect(fillRect.mock.calls).toEqual([
    [96.75 - 1.5, 73.5 - 1.5, 6.5 + 3, 13 + 3],
    [146.75 - 3, 73.5 - 3, 6.5 + 6, 13 + 6],
  ]);
});

it('moves the picture of very many points with a gesture, over a background on all of the canvas, and draws them again after it', () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  let placed: number[] = [];
  const drawn: unknown[][] = [];
  const context = {
    setTransform: (...matrix: number[]) => {
      placed = matrix;
    },
    fillRect: (...rect: number[]) => drawn.push([placed, ...rect]),
    drawImage: () => drawn.push([placed, 'picture']),
  };
  const size = { width: 0, height: 0, clientWidth: 300, clientHeight: 200 };
  const element = () => ({ ...size, style: { touchAction: '' }, getContext: () => context });
  const canvas = { ...element(), addEventListener: () => undefined } as unknown as HTMLCanvasElement;
  vi.stubGlobal('document', { createElement: element });
  vi.stubGlobal('window', { devicePixelRatio: 2, addEventListener: () => undefined, setTimeout });
  vi.stubGlobal('requestAnimationFrame', (draw: (began: number) => void) => setTimeout(draw, 1, performance.now()));
  vi.stubGlobal(
    'ResizeObserver',
    class {
      observe = () => undefined;
    },
  );
  const parts = { drawLand: vi.fn(), drawMarks: vi.fn(), drawOver: vi.fn(), drawRulers: vi.fn() };
  const map = mapOnCanvas(canvas, {} as MapEvents, parts as unknown as MapParts);
  const x = Float64Array.from({ length: 20_001 }, (_, i) => i);
  map.show({ ...scene, x, y: x, hidden: undefined, kindOf: new Uint8Array(20_001) }, theme);
  vi.advanceTimersByTime(20);
  expect([parts.drawMarks.mock.calls.length, drawn.splice(0)]).toEqual([1, [[[1, 0, 0, 1, 0, 0], 'picture']]]);
  map.move(10, -5);
  vi.advanceTimersByTime(20);
  expect([parts.drawMarks.mock.calls.length, drawn.splice(0)]).toEqual([
    1,
    [
      [[1, 0, 0, 1, 0, 0], 0, 0, 600, 400],
      [[1, 0, 0, 1, 20, -10], 'picture'],
    ],
  ]);
  vi.advanceTimersByTime(200);
  expect([parts.drawMarks.mock.calls.length, drawn]).toEqual([2, [[[1, 0, 0, 1, 0, 0], 'picture']]]);
});

it('makes land and contours by splines that are exact for a slope', () => {
  const lines: number[][] = [];
  class Lines {
    moveTo = (x: number, y: number) => lines.at(-1)!.push(x, y);
    lineTo = this.moveTo;
    constructor() {
      lines.push([]);
    }
  }
  vi.stubGlobal('Path2D', Lines);
  const images: Uint8ClampedArray[] = [];
  const context = {
    createImageData: (width: number, height: number) => ({ data: new Uint8ClampedArray(4 * width * height) }),
    putImageData: ({ data }: { data: Uint8ClampedArray }) => images.push(data),
  };
  vi.stubGlobal('document', { createElement: () => ({ getContext: () => context }) });
  const [side, fine] = [11, 44];
  const doubt = Float64Array.from({ length: side * side }, (_, k) => (k % side) / 10);
  const grays = { certain: '#000000', mid: '#646464', vague: '#c8c8c8' } as MapTheme;
  landOf({ x: [0, 11], y: [3, 14], side, doubt }, grays);
  const [land, unknown] = images as [Uint8ClampedArray, Uint8ClampedArray];
  for (let row = 0; row < fine; row++) {
    for (let column = 6; column < fine - 6; column++) {
      const slope = ((column + 0.5) / 4 - 0.5) / 10;
      const pixel = 4 * (row * fine + column);
      expect(Math.abs(land[pixel]! - 200 * slope)).toBeLessThan(0.51);
      expect([land[pixel + 1], land[pixel + 2], land[pixel + 3]]).toEqual([land[pixel], land[pixel], 255]);
      const hatched = 255 * Math.min(1, Math.max(0, (slope - 0.86) / 0.08));
      expect(Math.abs(unknown[pixel + 3]! - hatched)).toBeLessThan(0.51);
    }
  }
  // Half of a cell lies before the first of the grid.
  [0.12, 0.28, 0.48, 0.7].forEach((level, k) => {
    expect(lines[k]!.length).toBe(4 * (fine - 1));
    for (let p = 0; p < lines[k]!.length; p += 2) expect(lines[k]![p]).toBeCloseTo(10 * level + 0.5, 9);
    const heights = lines[k]!.filter((_, p) => p % 2 === 1);
    expect(Math.min(...heights)).toBeCloseTo(3 + 0.5 / 4, 9);
    expect(Math.max(...heights)).toBeCloseTo(14 - 0.5 / 4, 9);
  });
});
