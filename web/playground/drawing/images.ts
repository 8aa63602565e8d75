import { type MapPictures, mixed } from 'latentfield/plot';
import type { Dataset, RowView } from '../data/dataset.ts';
import type { Theme } from './colors.ts';

type Image = Extract<RowView, { kind: 'image' }>;

/** Number of colors from the first stop to the last. */
const STEPS = 256;

/** Pictures of rows, with a fixed number per line, colored from the first stop at the least value to the last at the greatest. */
export function imagesOf(
  rows: readonly ArrayLike<number>[],
  { height, width, pixels: columnOf, constants }: Image,
  across: number,
  low: number,
  high: number,
  stops: readonly string[],
): ImageData {
  const colors = Uint32Array.from({ length: STEPS }, (_, k) =>
    Number.parseInt(mixed(stops, k / (STEPS - 1)).slice(1), 16),
  );
  const image = new ImageData(across * width, Math.ceil(rows.length / across) * height);
  for (const [i, values] of rows.entries()) {
    const [left, top] = [(i % across) * width, Math.floor(i / across) * height];
    for (let p = 0; p < width * height; p++) {
      const column = columnOf === undefined ? p : columnOf[p]!;
      const value = column < 0 ? (constants?.[p] ?? 0) : values[column]!;
      const part = Number.isNaN(value) ? 0.5 : Math.min(1, Math.max(0, (value - low) / (high - low || 1)));
      const color = colors[Math.round(part * (STEPS - 1))]!;
      const at = 4 * ((top + Math.floor(p / width)) * image.width + left + (p % width));
      image.data.set([color >> 16, (color >> 8) & 255, color & 255, 255], at);
    }
  }
  return image;
}

/** Maximum number of pixels of a sheet: more would take more memory than a page should. */
const MOST_PIXELS = 16e6;

/** Pictures that represent the rows on an enlarged map; undefined if rows are not images. */
export function picturesOf(
  { observations, view }: Dataset,
  least: number,
  most: number,
  theme: Theme,
): MapPictures | undefined {
  if (view.kind !== 'image') return undefined;
  const { height, width } = view;
  if (observations.rows * height * width > MOST_PIXELS) return undefined;
  const across = Math.ceil(Math.sqrt((observations.rows * height) / width));
  let sheet: HTMLCanvasElement | undefined;
  return {
    ...{ width, height, across },
    sheet() {
      if (sheet !== undefined) return sheet;
      const rows = Array.from({ length: observations.rows }, (_, i) => observations.row(i));
      const image = imagesOf(rows, view, across, least, most, theme.ink);
      sheet = Object.assign(document.createElement('canvas'), { width: image.width, height: image.height });
      sheet.getContext('2d')!.putImageData(image, 0, 0);
      return sheet;
    },
  };
}
