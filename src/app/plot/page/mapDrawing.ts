import type { MapPictures, MapScene, MapTerrain, MapTheme } from './mapScene.ts';

/** Conversion from units to pixels: pixels = scale · unit + shift. */
export interface Pixels {
  readonly scaleX: number;
  readonly scaleY: number;
  readonly shiftX: number;
  readonly shiftY: number;
  readonly width: number;
  readonly height: number;
  readonly ratio: number;
}

/** Background image of the terrain with its contours. */
export interface Land {
  readonly image: HTMLCanvasElement;
  /** Mask, 1 in unknown regions. */
  readonly unknown: HTMLCanvasElement;
  /** Contour lines in units. */
  readonly contours: readonly Path2D[];
}

/**
 * Makes an image of a terrain, with a resolution four times its grid by cubic B-splines, and contours at 12, 28, 48, 70 and 90 % of its range. Its source
 * becomes part of a page, so it uses nothing else of this module.
 */
export function landOf({ side, doubt, tint, ramp, x, y }: MapTerrain, theme: MapTheme): Land {
  const fine = 4 * side;
  const rgb = (color: string) => [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));
  const mixed = (stops: readonly (readonly number[])[], part: number) => {
    const at = Math.min(1, Math.max(0, part)) * (stops.length - 1);
    const from = Math.min(stops.length - 2, Math.floor(at));
    return stops[from]!.map((value, c) => value + (at - from) * (stops[from + 1]![c]! - value));
  };
  const weights = (t: number) => {
    const [u, tt, ttt] = [1 - t, t * t, t * t * t];
    return [(u * u * u) / 6, (3 * ttt - 6 * tt + 4) / 6, (-3 * ttt + 3 * tt + 3 * t + 1) / 6, ttt / 6];
  };
  /** Applies one direction of the splines, from rows × side to side·4 × rows (transposed). */
  const spread = (grid: Float64Array, rows: number) => {
    const out = new Float64Array(fine * rows);
    for (let i = 0; i < fine; i++) {
      const at = ((i + 0.5) / fine) * side - 0.5;
      const base = Math.floor(at);
      const w = weights(at - base);
      for (let j = 0; j < rows; j++) {
        let sum = 0;
        for (let k = 0; k < 4; k++) sum += w[k]! * grid[j * side + Math.min(side - 1, Math.max(0, base - 1 + k))]!;
        out[i * rows + j] = sum;
      }
    }
    return out;
  };
  const finer = (grid: Float64Array) => spread(spread(grid, side), fine);
  const [shade, color] = [finer(doubt), tint && finer(tint)];
  const land = [theme.certain, theme.mid, theme.vague].map(rgb);
  const stops = ramp?.map(rgb);
  const picture = (pixel: (at: number) => readonly number[]) => {
    const image = document.createElement('canvas');
    image.width = image.height = fine;
    const context = image.getContext('2d')!;
    const pixels = context.createImageData(fine, fine);
    // Rows of the grid go up, rows of an image down.
    for (let i = 0; i < fine; i++)
      for (let j = 0; j < fine; j++) pixels.data.set(pixel(i * fine + j), 4 * ((fine - 1 - i) * fine + j));
    context.putImageData(pixels, 0, 0);
    return image;
  };
  const image = picture((at) => {
    const ground = mixed(land, shade[at]!);
    if (color === undefined || stops === undefined) return [...ground, 255];
    const there = 1 - 0.92 * shade[at]! * shade[at]!;
    return [...mixed(stops, color[at]!).map((value, c) => ground[c]! + there * (value - ground[c]!)), 255];
  });
  const unknown = picture((at) => [0, 0, 0, 255 * Math.min(1, Math.max(0, (shade[at]! - 0.86) / 0.08))]);
  const [left, low] = [x[0], y[0]];
  const [stepX, stepY] = [(x[1] - x[0]) / fine, (y[1] - y[0]) / fine];
  const contours = [0.12, 0.28, 0.48, 0.7, 0.9].map((level) => {
    const path = new Path2D();
    const at = (i: number, j: number) => shade[i * fine + j]!;
    for (let i = 0; i < fine - 1; i++) {
      for (let j = 0; j < fine - 1; j++) {
        const [a, b, c, d] = [at(i, j), at(i, j + 1), at(i + 1, j + 1), at(i + 1, j)];
        const cuts: number[] = [];
        const cut = (from: number, to: number, u: number, v: number, du: number, dv: number) => {
          if (from > level === to > level) return;
          const t = (level - from) / (to - from);
          cuts.push(left + (j + 0.5 + u + t * du) * stepX, low + (i + 0.5 + v + t * dv) * stepY);
        };
        cut(a, b, 0, 0, 1, 0);
        cut(b, c, 1, 0, 0, 1);
        cut(d, c, 0, 1, 1, 0);
        cut(a, d, 0, 0, 0, 1);
        for (let k = 0; k + 3 < cuts.length; k += 4) {
          path.moveTo(cuts[k]!, cuts[k + 1]!);
          path.lineTo(cuts[k + 2]!, cuts[k + 3]!);
        }
      }
    }
    return path;
  });
  return { image, unknown, contours };
}

