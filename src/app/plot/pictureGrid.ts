import { InvalidInputError } from '../../core/errors.ts';
import { checkGiven, isWhole, namedOptions } from '../../core/options.ts';
import { escaped } from '../../scene/index.ts';

export interface PictureGridOptions {
  /** Pictures per row, at least 1; default all of them. */
  readonly columns?: number;
  readonly title?: string;
}

/** Height of the title above the pictures, in pixels. */
const TITLE_HEIGHT = 30;

/**
 * Arranges pictures in a grid, row by row: each column is as wide as its widest picture, each row as high as its highest, and narrower pictures are
 * centered in their column.
 *
 * @param pictures - SVG texts from the plots of this library, at least one
 * @param options - see {@link PictureGridOptions}
 * @returns the picture as SVG text
 * @throws InvalidInputError if there is no picture, one has no width and height, or columns is not a positive integer
 * @example
 * ```ts
 * const svg = pictureGrid([await latentPlot({ latents: result.latents, graph }), await adjacencyPlot(graph)]);
 * ```
 */
export function pictureGrid(pictures: readonly string[], options: PictureGridOptions = {}): string {
  checkGiven(pictures, 'pictureGrid', 'a list of pictures', (given) => given.every((svg) => typeof svg === 'string'));
  const { columns = pictures.length, title } = namedOptions(options, 'pictureGrid', ['columns', 'title']);
  if (pictures.length === 0) throw new InvalidInputError('A grid of pictures takes at least one, but none was given.');
  checkGiven(columns, 'A grid of pictures', 'a positive whole number of columns', isWhole(1));
  const placed = pictures.map((svg, k) => ({
    svg,
    ...sizeOf(svg, k),
    row: Math.floor(k / columns),
    column: k % columns,
  }));
  const starts = (of: 'row' | 'column', size: 'width' | 'height', first: number) => {
    const edges = [first];
    for (let k = 0; placed.some((picture) => picture[of] === k); k++) {
      const sizes = placed.filter((picture) => picture[of] === k).map((picture) => picture[size]);
      edges.push(edges[k]! + Math.max(...sizes));
    }
    return edges;
  };
  const left = starts('column', 'width', 0);
  const top = starts('row', 'height', title === undefined ? 0 : TITLE_HEIGHT);
  const [width, height] = [left.at(-1)!, top.at(-1)!];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">`,
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    ...(title === undefined
      ? []
      : [
          `<text x="${width / 2}" y="${TITLE_HEIGHT - 9}" text-anchor="middle" font-family="sans-serif" font-size="16" font-weight="bold" fill="#222222">${escaped(title)}</text>`,
        ]),
    ...placed.map(({ svg, row, column, ...size }) => {
      const x = (left[column]! + left[column + 1]! - size.width) / 2;
      return svg.replace('<svg ', `<svg x="${x}" y="${top[row]}" `);
    }),
    '</svg>',
  ].join('\n');
}

function sizeOf(svg: string, k: number): { readonly width: number; readonly height: number } {
  const size = /^<svg [^>]*?width="([\d.]+)" height="([\d.]+)"/.exec(svg);
  if (size !== null) return { width: Number(size[1]), height: Number(size[2]) };
  throw new InvalidInputError(
    `Picture ${k} of a grid must be SVG text with a width and a height, as the plots return it.`,
  );
}
