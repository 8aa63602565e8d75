import { exp, log } from '../../core/elementary/index.ts';
import type { Matrix } from '../../core/matrix.ts';
import { stacked } from '../../core/rowMatrices.ts';
import { nearestRow } from '../../engine/neighbors/nearest.ts';
import type { LatentMoments, PlacedBound } from '../../model/posterior.ts';
import { type BatchEvaluation, minimizeBatch } from '../minimize/minimizeBatch.ts';
import { lbfgs } from '../solvers/lbfgs.ts';

/** Number of searches that are evaluated together. */
const AT_ONCE = 256;

/** Number of training Gaussians with the greatest bound that start searches of each row, and the iterations after which only the best continues. */
const NEAREST = 3;
const FIRST_ITERATIONS = 10;

/** Searches whose means and logarithms of variances are this close, means in deviations, have reached the same maximum. */
const SAME = 0.1;

/** Minimum gain of the bound, in nats, over the search from the likeliest point: a smaller gain belongs to a search that has not quite ended. */
const GAIN = 0.01;

/** Starting points of searches for the Gaussians of new rows. */
export interface GaussianStarts {
  /** Likeliest point for each row, n×q. */
  readonly X: Matrix;
  /** Indices of training Gaussians to start from, for each row. */
  readonly training: readonly (readonly number[])[];
}

/** State of a search: the means of a Gaussian and the logarithms of its variances. */
interface Search {
  readonly row: number;
  readonly z: Float64Array;
  /** Bound at this Gaussian. */
  readonly bound: number;
}

/**
 * Gaussians of new rows that maximize the bound. Each row is searched from its likeliest point, with the variances of the nearest training point, and
 * from the training Gaussians with the greatest bound: where the process has little variance, the likeliest point can be far from the maximum of the bound.
 *
 * @param boundAt - contribution of rows, by number, to the bound at Gaussians with these means and variances
 * @param fitted - training Gaussians, N×q
 * @param pause - awaited after every evaluation
 */
export async function projectedGaussians(
  boundAt: (rows: readonly number[], x: LatentMoments, isValue?: boolean) => PlacedBound,
  fitted: LatentMoments,
  { X, training }: GaussianStarts,
  { maxIterations, tolerance }: { readonly maxIterations: number; readonly tolerance: number },
  pause: () => Promise<void>,
): Promise<LatentMoments> {
  const q = fitted.mean.columns;
  const logs = fitted.variance.data.map(log);
  const gaussian = (mean: Float64Array, i: number) => Float64Array.of(...mean, ...logs.subarray(i * q, (i + 1) * q));

  /** Negative bound of each row at its variables z, and the gradient, if not the value alone. */
  function evaluated(rows: readonly number[], asked: readonly Float64Array[], isValue = false): BatchEvaluation {
    const x = {
      mean: stacked(
        asked.map((z) => z.subarray(0, q)),
        q,
      ),
      variance: stacked(
        asked.map((z) => z.subarray(q).map(exp)),
        q,
      ),
    };
    const { values, mean, variance } = boundAt(rows, x, isValue);
    const gradients = asked.map((_, n) => {
      const log = variance.row(n).map((slope, d) => slope * x.variance.at(n, d));
      return Float64Array.of(...mean.row(n), ...log).map((entry) => -entry);
    });
    return { values: values.map((value) => (Number.isFinite(value) ? -value : Number.NaN)), gradients };
  }

  /** Runs searches from Gaussians of rows for this many iterations, with means in the deviations that they start with: all curvatures are then about 1. */
  async function searched(from: readonly Pick<Search, 'row' | 'z'>[], iterations: number): Promise<Search[]> {
    const found: Search[] = [];
    for (let first = 0; first < from.length; first += AT_ONCE) {
      const block = from.slice(first, first + AT_ONCE);
      const scales = block.map(({ z }) => Float64Array.from(z, (_, d) => (d < q ? exp(z[q + d]! / 2) : 1)));
      const natural = (n: number, u: Float64Array) => u.map((entry, d) => entry * scales[n]![d]!);
      const search = minimizeBatch(
        (problems, asked) => {
          const { values, gradients } = evaluated(
            problems.map((n) => block[n]!.row),
            problems.map((n, k) => natural(n, asked[k]!)),
          );
          return { values, gradients: problems.map((n, k) => natural(n, gradients[k]!)) };
        },
        block.map(({ z }, n) => z.map((entry, d) => entry / scales[n]![d]!)),
        lbfgs(),
        { maxIterations: iterations, tolerance },
      );
      let step = search.next();
      while (!step.done) {
        await pause();
        step = search.next();
      }
      const { points, values } = step.value;
      found.push(...block.map(({ row }, n) => ({ row, z: natural(n, points[n]!), bound: -values[n]! })));
    }
    return found;
  }

  /** Bound at each training Gaussian that may start the search of a row. */
  async function atTraining(): Promise<Search[]> {
    const all = training.flatMap((own, row) => own.map((i) => ({ row, z: gaussian(fitted.mean.row(i), i) })));
    const found: Search[] = [];
    for (let first = 0; first < all.length; first += AT_ONCE) {
      const block = all.slice(first, first + AT_ONCE);
      const { values } = evaluated(
        block.map(({ row }) => row),
        block.map(({ z }) => z),
        true,
      );
      found.push(...block.map((own, n) => ({ ...own, bound: -values[n]! })));
      await pause();
    }
    return found;
  }

  /** True if a search is where another has ended, and would end there. */
  function isSame({ z, bound }: Search, end: Search): boolean {
    const apart = (d: number) => Math.abs(z[d]! - end.z[d]!) / (d < q ? exp(end.z[q + d]! / 2) : 1);
    return bound <= end.bound + GAIN && z.every((_, d) => apart(d) <= SAME);
  }

  const begun = await searched(greatest(await atTraining(), NEAREST), Math.min(FIRST_ITERATIONS, maxIterations));
  const likeliest = training.map((_, row) => ({ row, z: gaussian(X.row(row), nearestRow(fitted.mean, X.row(row))) }));
  const best = await searched(likeliest, maxIterations);
  const elsewhere = greatest(begun, 1).filter((search) => !isSame(search, best[search.row]!));
  const others = await searched(elsewhere, maxIterations);
  for (const end of others) {
    const { bound } = best[end.row]!;
    if (Number.isNaN(bound) || end.bound > bound + GAIN) best[end.row] = end;
  }
  return {
    mean: stacked(
      best.map(({ z }) => z.subarray(0, q)),
      q,
    ),
    variance: stacked(
      best.map(({ z }) => z.subarray(q).map(exp)),
      q,
    ),
  };
}

/** Searches with the greatest bounds, at most `most` for each row; those without a bound are left out. */
function greatest(searches: readonly Search[], most: number): Search[] {
  const rows = new Map<number, Search[]>();
  for (const search of searches) {
    if (!Number.isNaN(search.bound)) rows.set(search.row, [...(rows.get(search.row) ?? []), search]);
  }
  return [...rows.values()].flatMap((own) => own.sort((a, b) => b.bound - a.bound).slice(0, most));
}