/** Draws the background, its contours, and hatching in unknown regions. Its source becomes part of a page, so it uses nothing else of this module. */
export function drawLand(
  context: CanvasRenderingContext2D,
  land: Land | undefined,
  terrain: MapTerrain | undefined,
  pixels: Pixels,
  theme: MapTheme,
): void {
  const { scaleX, scaleY, shiftX, shiftY, width, height, ratio } = pixels;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.fillStyle = terrain === undefined ? theme.certain : theme.vague;
  context.fillRect(0, 0, width, height);
  if (land === undefined || terrain === undefined) return;
  const [left, top] = [scaleX * terrain.x[0] + shiftX, scaleY * terrain.y[1] + shiftY];
  const [wide, high] = [scaleX * (terrain.x[1] - terrain.x[0]), scaleY * (terrain.y[0] - terrain.y[1])];
  context.imageSmoothingEnabled = true;
  context.imageSmoothingQuality = 'high';
  context.drawImage(land.image, left, top, wide, high);
  const mask = document.createElement('canvas');
  mask.width = Math.max(1, Math.round(width));
  mask.height = Math.max(1, Math.round(height));
  const over = mask.getContext('2d')!;
  over.fillRect(0, 0, width, height);
  over.clearRect(left, top, wide, high);
  over.drawImage(land.unknown, left, top, wide, high);
  over.globalCompositeOperation = 'source-in';
  over.clearRect(0, 0, 0, 0);
  const tile = document.createElement('canvas');
  tile.width = tile.height = 9;
  const lines = tile.getContext('2d')!;
  lines.strokeStyle = theme.hatch;
  lines.lineWidth = 1;
  lines.beginPath();
  for (const at of [-9, 0, 9]) {
    lines.moveTo(at - 1, 10);
    lines.lineTo(at + 10, -1);
  }
  lines.stroke();
  const pattern = over.createPattern(tile, 'repeat')!;
  pattern.setTransform(new DOMMatrix([1, 0, 0, 1, shiftX % 9, shiftY % 9]));
  over.fillStyle = pattern;
  over.fillRect(0, 0, width, height);
  context.drawImage(mask, 0, 0, width, height);
  context.strokeStyle = theme.contour;
  for (const path of land.contours) {
    const placed = new Path2D();
    placed.addPath(path, new DOMMatrix([scaleX, 0, 0, scaleY, shiftX, shiftY]));
    context.lineWidth = 0.8;
    context.stroke(placed);
  }
}

/**
 * Draws all points: as shapes with a halo or, if there are many, by masks into the pixels. Its source becomes part of a page, so it uses nothing else
 * of this module.
 *
 * @returns the radius of a point, or of a picture, in pixels
 */
