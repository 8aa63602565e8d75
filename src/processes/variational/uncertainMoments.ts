import { seededRandom } from '../../core/random.ts';
import { withFloat64 } from '../../engine/tensors/float64/scope.ts';
import * as op from '../../engine/tensors/ops.ts';
import type { Tensor1D, Tensor2D } from '../../engine/tensors/tensorflow.ts';
import { drawnNodes, type Expectations, quadratureExpectations } from '../../kernels/expectations/index.ts';
import type { Kernel } from '../../kernels/kernel.ts';
import type { Likelihood } from '../../model/entrywise/likelihood.ts';
import { expectedLogDensity } from '../../model/entrywise/normalExpectation.ts';
import type { TensorMap } from '../../model/model.ts';
import { valueTensors } from '../../model/part.ts';
import { latentExpectations } from './collapsedBound.ts';
import { type DensityParts, type DensityPoint, densitiesAtNodes, densityNodes, isClosed } from './expectedDensity.ts';
import type { InducingPosterior } from './inducingVariables.ts';

/** Draws for latents without a quadrature, the same for all rows. */
const DENSITY_DRAWS = 4;

/** True if the likelihood applies to rows that were not fitted, unlike one with a variance per row. */
export function placesRows({ conjugate, parameters }: Likelihood): boolean {
  const starts = Object.fromEntries(Object.entries(parameters).map(([name, { initial }]) => [name, initial]));
  return withFloat64(() => conjugate?.(valueTensors(starts)).per !== 'row');
}

/**
 * Σ_d E[log p(y_nd | f_nd)] of each new row over its observed entries, n entries, given the fitted functions. The result for a row is independent of
 * the other rows.
 *
 * @param y - n×D, 0 where missing
 * @param present - n×D, 1 where observed; undefined if all are
 * @param uncertain - number of columns of the inputs up to the last uncertain one
 */
export function placedDensity(
  { kernel, likelihood }: Pick<DensityParts, 'kernel' | 'likelihood'>,
  at: Pick<DensityPoint, 'kernel' | 'likelihood' | 'x' | 'offset'>,
  q: InducingPosterior<Tensor2D>,
  y: Tensor2D,
  present: Tensor2D | undefined,
  uncertain: number,
): Tensor1D {
  const latentDim = at.x.mean.shape[1];
  const entries = (): Tensor2D => {
    if (isClosed({ kernel, likelihood, latentDim }, at)) {
      const { mean, variance } = uncertainMoments(kernel, at.kernel, q, at.x);
      return expectedLogDensity(likelihood, at.likelihood, mean, variance, y);
    }
    const draws = () => drawnNodes(1, latentDim, DENSITY_DRAWS, seededRandom(SEED));
    const nodes = densityNodes(uncertain, draws, latentDim);
    const all = densitiesAtNodes(kernel, at.kernel, q, at, nodes, likelihood, at.likelihood, y);
    return op.sum(op.reshape(all, [nodes.weights.length, ...y.shape]), 0);
  };
  return op.sum<Tensor1D>(present === undefined ? entries() : op.mul(present, entries()), 1);
}

/** Draws, the same for all latents, for a kernel whose expectations have neither a closed form nor a quadrature. */
const DRAWS = 200;
const SEED = 0;

/** Number of points whose Ψ₂ are computed at once: the gradient of each is as large as all of them. */
const POINTS = 8;

/** Mean and variance of all columns, n×D each. */
interface Moments {
  readonly mean: Tensor2D;
  readonly variance: Tensor2D;
}

/**
 * Moments of the functions at latents that are Gaussians, x_n ~ N(μ_n, diag s_n), with functions and latents integrated out: with
 * a_n = L⁻¹Ψ₁ₙᵀ and Â_n = L⁻¹Ψ₂ₙL⁻ᵀ of one point,
 *
 *   mean m_dᵀa_n, variance ψ₀ₙ − tr Â_n + tr(C_dᵀÂ_nC_d) + m_dᵀÂ_nm_d − (m_dᵀa_n)².
 *
 * The Ψ₂ of eight points are computed at once.
 *
 * @param p - natural values of the kernel's parameters
 * @see Titsias & Lawrence 2010, §4; Girard et al. 2003
 */
