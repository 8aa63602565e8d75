import { seededRandom } from '../../core/random.ts';
import * as op from '../../engine/tensors/ops.ts';
import type { Tensor1D, Tensor2D } from '../../engine/tensors/tensorflow.ts';
import {
  closedExpectations,
  drawnNodes,
  type Expectations,
  quadratureExpectations,
} from '../../kernels/expectations/index.ts';
import type { Kernel } from '../../kernels/kernel.ts';
import { sharingOf } from '../../model/entrywise/gaussian.ts';
import type { Likelihood } from '../../model/entrywise/likelihood.ts';
import { expectedLogDensity } from '../../model/entrywise/normalExpectation.ts';
import type { TensorMap } from '../../model/model.ts';
import { latentExpectations } from './collapsedBound.ts';
import { type DensityParts, type DensityPoint, densitiesAtNodes, densityNodes } from './expectedDensity.ts';
import type { InducingPosterior } from './inducingVariables.ts';

/** Draws for latents without a quadrature, the same for all rows. */
const DENSITY_DRAWS = 4;

/** True if the likelihood applies to rows that were not fitted, unlike one with a variance per row. */
export const placesRows = (likelihood: Likelihood): boolean =>
  likelihood.conjugate === undefined || sharingOf(likelihood) !== 'row';

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
  const summed = (entries: Tensor2D) => op.sum<Tensor1D>(present === undefined ? entries : op.mul(present, entries), 1);
  const entries = ({ mean, variance }: Moments) => expectedLogDensity(likelihood, at.likelihood, mean, variance, y);
  const noise = likelihood.conjugate?.(at.likelihood).variance;
  if (noise !== undefined) {
    const precisions = op.mul(op.div(1, noise), op.ones<Tensor2D>([1, y.shape[1]]));
    const expectations = closedExpectations(kernel, at.kernel, { x: at.x, Z: q.inducing });
    if (expectations?.contracted !== undefined) {
      // Weighted sums over Ψ₂ are linear in them: no Ψ₂ of a row is stored.
      const forms = columnForms(q);
      const contracted = (matrices: Tensor2D, weights?: Tensor2D) =>
        expectations.contracted!(op.reshape(matrices, [-1, ...q.factor.shape]), weights);
      const whole = contracted(op.matMul<Tensor2D>(precisions, forms.matrices));
      // Complete rows are summed alike in any company.
      const scatter =
        present === undefined
          ? whole
          : op.where<Tensor1D>(
              op.greater(op.min(present, 1), 0),
              whole,
              contracted(forms.matrices, op.mul<Tensor2D>(present, precisions)),
            );
      return op.sub(summed(entries(momentsBy(expectations, forms))), op.mul(0.5, scatter));
    }
    if (expectations !== undefined) return summed(entries(uncertainMoments(kernel, at.kernel, q, at.x)));
  }
  const latentDim = at.x.mean.shape[1];
  const draws = () => drawnNodes(1, latentDim, DENSITY_DRAWS, seededRandom(SEED));
  const nodes = densityNodes(uncertain, draws, latentDim);
  const all = densitiesAtNodes(kernel, at.kernel, q, at, nodes, likelihood, at.likelihood, y);
  return summed(op.sum(op.reshape(all, [nodes.weights.length, ...y.shape]), 0));
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
 * Moments of the functions at latents that are Gaussians, x_n ~ N(μ_n, diag s_n), with functions and latents integrated out:
 *
 *   mean b_dᵀΨ₁ₙ, variance ψ₀ₙ + tr(B_dΨ₂ₙ) − (b_dᵀΨ₁ₙ)², with Ψ₁ₙ and Ψ₂ₙ of one point.
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
  const forms = columnForms(posterior);
  const parts = Array.from({ length: Math.ceil(n / POINTS) }, (_, k) => {
    const from = k * POINTS;
    const some = (x: Tensor2D) => op.slice<Tensor2D>(x, [from, 0], [Math.min(POINTS, n - from), q]);
    const expectations = expectationsByPoint(
      kernel,
      p,
      { mean: some(mean), variance: some(variance) },
      posterior.inducing,
    );
    const products = op.reshape<Tensor2D>(op.stack(expectations.products()), [-1, forms.matrices.shape[1]]);
    return momentsBy(expectations, forms, op.matMul(products, forms.matrices, false, true));
  });
  const together = (of: keyof Moments) => op.concat(parts.map((part) => part[of]));
  return { mean: together('mean'), variance: together('variance') };
}

/** Moments from tr(B_dΨ₂ₙ), n×D; without it, the variances lack it. */
function momentsBy({ cross, diagonal }: Expectations, { means }: ColumnForms, scatter: Tensor2D | number = 0): Moments {
  const mean = op.matMul<Tensor2D>(cross, means, false, true);
  const rest = op.sub<Tensor2D>(op.reshape(diagonal, [-1, 1]), op.square(mean));
  return { mean, variance: op.add<Tensor2D>(rest, scatter) };
}

/** Rows b_d = L⁻ᵀm_d, D×M, and B_d = b_d·b_dᵀ + L⁻ᵀ(C_dC_dᵀ − I)L⁻¹ with M² entries each. */
interface ColumnForms {
  readonly means: Tensor2D;
  readonly matrices: Tensor2D;
}

function columnForms({ factor, groups }: InducingPosterior<Tensor2D>): ColumnForms {
  const [M] = factor.shape;
  const solved = (side: Tensor2D) => op.transpose<Tensor2D>(op.triangularSolve(factor, side, { transpose: true }));
  const parts = groups.map(({ mean, roots }): ColumnForms => {
    const means = solved(mean);
    const spreads = op.unstack<Tensor2D>(op.reshape(roots, [-1, M, M])).map((root) => {
      // The difference first: where the data contain little information, the factor's inverse would multiply the rounding errors of both.
      const spread = solved(solved(op.sub(op.matMul(root, root, true), op.eye(M))));
      return op.reshape<Tensor2D>(spread, [1, M * M]);
    });
    const squares = op.mul(op.reshape(means, [-1, M, 1]), op.reshape(means, [-1, 1, M]));
    return { means, matrices: op.add<Tensor2D>(op.reshape(squares, [-1, M * M]), op.concat(spreads, 0)) };
  });
  const listed = groups.flatMap(({ columns }) => Array.from(columns));
  const places = Int32Array.from(listed.keys()).sort((a, b) => listed[a]! - listed[b]!);
  const ordered = (of: keyof ColumnForms) =>
    op.gather<Tensor2D>(
      op.concat(
        parts.map((part) => part[of]),
        0,
      ),
      places,
    );
  return { means: ordered('means'), matrices: ordered('matrices') };
}

/** Expectations with separate products for each point. */
function expectationsByPoint(kernel: Kernel, p: TensorMap, x: op.GaussianRows, Z: Tensor2D): Expectations {
  const [n, q] = x.mean.shape;
  const inputs = { x, Z, weights: op.eye(n) as Tensor2D };
  const found = latentExpectations(kernel, p, inputs);
  return found ?? quadratureExpectations(kernel, p, inputs, drawnNodes(1, q, DRAWS, seededRandom(SEED)));
}
