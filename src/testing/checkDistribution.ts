import { exp } from '../core/elementary/index.ts';
import { InvalidInputError } from '../core/errors.ts';
import { describe } from '../core/matrix.ts';
import { namedOptions } from '../core/options.ts';
import { isParameterPrior, type ParameterPrior, type ValueEntries } from '../model/distributions/parameterPrior.ts';
import { entriesOf } from '../model/parameter.ts';
import { located } from './checkDensity.ts';
import { integrated } from './quadrature.ts';
import { agreement, type CheckOptions, type ConformanceReport, conformance, finite } from './report.ts';

/** Error of quadrature. */
const QUADRATURE = 1e-6;
/** Error of differences. */
const DIFFERENCES = 1e-6;

/**
 * Checks the distribution of a parameter: its total probability is 1 over its support, at its values and at others, and its gradients in the parameter and in its values
 * are right.
 *
 * @param prior - such as `gamma({ shape: 2, rate: 1 })`
 * @param options - `throws`
 * @returns a report with every check
 * @throws ConformanceError if one fails, listing all failures, unless `throws` is false
 * @example
 * ```ts
 * import { checkDistribution } from 'latentfield/testing';
 *
 * checkDistribution(gamma({ shape: 2, rate: 1 }));
 * ```
 */
export function checkDistribution(prior: ParameterPrior, options: CheckOptions = {}): ConformanceReport {
  namedOptions(options, 'checkDistribution', ['throws', 'seed']);
  if (!isParameterPrior(prior)) {
    throw new InvalidInputError(
      `checkDistribution takes the distribution of a parameter, such as gamma({ shape: 2, rate: 1 }), but ${describe(prior)} was given.`,
    );
  }
  const { ranges, lower } = prior;
  const values = Object.fromEntries(
    Object.entries(prior.values).map(([name, own]) => [
      name,
      typeof own === 'number' ? own : typeof own === 'string' ? insideOf(ranges[name]!) : entriesOf(own.initial)[0]!,
    ]),
  );
  const moved = Object.fromEntries(
    Object.entries(values).map(([name, own]) => {
      const [above, below] = ranges[name]!;
      if (Number.isFinite(below)) return [name, (own + below) / 2];
      return [name, above >= 0 ? 1.4 * own : own + 0.4];
    }),
  );
  const support = lower === Number.NEGATIVE_INFINITY ? 'real' : { above: lower };
  const points = Float64Array.from([-2.3, -0.4, 0.7, 3.1, 6], (own) =>
    support === 'real' ? own : lower + exp(own / 2),
  );
  const at = (x: Float64Array, own: ValueEntries) => prior.density(x, own);
  const total = (own: ValueEntries) => {
    const along = (x: Float64Array) => x.map((entry) => at(Float64Array.of(entry), own).value);
    return agreement([integrated(along, support, points[2]!).total], [1], QUADRATURE);
  };
  const slope = (value: (by: number) => number, size: number) => {
    const h = 1e-4 * Math.max(1, Math.abs(size));
    const odd = (k: number) => value(k * h) - value(-k * h);
    return (8 * odd(1) - odd(2)) / (12 * h);
  };
  const inX = () =>
    agreement(
      at(points, values).x,
      points.map((x) =>
        slope((by) => at(Float64Array.of(x + by), values).value, Math.min(1, x - (lower > -1e300 ? lower : x - 1))),
      ),
      DIFFERENCES,
    );
  return conformance(`Distribution '${prior.distribution}'`, options, [
    [
      'a finite log density',
      () => {
        finite([at(points, values).value], 'the log density');
        return `at ${points.length} points`;
      },
    ],
    [
      'a total probability of 1',
      () => {
        const said = total(values);
        located('where its values move', () => total(moved));
        return said;
      },
    ],
    ['gradient in the parameter', inX],
    ...Object.keys(values).map((name) => {
      const own = (value: number) => ({ ...values, [name]: Float64Array.of(value) });
      const work = () =>
        agreement(
          at(points, own(values[name]!)).values[name] ?? [],
          [slope((by) => at(points, own(values[name]! + by)).value, values[name]!)],
          DIFFERENCES,
        );
      return [`gradient in '${name}'`, work] as const;
    }),
  ]);
}

/** A number between two ends that may be infinite. */
function insideOf([above, below]: readonly [number, number]): number {
  if (Number.isFinite(above) && Number.isFinite(below)) return (above + below) / 2;
  return Number.isFinite(above) ? above + 1 : Number.isFinite(below) ? below - 1 : 0.3;
}
