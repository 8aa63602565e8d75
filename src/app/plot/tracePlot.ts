import { InvalidInputError } from '../../core/errors.ts';
import { checkGiven } from '../../core/given.ts';
import { withDefaults } from '../../core/options.ts';
import { PRIMARY } from './looks.ts';
import { checkPictureSize, markOf, pictureOf, renderSvg } from './render.ts';

export interface TracePlotOptions {
  readonly title?: string;
  /** Width of the area between the axes in pixels; default 460. */
  readonly width?: number;
  /** Height of the area between the axes in pixels; default 280. */
  readonly height?: number;
}

/**
 * Draws the objective against the number of its evaluations.
 *
 * @param trace - the trace of a fit, at least one entry
 * @param options - see {@link TracePlotOptions}
 * @returns the picture as SVG text
 * @throws InvalidInputError if the trace is empty or has a number that is not finite
 * @example
 * ```ts
 * const svg = await tracePlot(result.trace);
 * ```
 */
export async function tracePlot(
  trace: readonly { readonly evaluations: number; readonly objective: number }[],
  options: TracePlotOptions = {},
): Promise<string> {
  const { title, ...size } = withDefaults(options, 'tracePlot', { title: undefined, width: 460, height: 280 });
  checkGiven(trace, 'tracePlot', 'the trace of a fit, a list', (given) => Array.isArray(given) && given.every(Boolean));
  checkPictureSize(size);
  const bad = trace.findIndex((entry) => !Number.isFinite(entry.evaluations) || !Number.isFinite(entry.objective));
  if (trace.length === 0 || bad >= 0) {
    throw new InvalidInputError(
      trace.length === 0
        ? 'A trace plot takes at least one entry, but the trace is empty.'
        : `A trace must be finite, but entry ${bad} is ${trace[bad]!.objective} after ${trace[bad]!.evaluations} evaluations.`,
    );
  }
  const spec = pictureOf(
    { title, description: 'Objective by evaluations', ...size },
    {
      data: [{ name: 'trace', values: trace.map(({ evaluations, objective }) => ({ evaluations, objective })) }],
      scales: [
        { name: 'x', type: 'linear', range: 'width', zero: false, domain: { data: 'trace', field: 'evaluations' } },
        {
          name: 'y',
          type: 'linear',
          range: 'height',
          zero: false,
          nice: true,
          domain: { data: 'trace', field: 'objective' },
        },
      ],
      axes: [
        { scale: 'x', orient: 'bottom', title: 'evaluations', tickCount: 6 },
        { scale: 'y', orient: 'left', title: 'objective', tickCount: 6, grid: true, gridColor: '#e5e5e5' },
      ],
      marks: [
        markOf(
          'line',
          { name: 'curve', data: 'trace' },
          {
            x: { scale: 'x', field: 'evaluations' },
            y: { scale: 'y', field: 'objective' },
            stroke: { value: PRIMARY },
            strokeWidth: { value: 1.75 },
          },
        ),
      ],
    },
  );
  return renderSvg(spec);
}
