import { type Part, textWidth } from './picture.ts';
import { ticksOf } from './scales.ts';
import type { LabelLegend, Legend, NumberLegend } from './scene.ts';
import { hundredth, shapePath } from './shapes.ts';

const SIZE = 12;
const INK = '#222222';
/** Height of a title and of an entry, and the gap between two legends. */
const TITLE = 20;
const ENTRY = 16;
const GAP = 16;
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
    top += height + GAP;
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
  const from = title === '' ? 0 : TITLE;
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
  const from = title === '' ? 0 : TITLE;
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