export function drawMarks(
  context: CanvasRenderingContext2D,
  scene: MapScene,
  pixels: Pixels,
  theme: MapTheme,
  nearness: number,
): number {
  const MANY = 4000;
  const { x, y, kinds, kindOf, hidden, faint, ringed, reach, cloud } = scene;
  const { scaleX, scaleY, shiftX, shiftY, width, height, ratio } = pixels;
  const count = x.length;
  const base =
    scene.radius ??
    (count > MANY ? Math.max(0.7, 130 / Math.sqrt(count)) : Math.max(2.2, Math.min(4.2, 130 / Math.sqrt(count))));
  const radius = Math.min(7, base * Math.sqrt(Math.max(1, nearness)));
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  const isShown = (i: number, px: number, py: number) =>
    hidden?.[i] !== 1 && px > -9 && py > -9 && px < width + 9 && py < height + 9;
  if (reach !== undefined) {
    context.globalAlpha = 0.14;
    for (let i = 0; i < count; i++) {
      const at = reach.at ?? scene;
      const [px, py] = [scaleX * at.x[i]! + shiftX, scaleY * at.y[i]! + shiftY];
      if (hidden?.[i] === 1) continue;
      context.beginPath();
      const [wide, high] = [Math.abs(scaleX) * reach.x[i]!, Math.abs(scaleY) * reach.y[i]!];
      context.ellipse(px, py, wide, high, -(reach.turn?.[i] ?? 0), 0, 2 * Math.PI);
      context.fillStyle = kinds[kindOf[i]!]!.color;
      context.fill();
    }
    context.globalAlpha = 1;
  }
  if (cloud !== undefined) {
    context.globalAlpha = 0.6;
    for (let k = 0; k < cloud.x.length; k++) {
      const i = k % count;
      if (hidden?.[i] === 1) continue;
      context.fillStyle = kinds[kindOf[i]!]!.color;
      context.fillRect(scaleX * cloud.x[k]! + shiftX - 1.2, scaleY * cloud.y[k]! + shiftY - 1.2, 2.4, 2.4);
    }
    context.globalAlpha = 1;
  }
  if (count > MANY) inPixels();
  else inShapes();
  return scene.pictures === undefined ? radius : inPictures(scene.pictures);

  function inShapes(): void {
    const paths = kinds.map(({ path }) => new Path2D(path));
    const ring = new Path2D('M1,0A1,1 0 1 1 -1,0A1,1 0 1 1 1,0Z');
    for (const isLast of [false, true]) {
      for (let i = 0; i < count; i++) {
        const [px, py] = [scaleX * x[i]! + shiftX, scaleY * y[i]! + shiftY];
        const isFaint = faint?.[i] === 1;
        if (isFaint === isLast || !isShown(i, px, py)) continue;
        const kind = kindOf[i]!;
        context.globalAlpha = isFaint ? 0.2 : 1;
        context.setTransform(ratio * radius, 0, 0, ratio * radius, ratio * px, ratio * py);
        if (ringed?.[i] === 1) {
          const wider = 1 + 2 / radius;
          context.setTransform(ratio * radius * wider, 0, 0, ratio * radius * wider, ratio * px, ratio * py);
          context.fillStyle = theme.halo;
          context.fill(ring);
          context.lineWidth = 2.2 / radius;
          context.strokeStyle = kinds[kind]!.color;
          context.stroke(ring);
          continue;
        }
        context.fillStyle = kinds[kind]!.color;
        context.strokeStyle = theme.halo;
        context.lineWidth = 1.8 / radius;
        if (!isFaint) context.stroke(paths[kind]!);
        context.fill(paths[kind]!);
      }
    }
    context.globalAlpha = 1;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
  }

  /** Draws as many points as fit as pictures, framed in the colors of their kinds. */
  function inPictures({ width: across, height: down, ...pictures }: MapPictures): number {
    const longer = Math.min(40, 13 * Math.sqrt(nearness));
    const [wide, high] = [across, down].map((side) => (longer * side) / Math.max(across, down)) as [number, number];
    // Cells as large as a picture: only neighboring cells can contain an overlapping one.
    const columns = Math.ceil((width + 18) / (wide + 4)) + 2;
    const taken = new Int32Array(columns * (Math.ceil((height + 18) / (high + 4)) + 2)).fill(-1);
    const places: (readonly [px: number, py: number])[] = [];
    const sheet = pictures.sheet();
    context.imageSmoothingEnabled = false;
    for (let i = 0; i < count; i++) {
      const [px, py] = [scaleX * x[i]! + shiftX, scaleY * y[i]! + shiftY];
      if (faint?.[i] === 1 || !isShown(i, px, py)) continue;
      const cell = (1 + Math.floor((py + 9) / (high + 4))) * columns + 1 + Math.floor((px + 9) / (wide + 4));
      let isFree = true;
      for (let k = 0; k < 9 && isFree; k++) {
        const other = places[taken[cell + (Math.floor(k / 3) - 1) * columns + (k % 3) - 1]!];
        isFree = other === undefined || Math.abs(other[0] - px) >= wide + 4 || Math.abs(other[1] - py) >= high + 4;
      }
      if (!isFree) continue;
      taken[cell] = places.push([px, py]) - 1;
      const [left, top] = [px - wide / 2, py - high / 2];
      context.fillStyle = kinds[kindOf[i]!]!.color;
      const frame = ringed?.[i] === 1 ? 3 : 1.5;
      context.fillRect(left - frame, top - frame, wide + 2 * frame, high + 2 * frame);
      const [from, line] = [i % pictures.across, Math.floor(i / pictures.across)];
      context.drawImage(sheet, from * across, line * down, across, down, left, top, wide, high);
    }
    return longer / 2;
  }

  /** Draws pixel by pixel, since a single path through many points is slow on a canvas. */
  function inPixels(): void {
    const { width: wide, height: high } = context.canvas;
    const image = context.getImageData(0, 0, wide, high);
    const r = radius * ratio;
    const size = 2 * Math.ceil(r + 1) + 1;
    const middle = (size - 1) / 2;
    const colors = kinds.map(({ color }) => [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16)));
    const masks = kinds.map(({ path }) => {
      const stamp = document.createElement('canvas');
      stamp.width = stamp.height = size;
      const ink = stamp.getContext('2d')!;
      ink.setTransform(r, 0, 0, r, middle + 0.5, middle + 0.5);
      ink.fill(new Path2D(path));
      const { data } = ink.getImageData(0, 0, size, size);
      const parts = Float32Array.from({ length: size * size }, (_, k) => data[4 * k + 3]! / 255);
      const inked = [...parts.keys()].filter((k) => parts[k] !== 0);
      return {
        rows: Int32Array.from(inked, (k) => Math.floor(k / size)),
        columns: Int32Array.from(inked, (k) => k % size),
        parts: Float32Array.from(inked, (k) => parts[k]!),
      };
    });
    const { data } = image;
    for (let i = 0; i < count; i++) {
      const px = scaleX * x[i]! + shiftX;
      const py = scaleY * y[i]! + shiftY;
      if (!isShown(i, px, py)) continue;
      const strength = faint?.[i] === 1 ? 0.12 : 1;
      const color = colors[kindOf[i]!]!;
      const red = color[0]!;
      const green = color[1]!;
      const blue = color[2]!;
      const { rows, columns, parts } = masks[kindOf[i]!]!;
      const left = Math.round(px * ratio) - middle;
      const top = Math.round(py * ratio) - middle;
      for (let k = 0; k < parts.length; k++) {
        const row = top + rows[k]!;
        const column = left + columns[k]!;
        if (row < 0 || row >= high || column < 0 || column >= wide) continue;
        const part = strength * parts[k]!;
        const at = 4 * (row * wide + column);
        data[at]! += part * (red - data[at]!);
        data[at + 1]! += part * (green - data[at + 1]!);
        data[at + 2]! += part * (blue - data[at + 2]!);
      }
    }
    context.putImageData(image, 0, 0);
  }
}