export function uncertainMoments(
  kernel: Kernel,
  p: TensorMap,
  posterior: InducingPosterior<Tensor2D>,
  { mean, variance }: op.GaussianRows,
): Moments {
  const [n, q] = mean.shape;
  const moments = secondMoments(posterior);
  const parts = Array.from({ length: Math.ceil(n / POINTS) }, (_, k) => {
    const from = k * POINTS;
    const some = (x: Tensor2D) => op.slice<Tensor2D>(x, [from, 0], [Math.min(POINTS, n - from), q]);
    return momentsOfSome(kernel, p, posterior, moments, { mean: some(mean), variance: some(variance) });
  });
  const together = (of: keyof Moments) => op.concat(parts.map((part) => part[of]));
  return { mean: together('mean'), variance: together('variance') };
}

/** m_d·m_dᵀ and C_dC_dᵀ (or CCᵀ for all columns of a group) as columns of M² entries. */
interface SecondMoments {
  readonly squares: Tensor2D;
  readonly spread: Tensor2D;
}

const secondMoments = ({ factor, groups }: InducingPosterior<Tensor2D>): SecondMoments[] =>
  groups.map(({ columns, mean, roots }) => {
    const [M, c] = [factor.shape[0], columns.length];
    const count = roots.shape[0] / M;
    const spreads = op
      .unstack<Tensor2D>(op.reshape(roots, [count, M, M]))
      .map((root) => op.reshape<Tensor2D>(op.matMul<Tensor2D>(root, root, true, false), [M * M, 1]));
    return {
      squares: op.reshape(op.mul(op.reshape(mean, [M, 1, c]), op.reshape(mean, [1, M, c])), [M * M, c]),
      spread: op.concat(spreads, 1),
    };
  });

function momentsOfSome(
  kernel: Kernel,
  p: TensorMap,
  { inducing, factor, groups }: InducingPosterior<Tensor2D>,
  second: readonly SecondMoments[],
  x: op.GaussianRows,
): Moments {
  const [n, M] = [x.mean.shape[0], factor.shape[0]];
  const expectations = expectationsByPoint(kernel, p, x, inducing);
  const half = op.triangularSolve(factor, op.transpose(expectations.cross) as Tensor2D);
  const scatters = whitenedByPoint(factor, expectations.products());
  const identity = op.reshape(op.eye(M), [M * M, 1]);
  const rest = op.sub(op.reshape(expectations.diagonal, [n, 1]), op.matMul<Tensor2D>(scatters, identity as Tensor2D));
  const parts = groups.map(({ columns, mean }, g) => {
    const { squares, spread } = second[g]!;
    const means = op.matMul<Tensor2D>(half, mean, true, false);
    const total = op.add(op.matMul(scatters, squares), op.add(op.matMul(scatters, spread), rest));
    return { columns, mean: means, variance: op.sub<Tensor2D>(total, op.square(means)) };
  });
  if (parts.length === 1) return parts[0]!;
  const places = inOrder(parts.flatMap(({ columns }) => Array.from(columns)));
  const ordered = (of: keyof Moments) =>
    op.gather<Tensor2D>(
      op.concat(
        parts.map((part) => part[of]),
        1,
      ),
      places,
      1,
    );
  return { mean: ordered('mean'), variance: ordered('variance') };
}

/** Position of each column in a list in another order. */
function inOrder(columns: readonly number[]): Int32Array {
  const places = new Int32Array(columns.length);
  columns.forEach((column, place) => {
    places[column] = place;
  });
  return places;
}

/** Expectations with separate products for each point. */
function expectationsByPoint(kernel: Kernel, p: TensorMap, x: op.GaussianRows, Z: Tensor2D): Expectations {
  const [n, q] = x.mean.shape;
  const inputs = { x, Z, weights: op.eye(n) as Tensor2D };
  const found = latentExpectations(kernel, p, inputs);
  return found ?? quadratureExpectations(kernel, p, inputs, drawnNodes(1, q, DRAWS, seededRandom(SEED)));
}

/** L⁻¹PL⁻ᵀ of each of n symmetric matrices, row by row in n×M². */
function whitenedByPoint(factor: Tensor2D, products: readonly Tensor2D[]): Tensor2D {
  const [n, M] = [products.length, factor.shape[0]];
  const solved = (side: Tensor2D) => op.reshape(op.triangularSolve(factor, side), [M, n, M]);
  const once = solved(op.concat([...products], 1) as Tensor2D);
  const twice = solved(op.reshape<Tensor2D>(op.transpose(once, [2, 1, 0]), [M, n * M]));
  return op.reshape<Tensor2D>(op.transpose(twice, [1, 0, 2]), [n, M * M]);
}
