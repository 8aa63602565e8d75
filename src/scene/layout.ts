import { partsOf, scalesOf } from './marks.ts';
import { type Group, type Part, type Picture, textWidth } from './picture.ts';
import { type Tick, ticksOf } from './scales.ts';
import type { Axis, LabelLegend, Legend, NumberLegend, Scene } from './scene.ts';
import { hundredth, shapePath } from './shapes.ts';

/** Padding around everything, in pixels. */
const PADDING = 8;
/** Length of a tick, and the gap to its text. */
const TICK = 4;
const GAP = 3;
/** Gap between the texts of ticks and the title of an axis. */
const TITLE_GAP = 8;
const [LABEL, TITLE, HEADING] = [11, 13, 14];
const INK = '#222222';
const AXIS = '#444444';
const FRAME = '#bbbbbb';
const GRID = '#e5e5e5';

/** Converts a scene to a picture: its marks in pixels, axes around them, legends on the right and a title above. */
export function pictureOf(scene: Scene): Picture {
  const { width, height, description, title, x, y, marks, legends } = scene;
  const scales = scalesOf(scene);
  const [across, up] = [ticksAlong(x), ticksAlong(y)];
  const legend = legendParts(legends);
  const margins = marginsOf(scene, across, up, legend.width);
  const areaOf = (parts: readonly Part[]): Part => ({ part: 'group', x: margins.left, y: margins.top, parts });
  const grid: Part[] = [
    ...(x.grid ? across.map(({ value }) => line(`M${hundredth(scales.x(value))},0v${height}`, GRID)) : []),
    ...(y.grid ? up.map(({ value }) => line(`M0,${hundredth(scales.y(value))}h${width}`, GRID)) : []),
  ];
  const drawn = marks.map(
    (mark): Group => ({
      ...{ part: 'group', name: mark.name, x: 0, y: 0, parts: partsOf(mark, scene) },
      ...((mark.mark === 'bands' || mark.mark === 'ellipses') && { clip: [width, height] as const }),
    }),
  );
  const parts: Part[] = [
    areaOf([
      ...grid,
      ...drawn,
      ...(x.ticks === undefined && y.ticks === undefined
        ? [line(`M0,0h${width}v${height}h${-width}Z`, FRAME)]
        : [...axisBelow(scene, across, scales.x), ...axisBeside(scene, up, scales.y)]),
    ]),
    { part: 'group', name: 'legends', x: margins.left + width + LEGEND_GAP, y: margins.top, parts: legend.parts },
    ...heading(title, margins.left + width / 2),
  ];
  return {
    width: Math.ceil(margins.left + width + margins.right),
    height: Math.ceil(Math.max(margins.top + height + margins.bottom, margins.top + legend.height + PADDING)),
    description,
    parts: parts.filter((part) => part.part !== 'group' || part.parts.length > 0),
  };
}

const ticksAlong = ({ domain, ticks = [] }: Axis): readonly Tick[] =>
  typeof ticks === 'number' ? ticksOf(...domain, ticks) : ticks;

function heading(title: string | undefined, x: number): Part[] {
  if (title === undefined) return [];
  const place = { x, y: PADDING + HEADING, size: HEADING } as const;
  return [{ part: 'text', text: title, ...place, color: INK, anchor: 'middle', isBold: true }];
}

/** Gap between the area and the legends. */
const LEGEND_GAP = 22;

function marginsOf(
  { width, title, x, y, marks }: Scene,
  across: readonly Tick[],
  up: readonly Tick[],
  legendWidth: number,
) {
  const axisTitle = (text: string | undefined) => (text === undefined ? 0 : TITLE_GAP + TITLE);
  const [last] = across.slice(-1);
  // Half of a number may extend beyond the right edge.
  const overhang = last === undefined ? 0 : textWidth(last.text, LABEL) / 2;
  const side = title === undefined ? 0 : (textWidth(title, 1.1 * HEADING) - width) / 2;
  const besides = y.ticks === undefined ? 0 : TICK + GAP + widest(up) + axisTitle(y.title) + 2;
  const hasNote = marks.some(({ mark }) => mark === 'note');
  return {
    left: Math.ceil(PADDING + Math.max(besides, side, 0)),
    right: Math.ceil(PADDING + Math.max(legendWidth > 0 ? LEGEND_GAP + legendWidth : overhang, side, 0)),
    top: title === undefined ? PADDING : PADDING + HEADING + 12,
    bottom:
      x.ticks === undefined ? PADDING + (hasNote ? 20 : 0) : PADDING + TICK + GAP + LABEL + axisTitle(x.title) + 2,
  };
}

const widest = (ticks: readonly Tick[]): number => Math.max(0, ...ticks.map(({ text }) => textWidth(text, LABEL)));

const line = (d: string, stroke: string): Part => ({ part: 'path', d, stroke, strokeWidth: 1 });

const label = (text: string, x: number, y: number, anchor: 'middle' | 'end'): Part => ({
  ...{ part: 'text', text, x, y, anchor, size: LABEL, color: INK },
});

function axisBelow({ width, height, x }: Scene, ticks: readonly Tick[], at: (value: number) => number): Part[] {
  if (x.ticks === undefined) return [];
  const marks = ticks.map(({ value }) => `M${hundredth(at(value))},${height}v${TICK}`).join('');
  const baseline = height + TICK + GAP + 0.8 * LABEL;
  return [
    line(`M0,${height}h${width}${marks}`, AXIS),
    ...spaced(ticks, at).map(({ value, text }) => label(text, at(value), baseline, 'middle')),
    ...(x.title === undefined
      ? []
      : [{ ...label(x.title, width / 2, baseline + TITLE_GAP + TITLE, 'middle'), size: TITLE } as Part]),
  ];
}