/** Draws the text and everything that follows the pointer. Its source becomes part of a page, so it uses nothing else of this module. */
export function drawOver(
  context: CanvasRenderingContext2D,
  scene: MapScene,
  pixels: Pixels,
  theme: MapTheme,
  lasso: readonly number[],
  radius: number,
): void {
  const {
    x,
    y,
    kinds,
    kindOf,
    hovered = -1,
    chosen = -1,
    joined = [],
    added = [],
    cursor,
    path = [],
    ring,
    names = [],
  } = scene;
  const { scaleX, scaleY, shiftX, shiftY, ratio } = pixels;
  const at = (u: number, v: number) => [scaleX * u + shiftX, scaleY * v + shiftY] as const;
  const twice = (line: () => void, width: number) => {
    for (const [wide, color] of [
      [width + 2.5, theme.halo],
      [width, theme.ink],
    ] as const) {
      context.lineWidth = wide;
      context.strokeStyle = color;
      context.beginPath();
      line();
      context.stroke();
    }
  };
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.lineCap = 'round';
  context.lineJoin = 'round';
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  // Digits and letters are large, as long as all names are.
  const size = names.every(({ text }) => text.length < 3) ? 24 : 17;
  for (const { text, x: u, y: v } of names) {
    context.font = `italic 600 ${size}px ${theme.serif}`;
    context.lineWidth = 5;
    context.strokeStyle = theme.halo;
    context.strokeText(text, ...at(u, v));
    context.fillStyle = theme.ink;
    context.fillText(text, ...at(u, v));
  }
  const joint = hovered >= 0 ? hovered : chosen;
  if (joint >= 0 && joint < x.length) {
    const from = at(x[joint]!, y[joint]!);
    for (const j of joined) {
      twice(() => {
        context.moveTo(...from);
        context.lineTo(...at(x[j]!, y[j]!));
      }, 1.2);
    }
    for (const j of joined) {
      const [px, py] = at(x[j]!, y[j]!);
      twice(() => context.arc(px, py, radius + 0.5, 0, 2 * Math.PI), 1.5);
      if (scene.pictures !== undefined) continue;
      context.fillStyle = kinds[kindOf[j]!]!.color;
      context.fill();
    }
  }
  if (path.length > 1) {
    twice(() => {
      for (const place of path) context.lineTo(...at(...place));
    }, 1.6);
  }
  for (const { x: u, y: v, isDoubtful } of added) {
    const [px, py] = at(u, v);
    context.setLineDash(isDoubtful ? [3, 2.5] : []);
    twice(() => context.rect(px - 5, py - 5, 10, 10), 1.8);
    context.setLineDash([]);
  }
  for (const i of new Set([chosen, hovered])) {
    if (i < 0 || i >= x.length) continue;
    const [px, py] = at(x[i]!, y[i]!);
    twice(() => context.arc(px, py, radius + 4, 0, 2 * Math.PI), 2);
  }
  if (cursor !== undefined) {
    const [px, py] = at(...cursor);
    twice(() => {
      context.arc(px, py, 9, 0, 2 * Math.PI);
      for (const [dx, dy] of [
        [1, 0],
        [-1, 0],
        [0, 1],
        [0, -1],
      ] as const) {
        context.moveTo(px + 13 * dx, py + 13 * dy);
        context.lineTo(px + 20 * dx, py + 20 * dy);
      }
    }, 2);
  }
  context.beginPath();
  if (lasso.length >= 4) {
    for (let p = 0; p < lasso.length; p += 2) context.lineTo(lasso[p]!, lasso[p + 1]!);
    context.closePath();
    context.globalAlpha = 0.12;
    context.fillStyle = theme.accent;
    context.fill();
    context.globalAlpha = 1;
  } else if (ring !== undefined) {
    for (const place of ring) context.lineTo(...at(...place));
    context.closePath();
  } else return;
  context.setLineDash([5, 4]);
  context.lineWidth = 1.5;
  context.strokeStyle = theme.accent;
  context.stroke();
  context.setLineDash([]);
}

