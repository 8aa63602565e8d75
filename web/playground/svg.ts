import { Matrix } from 'latentfield/core';
import { latentPlot } from 'latentfield/plot';
import type { Exported } from './exports.ts';

const WIDTH = 560;

/** The map as a drawing, with its background. */
export function svgOf({ shown: { fit }, looks, axes, background }: Exported): Promise<string> {
  const { latents, latentVariances } = fit;
  const columns = axes[1] === undefined ? [axes[0]] : [axes[0], axes[1]];
  const middles = (range: readonly [number, number], side: number) =>
    Float64Array.from({ length: side }, (_, k) => range[0] + ((k + 0.5) / side) * (range[1] - range[0]));
  const precision = background && {
    x: middles(background.x, background.side),
    y: middles(background.y, background.side),
    values: new Matrix(
      background.deviation.map((sd) => 1 / (sd * sd)),
      background.side,
      background.side,
    ),
  };
  // Equal scales: the picture is as the grid is.
  const length = ([low, high]: readonly [number, number]) => high - low;
  const ratio = background === undefined ? 1 : length(background.x) / length(background.y);
  return latentPlot({
    latents,
    columns,
    equalScales: columns.length === 2,
    ...(latentVariances && { variances: latentVariances }),
    ...(precision && { precision, width: WIDTH, height: WIDTH / ratio }),
    ...looks,
  });
}
