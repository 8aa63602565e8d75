import { exp, log, square } from '../core/elementary/index.ts';
import { LatentFieldError } from '../core/errors.ts';
import { Matrix } from '../core/matrix.ts';
import { seededRandom } from '../core/random.ts';
import { lgamma } from '../engine/special/gamma.ts';
import { gammaDraw } from '../engine/special/randomDraws.ts';
import { valueAndGradients } from '../engine/tensors/gradients.ts';
import * as op from '../engine/tensors/ops.ts';
import type { Scalar } from '../engine/tensors/tensorflow.ts';
import { cholesky, rowMajor, triangularSolve } from '../engine/typescript/matrices.ts';
import { minimize } from '../inference/minimize/minimize.ts';
import { lbfgs } from '../inference/solvers/lbfgs.ts';
import type { ParameterValues } from '../model/model.ts';
import { entriesOf, type Parameter, shapeOf, valueFrom } from '../model/parameter.ts';
import { layOut, naturalEntries, toNatural, toUnconstrained, valuesByPath } from '../model/variables.ts';
import type { DensityAt, PlainRows } from './quadrature.ts';
import { skip } from './report.ts';

/** Displacement of parameters, in the solver's variables. */
const MOVE = 0.3;

/** Other values of the free parameters, within their bounds; undefined if none is free. */
export function movedValues(
  parameters: Readonly<Record<string, Parameter>>,
  values: ParameterValues,
): ParameterValues | undefined {
  const free = Object.fromEntries(Object.entries(parameters).filter(([, own]) => own.free));
  if (Object.keys(free).length === 0) return undefined;
  const layout = layOut(free);
  const unconstrained = toUnconstrained(
    layout,
    naturalEntries(layout, Object.fromEntries(Object.keys(free).map((name) => [name, values[name]!]))),
  );
  const moved = unconstrained.map((own, i) => own + (i % 2 === 0 ? MOVE : -MOVE));
  const found: Record<string, ParameterValues[string]> = {
    ...values,
    ...valuesByPath(layout, toNatural(layout, moved)),
  };
  for (const [name, { support, upper, scale }] of Object.entries(free)) {
    if (support !== 'box') continue;
    const entries = entriesOf(values[name]!).map(
      (own, i) => own + Math.min(MOVE * (scale?.[i] ?? 1), (upper - own) / 2),
    );
    found[name] = valueFrom(entries, shapeOf(values[name]!));
  }
  return found;
}

/** Number of draws of a total probability. */
const DRAWS = 4000;
/** Degrees of freedom of the draws. */
const TAILS = 8;
/** Largest deviation, in standard errors. */
const STANDARD_ERRORS = 5;

/**
 * Total probability of rows of a density by importance sampling, from a t distribution around its mode with the curvature at the mode.
 *
 * @throws LatentFieldError if it is not 1
 */
export function totalByDraws(at: DensityAt, rows: PlainRows, seed: number): string {
  const { rows: n, columns: D } = rows.value;
  const size = n * D;
  const slopesAt = (x: Float64Array) =>
    at.with({ ...rows, value: new Matrix(x, n, D) }, ({ p, rows: own, context }) => {
      const sum = () => op.sum<Scalar>(at.density.logDensity(p, own, context));
      const { value, gradients } = valueAndGradients(sum, [own.value]);
      return { value: -value, gradient: (gradients[0] ?? new Float64Array(size)).map((slope) => -slope) };
    });
  const logDensityAt = (x: Float64Array) =>
    at.with({ ...rows, value: new Matrix(x, n, D) }, ({ p, rows: own, context }) =>
      op.valueOf(op.sum<Scalar>(at.density.logDensity(p, own, context))),
    );
  const { x: mode } = minimize(slopesAt, rows.value.data, lbfgs(), { maxIterations: 300 });
  const factor = rowMajor(
    curvatureAt((x) => slopesAt(x).gradient, mode),
    size,
  );
  const pivots = () => Array.from({ length: size }, (_, i) => factor.data[i * (size + 1)]!);
  if (cholesky(size, factor) >= 0 || pivots().some((pivot) => !(square(pivot) > 1e-10)))
    return skip('not integrated: it has no curved mode to draw around');
  const random = seededRandom(seed + 5);
  const half = (of: number) => lgamma(of / 2);
  const constant =
    half(TAILS + size) -
    half(TAILS) -
    (size / 2) * log(TAILS * Math.PI) +
    pivots().reduce((sum, pivot) => sum + log(pivot), 0);
  const logs = Float64Array.from({ length: DRAWS }, () => {
    const z = Float64Array.from({ length: size }, () => random.normal());
    const stretch = Math.sqrt((2 * gammaDraw(TAILS / 2, random)) / TAILS);
    const solved = z.slice();
    triangularSolve(size, 1, factor, rowMajor(solved, 1), true);
    const x = solved.map((own, i) => mode[i]! + own / stretch);
    const length = z.reduce((sum, own) => sum + square(own / stretch), 0);
    const density = constant - ((TAILS + size) / 2) * log(1 + length / TAILS);
    return logDensityAt(x) - density;
  });
  const highest = logs.reduce((most, own) => Math.max(most, own), Number.NEGATIVE_INFINITY);
  const weights = logs.map((own) => exp(own - highest));
  const sum = weights.reduce((total, own) => total + own, 0);
  const squares = weights.reduce((total, own) => total + own * own, 0);
  if (!(square(sum) / squares > DRAWS / 20)) return skip('not integrated: draws around its mode do not cover it');
  const total = (exp(highest) * sum) / DRAWS;
  const error = Math.sqrt(Math.max(0, squares / DRAWS - square(sum / DRAWS)) / DRAWS) * exp(highest);
  if (Math.abs(total - 1) <= STANDARD_ERRORS * error + 1e-6) {
    return `a total probability of ${total.toFixed(3)}, with a standard error of ${error.toExponential(1)}`;
  }
  throw new LatentFieldError(
    `the total probability of ${n}×${D} entries is ${total} and should be 1, with a standard error of ${error.toExponential(1)}`,
  );
}

/** Hessian by central differences of the gradient, made symmetric. */
function curvatureAt(gradientAt: (x: Float64Array) => Float64Array, x: Float64Array): Float64Array {
  const step = 1e-4;
  const columns = Array.from(x, (_, j) => {
    const moved = (by: number) => gradientAt(x.map((own, i) => (i === j ? own + by : own)));
    const [above, below] = [moved(step), moved(-step)];
    return above.map((own, i) => (own - below[i]!) / (2 * step));
  });
  return Float64Array.from(columns.flatMap((column, i) => Array.from(column, (own, j) => (own + columns[j]![i]!) / 2)));
}