/** Ticks whose texts do not overlap: every one, every second one, … */
function spaced(ticks: readonly Tick[], at: (value: number) => number): readonly Tick[] {
  if (ticks.length < 2) return ticks;
  const gap = Math.abs(at(ticks[1]!.value) - at(ticks[0]!.value));
  const step = Math.ceil((widest(ticks) + 4) / gap);
  return ticks.filter((_, k) => k % step === 0);
}

function axisBeside({ height, y }: Scene, ticks: readonly Tick[], at: (value: number) => number): Part[] {
  if (y.ticks === undefined) return [];
  const marks = ticks.map(({ value }) => `M0,${hundredth(at(value))}h${-TICK}`).join('');
  return [
    line(`M0,0v${height}${marks}`, AXIS),
    ...ticks.map(({ value, text }) => label(text, -TICK - GAP, at(value) + 0.35 * LABEL, 'end')),
    ...(y.title === undefined
      ? []
      : [
          {
            ...label(y.title, -(TICK + GAP + widest(ticks) + TITLE_GAP), height / 2, 'middle'),
            ...{ size: TITLE, isUpwards: true },
          } as Part,
        ]),
  ];
}

const SIZE = 12;
/** Height of a title and of an entry, and the gap between two legends. */
const LEGEND_TITLE = 20;
const ENTRY = 16;
const BETWEEN = 16;
/** Maximum number of labels in one column. */
const MOST_ROWS = 18;
/** Radius of a circle; other shapes have the same area. */
const RADIUS = 4.4;
/** Pixels from the left edge of an entry to its name. */
const INDENT = 18;
/** Size of the gradient of numbers. */
const [ACROSS, DOWN] = [16, 120];

interface Block {
  readonly parts: readonly Part[];
  readonly width: number;
  readonly height: number;
}

/** All legends below each other. */
export function legendParts(legends: readonly Legend[]): Block {
  const blocks = legends.map((legend) => ('entries' in legend ? labelBlock(legend) : numberBlock(legend)));
  let top = 0;
  const parts = blocks.map(({ parts, height }): Part => {
    const y = top;
    top += height + BETWEEN;
    return { part: 'group', name: 'legend', x: 0, y, parts };
  });
  return { parts, width: Math.max(0, ...blocks.map(({ width }) => width)), height: top };
}

const text = (content: string, x: number, y: number): Part => ({
  ...{ part: 'text', text: content, x, y, size: SIZE, color: INK, anchor: 'start' },
});

const titleOf = ({ title }: Legend): Part[] => (title === '' ? [] : [text(title, 0, 10)]);

function labelBlock(legend: LabelLegend): Block {
  const { entries, title } = legend;
  const columns = Math.ceil(entries.length / MOST_ROWS);
  const rows = Math.ceil(entries.length / columns);
  const widths = Array.from({ length: columns }, (_, c) =>
    Math.max(...entries.slice(c * rows, (c + 1) * rows).map(({ name }) => textWidth(name, SIZE))),
  );
  const lefts = widths.map((_, c) => widths.slice(0, c).reduce((sum, width) => sum + width + INDENT + 12, 0));
  const from = title === '' ? 0 : LEGEND_TITLE;
  const parts = entries.map(({ name, look }, k): Part => {
    const [x, y] = [lefts[Math.floor(k / rows)]!, from + (k % rows) * ENTRY];
    const symbol: Part =
      'line' in look
        ? { part: 'path', d: 'M0,0h12', x: 0, y: 6, stroke: look.color, strokeWidth: 1.6 }
        : { part: 'path', d: shapePath(look.shape, RADIUS), x: 6, y: 6, fill: look.color };
    return {
      ...{ part: 'group', name: 'legend-entry', x, y },
      parts: [{ part: 'group', name: 'legend-symbol', x: 0, y: 0, parts: [symbol] }, text(name, INDENT, 10)],
    };
  });
  const width = lefts.at(-1)! + INDENT + widths.at(-1)!;
  return {
    parts: [...titleOf(legend), ...parts],
    width: Math.max(width, textWidth(title, SIZE)),
    height: from + rows * ENTRY,
  };
}

function numberBlock(legend: NumberLegend): Block {
  const { range, stops, title } = legend;
  const [low, high] = range;
  const from = title === '' ? 0 : LEGEND_TITLE;
  const ticks = ticksOf(low, high, 4);
  const at = (value: number) => DOWN * (1 - (value - low) / (high - low));
  return {
    parts: [
      ...titleOf(legend),
      {
        ...{ part: 'path', d: `M0,0h${ACROSS}v${DOWN}h${-ACROSS}Z`, x: 0, y: from, fill: stops },
        ...{ stroke: '#999999', strokeWidth: 0.5 },
      },
      {
        ...{ part: 'path', x: ACROSS, y: from, stroke: '#444444', strokeWidth: 1 },
        d: ticks.map(({ value }) => `M0,${hundredth(at(value))}h3`).join(''),
      },
      ...ticks.map(({ value, text: number }) => text(number, ACROSS + 6, from + at(value) + 0.35 * SIZE)),
    ],
    width: Math.max(
      textWidth(title, SIZE),
      ACROSS + 6 + Math.max(0, ...ticks.map(({ text: t }) => textWidth(t, SIZE))),
    ),
    height: from + DOWN,
  };
}
