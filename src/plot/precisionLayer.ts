import type { Data, Legend, Mark, Scale } from 'vega';
import { InvalidInputError } from '../core/errors.ts';
import { GREYS } from './palette.ts';
import type { PrecisionGrid } from './precisionGrid.ts';

/** Steps of grey, enough to look continuous. */
const BANDS = 20;

interface Layer {
  readonly data: Data[];
  readonly scales: Scale[];
  readonly legends: Legend[];
  readonly marks: Mark[];
}

/**
 * The parts of a Vega specification that draw log₁₀ of the precision as bands of grey. Each band is the region where
 * it exceeds a threshold, drawn over the one below: a tenth of the size of a raster, and without seams.
 */
export function precisionLayer({ x, y, values }: PrecisionGrid, width: number, height: number): Layer {
  if (values.columns !== x.length || values.rows !== y.length || x.length < 2 || y.length < 2) {
    throw new InvalidInputError(
      `A precision grid of ${y.length} positions in y and ${x.length} in x takes ${y.length}×${x.length} values (2×2 at least), but ${values.rows}×${values.columns} were given.`,
    );
  }
  const bad = values.data.findIndex((precision) => !(precision > 0 && Number.isFinite(precision)));
  if (bad >= 0) {
    throw new InvalidInputError(
      `Precisions must be positive and finite, but row ${Math.floor(bad / x.length)}, column ${bad % x.length} is ${values.data[bad]}.`,
    );
  }
  const logarithms = Array.from(values.data, Math.log10);
  const low = logarithms.reduce((a, b) => Math.min(a, b));
  const high = logarithms.reduce((a, b) => Math.max(a, b));
  // A constant precision has no bands, and is white.
  const thresholds = high > low ? Array.from({ length: BANDS }, (_, k) => low + ((high - low) * k) / BANDS) : [low];
  const [stepX, stepY] = [width / (x.length - 1), height / (y.length - 1)];
  const grid = {
    width: x.length,
    height: y.length,
    values: logarithms,
    // The first sample lies at ½ in the coordinates of the contours, and at the corner of the picture.
    scale: [stepX, -stepY],
    translate: [-stepX / 2, height + stepY / 2],
  };
  return {
    data: [
      { name: 'precision', values: [grid] },
      {
        name: 'contours',
        source: 'precision',
        transform: [{ type: 'isocontour', thresholds, as: 'contour' }],
      },
    ],
    scales: [{ name: 'precision', type: 'linear', domain: high > low ? [low, high] : [low - 1, low], range: GREYS }],
    legends: high > low ? [precisionLegend] : [],
    marks: [bandMarks(high > low ? (high - low) / BANDS : 0, low, high)],
  };
}

const precisionLegend: Legend = {
  fill: 'precision',
  type: 'gradient',
  // Fonts without a lowered 10 would be left for another one.
  title: 'log10 precision',
  gradientLength: 120,
  gradientStrokeColor: '#999999',
  gradientStrokeWidth: 0.5,
  tickCount: 4,
};

/** A band is as grey as the legend where it begins, stretched so that the last one is white. */
const bandMarks = (step: number, low: number, high: number): Mark => ({
  type: 'group',
  clip: true,
  aria: false,
  encode: { enter: { width: { signal: 'width' }, height: { signal: 'height' } } },
  marks: [
    {
      type: 'path',
      name: 'bands',
      aria: false,
      from: { data: 'contours' },
      encode: {
        enter: {
          fill: {
            scale: 'precision',
            signal: `${low} + (datum.contour.value - ${low}) * ${step > 0 ? (high - low) / (high - low - step) : 1}`,
          },
        },
      },
      transform: [{ type: 'geopath', field: 'datum.contour' }],
    },
  ],
});
