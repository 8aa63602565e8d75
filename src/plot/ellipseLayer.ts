import type { Mark } from 'vega';
import { InvalidInputError } from '../core/errors.ts';
import type { Matrix } from '../core/matrix.ts';
import { fillOf, type PointLooks } from './pointLooks.ts';

/** How many standard deviations an ellipse reaches. */
export const DEVIATIONS = 2;

/** Two standard deviations of each point along one latent dimension. */
export function reach(
  variances: Matrix | undefined,
  rows: number,
  column: number | undefined,
): Float64Array | undefined {
  if (variances === undefined || column === undefined) return undefined;
  return Float64Array.from({ length: rows }, (_, i) => DEVIATIONS * Math.sqrt(variances.at(i, column)));
}

/**
 * @throws InvalidInputError unless there is a variance of every latent coordinate
 */
export function checkVariances(variances: Matrix, latents: Matrix): Matrix {
  if (variances.rows !== latents.rows || variances.columns !== latents.columns) {
    throw new InvalidInputError(
      `Latents of ${latents.rows}×${latents.columns} take as many variances, but ${variances.rows}×${variances.columns} were given.`,
    );
  }
  const bad = variances.data.findIndex((variance) => !(variance >= 0 && variance < Infinity));
  if (bad < 0) return variances;
  throw new InvalidInputError(
    `Variances of latents are finite numbers from 0, but row ${Math.floor(bad / variances.columns)}, column ${bad % variances.columns} is ${variances.data[bad]}.`,
  );
}

/** The outline of an ellipse about 0, in pixels. */
export function ellipse(across: number, up: number): string {
  const [a, b] = [across, up].map((pixels) => Math.max(0.5, Math.round(100 * pixels) / 100));
  return `M${-a!},0A${a},${b},0,1,1,${a},0A${a},${b},0,1,1,${-a!},0Z`;
}

/** Ellipses of mean ± 2 standard deviations below the points, in their colours; `outline` is a field of the points. */
export const ellipseMarks = (looks: PointLooks): Mark => ({
  type: 'path',
  name: 'ellipses',
  aria: false,
  clip: true,
  from: { data: 'latents' },
  encode: {
    enter: {
      x: { scale: 'x', field: 'x' },
      y: { scale: 'y', field: 'y' },
      path: { field: 'outline' },
      fill: fillOf(looks),
      fillOpacity: { value: 0.14 },
      stroke: fillOf(looks),
      strokeOpacity: { value: 0.35 },
      strokeWidth: { value: 0.75 },
    },
  },
});