/**
 * Draws ticks with numbers, at 1, 2 or 5 times a power of ten, along the left or right and the bottom of a canvas or, without margins, at its left
 * edge. Its source becomes part of a page, so it uses nothing else of this module.
 */
export function drawRulers(
  context: CanvasRenderingContext2D,
  { scaleX, scaleY, shiftX, shiftY, width, height, ratio }: Pixels,
  margins: { readonly left: number; readonly right: number; readonly bottom: number },
  titles: readonly [string, string],
  theme: MapTheme,
): void {
  const { left, right, bottom } = margins;
  const hasFrame = left + right + bottom > 0;
  if (!hasFrame && titles[1] === '') return;
  const [floor, end] = [height - bottom, width - right];
  const ticksOf = (scale: number, shift: number, from: number, to: number, gap: number) => {
    const ends = [(from - shift) / scale, (to - shift) / scale];
    const [low, high] = [Math.min(...ends), Math.max(...ends)];
    const rough = ((high - low) * gap) / Math.abs(to - from);
    const unit = Number(`1e${rough.toExponential().split('e')[1]}`);
    const step = [1, 2, 5, 10].map((times) => times * unit).find((each) => each >= rough)!;
    const count = Math.floor(high / step) - Math.ceil(low / step) + 1;
    return Array.from({ length: Math.max(0, count) }, (_, k) => {
      const value = Number(((Math.ceil(low / step) + k) * step).toPrecision(12));
      return { at: scale * value + shift, text: String(value).replace('-', '−') };
    });
  };
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  if (!hasFrame) {
    // Without space for a frame, the left edge has the ticks.
    context.textAlign = 'left';
    context.textBaseline = 'middle';
    context.lineJoin = 'round';
    context.font = `11px ${theme.font}`;
    for (const { at, text } of ticksOf(scaleY, shiftY, height, 0, 90)) {
      if (at < 60) continue;
      context.fillStyle = theme.faintInk;
      context.fillRect(0, at - 0.5, 5, 1);
      context.strokeStyle = theme.halo;
      context.lineWidth = 3;
      context.strokeText(text, 9, at);
      context.fillText(text, 9, at);
    }
    return;
  }
  context.fillStyle = theme.panel;
  context.fillRect(0, 0, left, height);
  context.fillRect(end, 0, right, height);
  context.fillRect(0, floor, width, bottom);
  context.strokeStyle = theme.line;
  context.fillStyle = theme.faintInk;
  context.lineWidth = 1;
  context.font = `11px ${theme.font}`;
  context.beginPath();
  const edge = left > 0 ? left : end;
  context.moveTo(edge, 0);
  context.lineTo(edge, floor);
  context.moveTo(left, floor);
  context.lineTo(end, floor);
  context.textAlign = 'center';
  context.textBaseline = 'top';
  const across = context.measureText(titles[0]).width + 16;
  for (const { at, text } of ticksOf(scaleX, shiftX, left, end, 80)) {
    if (at < left || at > end) continue;
    context.moveTo(at, floor);
    context.lineTo(at, floor + 5);
    if (at < end - across - 20 && at > left + 10) context.fillText(text, at, floor + 7);
  }
  context.textAlign = left > 0 ? 'right' : 'left';
  context.textBaseline = 'middle';
  const along = context.measureText(titles[1]).width;
  for (const { at, text } of ticksOf(scaleY, shiftY, floor, 0, 60)) {
    if (at < 0 || at > floor) continue;
    context.moveTo(edge, at);
    context.lineTo(edge + (left > 0 ? -5 : 5), at);
    if (at > along + 20) context.fillText(text, edge + (left > 0 ? -7 : 8), at);
  }
  context.stroke();
  context.fillStyle = theme.ink;
  context.font = `600 11px ${theme.font}`;
  context.textAlign = 'right';
  context.textBaseline = 'top';
  context.fillText(titles[0], end - 6, floor + 7);
  context.rotate(-Math.PI / 2);
  context.fillText(titles[1], -8, edge + (left > 0 ? -20 : 9));
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
}
