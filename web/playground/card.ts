import { mixed } from 'latentfield/plot';
import type { Background } from './background.ts';
import { counted, type Dataset, dateText } from './data/dataset.ts';
import type { Coloring, Theme } from './drawing/colors.ts';

/** Content of a card around the map. */
export interface CardGiven {
  /** Canvas of the visible map. */
  readonly canvas: HTMLCanvasElement;
  readonly dataset: Pick<Dataset, 'name' | 'observations'>;
  /** Model or method of the map. */
  readonly method: string;
  readonly trustworthiness: number | undefined;
  readonly coloring: Coloring;
  readonly theme: Theme;
  /** Certainty behind the points, if it is shown. */
  readonly certainty: Background | undefined;
  /** Formats a number as the page does. */
  readonly written: (value: number) => string;
}

const MARGIN = 24;
/** Pixels above the map, for a title and a line. */
export const HEAD = 84;
const LINE = 24;
const RAMP = 120;
const MOST_KINDS = 40;

/** Picture for sharing: the map below its title, above its legend and its scale. */
export function cardOf(given: CardGiven): HTMLCanvasElement {
  const { canvas, dataset, method, trustworthiness, coloring, theme, certainty, written } = given;
  const ratio = canvas.width / canvas.clientWidth;
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  const { font, serif, ink, faintInk, panel, certain, mid, vague } = theme.map;
  const card = document.createElement('canvas');
  const context = card.getContext('2d')!;
  const small = `13px ${font}`;

  /** Parts of the legend with their widths: a mark and a word, or a ramp between two words. */
  context.font = small;
  const wide = (text: string) => context.measureText(text).width;
  const ramp = (title: string, stops: readonly string[], low: string, high: string) => ({
    width: wide(title) + wide(low) + wide(high) + RAMP + 28,
    draw: (x: number, y: number) => {
      context.fillStyle = ink;
      context.fillText(title, x, y);
      const from = x + wide(title) + 10;
      context.fillStyle = faintInk;
      context.fillText(low, from, y);
      const start = from + wide(low) + 8;
      const colors = context.createLinearGradient(start, 0, start + RAMP, 0);
      for (let k = 0; k <= 12; k++) colors.addColorStop(k / 12, mixed(stops, k / 12));
      context.fillStyle = colors;
      context.fillRect(start, y - 10, RAMP, 11);
      context.fillStyle = faintInk;
      context.fillText(high, start + RAMP + 8, y);
    },
  });
  const { kinds, numbers, title } = coloring;
  const number = numbers?.areDates ? dateText : written;
  const parts =
    numbers !== undefined
      ? [
          ramp(
            title,
            kinds.slice(0, -1).map(({ color }) => color),
            number(numbers.low),
            number(numbers.high),
          ),
        ]
      : kinds.length < 2
        ? []
        : kinds.slice(0, MOST_KINDS).map(({ name, color, path, count }) => {
            const words = `${name} (${count})`;
            return {
              width: 20 + wide(words),
              draw: (x: number, y: number) => {
                context.save();
                context.translate(x + 6, y - 4);
                context.scale(5, 5);
                context.fillStyle = color;
                context.fill(new Path2D(path));
                context.restore();
                context.fillStyle = ink;
                context.fillText(words, x + 18, y);
              },
            };
          });
  const plain = (words: string) => ({
    width: wide(words),
    draw: (x: number, y: number) => {
      context.fillStyle = faintInk;
      context.fillText(words, x, y);
    },
  });
  if (parts.length > 0 && numbers === undefined) {
    parts.unshift(plain(title));
    if (kinds.length > MOST_KINDS) parts.push(plain(`and ${kinds.length - MOST_KINDS} more`));
  }
  if (certainty !== undefined) {
    const list = certainty.deviation;
    const [low, high] = [list.reduce((a, b) => Math.min(a, b)), list.reduce((a, b) => Math.max(a, b))];
    const percent = (value: number) => `${Math.round(100 * value)} %`;
    parts.push(
      ramp('uncertainty relative to the spread of each column', [certain, mid, vague], percent(low), percent(high)),
    );
  }
  /** Position of each part, with line breaks where lines are full. */
  let [x, line] = [MARGIN, 0];
  const places = parts.map((part) => {
    if (x > MARGIN && x + part.width > width - MARGIN) [x, line] = [MARGIN, line + 1];
    const place = { part, x, line };
    x += part.width + 22;
    return place;
  });
  const foot = parts.length === 0 ? 20 : 22 + LINE * (line + 1);

  card.width = Math.round(ratio * width);
  card.height = Math.round(ratio * (HEAD + height + foot));
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.fillStyle = panel;
  context.fillRect(0, 0, width, HEAD + height + foot);
  context.fillStyle = ink;
  context.font = `600 26px ${serif}`;
  context.fillText(dataset.name.replace(/\.\w+$/, ''), MARGIN, 42, width - 2 * MARGIN);
  context.font = small;
  context.fillStyle = faintInk;
  const { rows, columns } = dataset.observations;
  const trust = trustworthiness === undefined ? '' : `, trustworthiness ${trustworthiness.toFixed(3)} of 1`;
  context.fillText(
    `${counted(rows, 'row')} × ${counted(columns, 'column')} by ${method}${trust}`,
    MARGIN,
    66,
    width - 2 * MARGIN,
  );
  context.drawImage(canvas, 0, HEAD, width, height);
  context.font = small;
  for (const { part, x: left, line: at } of places) part.draw(left, HEAD + height + 24 + LINE * at);
  return card;
}
