import { type Command, InvalidArgumentError } from 'commander';
import { InvalidInputError, Matrix } from '../../index.ts';
import type { Table } from '../io/index.ts';
import { type ImageShape, svgToPng } from '../plot/index.ts';

const FORMATS = ['svg', 'png', 'html'] as const;
type PlotFormat = (typeof FORMATS)[number];

/** Picture flags as parsed by commander. */
export interface PlotArguments {
  readonly plot?: readonly PlotFormat[];
  readonly color?: string;
  readonly image?: ImageShape;
  readonly grid?: boolean;
}

/** Adds the flags that select pictures. */
export const addPlotFlags = (command: Command): Command =>
  command
    .option('--plot <formats>', 'pictures to write: svg, png, html, several with commas (default: svg)', formatsFrom)
    .option('--color <column>', 'the column to colour the picture by, numbers, dates or text (default: the labels)')
    .option(
      '--image <HxW>',
      'the columns are the pixels of images, such as 28x28, or 32x32x3 in colours: draw points as images',
      shapeFrom,
    )
    .option('--grid', 'with --image: draw the images that the model predicts over its latent space too, as grid.svg');

function formatsFrom(text: string): PlotFormat[] {
  const formats = text.split(',').map((format) => format.trim().toLowerCase());
  const unknown = formats.find((format) => !FORMATS.includes(format as PlotFormat));
  if (unknown === undefined) return FORMATS.filter((format) => formats.includes(format));
  throw new InvalidArgumentError(`It must be some of ${FORMATS.join(', ')}, with commas between them.`);
}

function shapeFrom(text: string): ImageShape {
  const sides = text.split(/[x×,]/).map(Number);
  const isShape = sides.length >= 2 && sides.length <= 3 && sides.every((side) => Number.isInteger(side) && side >= 1);
  if (isShape && (sides[2] === undefined || sides[2] === 1 || sides[2] === 3)) return sides as unknown as ImageShape;
  throw new InvalidArgumentError(
    'It must be height and width, such as 28x28, and 3 where pixels have colours: 32x32x3.',
  );
}

/** File names of the pictures, in the order in which they are written. */
export function pictureNames({ plot = ['svg'], grid }: PlotArguments): string[] {
  const ofGrid = plot.filter((format) => format !== 'html');
  return [
    ...plot.map((format) => `plot.${format}`),
    ...(grid ? (ofGrid.length > 0 ? ofGrid : ['svg']).map((format) => `grid.${format}`) : []),
  ];
}

const DOT = '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"></svg>';

/** The columns that pictures show: names, and rows made of rows of observations. */
export interface ShownColumns {
  readonly names: readonly string[];
  readonly rows: (observations: Matrix) => Matrix;
}

/**
 * Checks that the pictures can be drawn, before a fit whose pictures would fail.
 *
 * @returns the columns that pictures show: the fitted ones; of images also the constant pixels that were left out, in their places
 * @throws InvalidInputError if --grid has no --image, columns are not the pixels of the images, or a PNG cannot be made
 */
export async function checkPictures(
  given: PlotArguments,
  { columns, leftOut, counts }: Pick<Table, 'columns' | 'leftOut' | 'counts'>,
): Promise<ShownColumns> {
  const { image, grid } = given;
  if (grid && image === undefined) {
    throw new InvalidInputError('--grid draws images: say with --image HxW how high and wide they are.');
  }
  const pixels = image?.reduce((product, side) => product * side, 1);
  // Normalised counts are in another unit than a constant that is not 0.
  const constants = leftOut.filter(({ constant }) => constant && (counts === undefined || constant.value === 0));
  const isWhole = pixels === undefined || pixels === columns.length;
  if (!isWhole && pixels !== columns.length + constants.length) {
    throw new InvalidInputError(
      `--image ${image!.join('x')} takes ${pixels} columns, but ${columns.length} are fitted. Choose those of the pixels with --columns.`,
    );
  }
  if (given.plot?.includes('png')) await svgToPng(DOT);
  return isWhole ? { names: columns, rows: (observations) => observations } : withConstants(columns, constants);
}

/** Fitted columns and constant ones in the order of the file. */
function withConstants(columns: readonly string[], constants: Table['leftOut']): ShownColumns {
  const sources: (number | { readonly value: number })[] = columns.map((_, j) => j);
  const names = [...columns];
  constants.forEach(({ column, constant }, before) => {
    sources.splice(constant!.position + before, 0, constant!);
    names.splice(constant!.position + before, 0, column);
  });
  const whole = (row: readonly number[]) =>
    sources.map((source) => (typeof source === 'number' ? row[source]! : source.value));
  return { names, rows: (observations) => Matrix.from(observations.toArrays().map((row) => whole(row))) };
}
