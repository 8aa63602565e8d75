import { contours } from 'd3-contour';
import type { Part, Path } from './picture.ts';
import type { Bands, Bars, Cells, Ellipses, Images, Line, Mark, Points, Scene } from './scene.ts';
import { ellipsePath, hundredth, shapePath } from './shapes.ts';

/** Conversion from the units of both axes to pixels of the area. */
interface Scales {
  readonly x: (value: number) => number;
  readonly y: (value: number) => number;
  /** Size of a unit in pixels. */
  readonly unitX: number;
  readonly unitY: number;
}

/** Border of points and bars. */
const PAPER = { stroke: '#ffffff', strokeWidth: 0.5 } as const;

export function scalesOf({ width, height, x, y }: Scene): Scales {
  const unitX = width / (x.domain[1] - x.domain[0]);
  const unitY = height / (y.domain[1] - y.domain[0]);
  return {
    x: (value) => (value - x.domain[0]) * unitX,
    y: (value) => height - (value - y.domain[0]) * unitY,
    unitX: Math.abs(unitX),
    unitY: Math.abs(unitY),
  };
}

/** Parts of a mark in pixels of the area. */
export function partsOf(mark: Mark, scene: Scene): Part[] {
  const scales = scalesOf(scene);
  switch (mark.mark) {
    case 'points':
      return points(mark, scales);
    case 'ellipses':
      return ellipses(mark, scales);
    case 'lines':
      return mark.lines.map((line) => linePath(line, scales));
    case 'bars':
      return bars(mark, scales);
    case 'cells':
      return [cells(mark, scene)];
    case 'bands':
      return bands(mark, scene);
    case 'images':
      return images(mark, scales);
    case 'note':
      return [
        {
          ...{ part: 'text', text: mark.text, x: scene.width / 2, y: scene.height + 20 },
          ...{ size: 13, color: '#222222', anchor: 'middle' },
        },
      ];
  }
}

function points(mark: Points, scales: Scales): Path[] {
  const { x, y, looks, lookOf, radius, opacity } = mark;
  if (mark.areDots) return dots(mark, scales);
  const drawn = looks.map(({ color, shape }) => ({ d: shapePath(shape, radius), fill: color }));
  const faded = opacity === undefined ? PAPER : { fillOpacity: opacity };
  return x.map((value, i) => ({
    ...{ part: 'path', x: scales.x(value), y: scales.y(y[i]!) },
    ...drawn[lookOf[i]!]!,
    ...faded,
  }));
}

function dots({ x, y, looks, lookOf, radius, opacity }: Points, scales: Scales): Path[] {
  const ds = looks.map(() => [] as string[]);
  lookOf.forEach((look, i) => {
    ds[look]!.push(`M${hundredth(scales.x(x[i]!))},${hundredth(scales.y(y[i]!))}h0`);
  });
  return looks.map(({ color }, k) => ({
    ...{ part: 'path', d: ds[k]!.join(''), stroke: color, strokeWidth: 2 * radius, isRound: true },
    ...(opacity !== undefined && { strokeOpacity: opacity }),
  }));
}

function ellipses({ x, y, xx, yy, xy, looks, lookOf }: Ellipses, scales: Scales): Path[] {
  return x.map((value, i) => {
    const { color } = looks[lookOf[i]!]!;
    return {
      ...{ part: 'path', x: scales.x(value), y: scales.y(y[i]!) },
      d: ellipsePath(xx[i]!, xy?.[i] ?? 0, yy[i]!, scales.unitX, scales.unitY),
      ...{ fill: color, fillOpacity: 0.14, stroke: color, strokeOpacity: 0.35, strokeWidth: 0.75 },
    };
  });
}

function linePath({ x, y, inPairs, color, width, opacity, dashes }: Line, scales: Scales): Path {
  const at = (i: number) => `${hundredth(scales.x(x[i]!))},${hundredth(scales.y(y[i]!))}`;
  const d = x.map((_, i) => (i === 0 || (inPairs && i % 2 === 0) ? 'M' : 'L') + at(i)).join('');
  return {
    ...{ part: 'path', d, stroke: color, strokeWidth: width },
    ...(opacity !== undefined && { strokeOpacity: opacity }),
    ...(dashes && { dashes }),
  };
}

function bars({ x, x2, y, y2, color }: Bars, scales: Scales): Path[] {
  return x.map((value, i) => {
    const [left, top] = [scales.x(value), scales.y(y2[i]!)];
    const [width, height] = [scales.x(x2[i]!) - left, scales.y(y[i]!) - top].map(hundredth);
    const fill = typeof color === 'string' ? color : color[i]!;
    return {
      ...{ part: 'path', d: `M${hundredth(left)},${hundredth(top)}h${width}v${height}h${-width!}Z`, fill },
      ...PAPER,
    };
  });
}

/** Least side of a square in pixels. */
const LEAST = 1.5;

function cells({ rows, columns, at, color }: Cells, { width, height }: Scene): Path {
  const [across, down] = [width / columns, height / rows];
  const [w, h] = [Math.max(LEAST, across), Math.max(LEAST, down)].map(hundredth);
  const d = at.map(([row, column]) => `M${hundredth(column * across)},${hundredth(row * down)}h${w}v${h}h${-w!}Z`);
  return { part: 'path', d: d.join(''), fill: color };
}

function bands({ values, columns, thresholds, colors }: Bands, { width, height }: Scene): Path[] {
  const rows = values.length / columns;
  const [stepX, stepY] = [width / (columns - 1), height / (rows - 1)];
  // The first value is at ½ in the coordinates of the contours, and at the corner of the picture.
  const corner = ([x, y]: readonly number[]) =>
    `${hundredth((x! - 0.5) * stepX)},${hundredth(height - (y! - 0.5) * stepY)}`;
  const regions = contours().size([columns, rows]).thresholds(thresholds.slice())(values.slice());
  return regions.map(({ coordinates }, k) => ({
    part: 'path',
    d: coordinates.flatMap((rings) => rings.map((ring) => `M${ring.slice(0, -1).map(corner).join('L')}Z`)).join(''),
    fill: colors[k]!,
  }));
}

function images({ x, y, width, height, urls, frames }: Images, scales: Scales): Part[] {
  const corners = urls.map((_, i) => ({ left: scales.x(x[i]!) - width / 2, top: scales.y(y[i]!) - height / 2 }));
  const drawn: Part[] = urls.map((url, i) => ({
    ...{ part: 'image', x: corners[i]!.left, y: corners[i]!.top },
    ...{ width, height, url },
  }));
  if (frames === undefined) return drawn;
  const outlines: Part[] = corners.map(({ left, top }, i) => ({
    ...{ part: 'path', x: left, y: top, d: `M0,0h${hundredth(width)}v${hundredth(height)}h${-hundredth(width)}Z` },
    ...{ stroke: frames[i]!, strokeWidth: 1.5 },
  }));
  return [...drawn, { part: 'group', name: 'frames', x: 0, y: 0, parts: outlines }];
}
