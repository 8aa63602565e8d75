import { type Command, InvalidArgumentError } from 'commander';
import { InvalidInputError } from '../../index.ts';
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

/**
 * Checks that the pictures can be drawn, before a fit whose pictures would fail.
 *
 * @throws InvalidInputError if --grid has no --image, columns are not the pixels of the images, or a PNG cannot be made
 */
export async function checkPictures(given: PlotArguments, columns: number): Promise<void> {
  const { image, grid } = given;
  if (grid && image === undefined) {
    throw new InvalidInputError('--grid draws images: say with --image HxW how high and wide they are.');
  }
  const pixels = image?.reduce((product, side) => product * side, 1);
  if (pixels !== undefined && pixels !== columns) {
    throw new InvalidInputError(
      `--image ${image!.join('x')} takes ${pixels} columns, but ${columns} are fitted. Choose those of the pixels with --columns.`,
    );
  }
  if (given.plot?.includes('png')) await svgToPng(DOT);
}
