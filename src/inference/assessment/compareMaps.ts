import * as v from 'valibot';
import { InvalidInputError } from '../../core/errors.ts';
import type { Matrix, MatrixLike } from '../../core/matrix.ts';
import { checkOptions, integerFromOne } from '../../core/options.ts';
import { rowsOf } from '../../core/rowMatrices.ts';
import { counted } from '../../core/wording.ts';
import { usualNeighbors } from '../scores/localScores.ts';
import { pointsFrom } from '../scores/points.ts';
import { stabilityOf } from './stability.ts';

export interface CompareMapsOptions {
  /** Number k of nearest neighbors; default 10, or the largest number below a quarter of the points. */
  readonly neighbors?: number;
  /** Names of the points of both maps, used for matching; by default rows are matched by number. */
  readonly ids?: readonly [first: readonly string[], second: readonly string[]];
}

/** Similarity of two maps. */
export interface MapComparison {
  /** Rows of the common points in each map, in the order of the first map. */
  readonly points: { readonly first: Int32Array; readonly second: Int32Array };
  /** Number k of nearest neighbors. */
  readonly neighbors: number;
  /** Mean share of the k nearest neighbors on one map that are among those on the other. */
  readonly overlap: number;
  /** Expected overlap of unrelated maps, k/(n − 1). */
  readonly byChance: number;
  /**
   * 1 − (Σσ)²/(‖X‖²·‖X′‖²), σ the singular values of XᵀX′, both centered: 0 for maps that differ only by a rotation, reflection, shift and scale, 1
   * for unrelated maps.
   */
  readonly procrustes: number;
  /**
   * Per point, the share of neighbors that are kept, and the distance between its two positions after that alignment, in root mean square radii of
   * the first map.
   */
  readonly pointwise: { readonly overlap: Float64Array; readonly displacement: Float64Array };
}

/** Minimum number of common points. */
const FEWEST = 4;

/**
 * Compares two maps on their common points: the overlap of nearest neighbors, and the disparity that remains after the best rotation, reflection,
 * shift and scale.
 *
 * @param first - latents, N×q, or a fit
 * @param second - latents or a fit, with any number of dimensions
 * @throws InvalidInputError if the maps have fewer than four points in common, names are repeated, or rows cannot be matched
 * @see Gower & Dijksterhuis 2004, ch. 4
 * @example
 * ```ts
 * const { overlap, byChance, procrustes } = compareMaps(await fit(pca(Y, { latentDim: 2 })), await fit(tsne(Y, { latentDim: 2 })));
 * ```
 */
export function compareMaps(
  first: MatrixLike | { readonly latents: Matrix },
  second: MatrixLike | { readonly latents: Matrix },
  options: CompareMapsOptions = {},
): MapComparison {
  const { neighbors, ids } = checkOptions(schema, options, 'compareMaps');
  const [A, B] = [latentsOf(first, 'The first map'), latentsOf(second, 'The second map')];
  const points = ids === undefined ? sameRows(A, B) : sameIds([A, B], ids as unknown as [string[], string[]]);
  const n = points.first.length;
  if (n < FEWEST) {
    throw new InvalidInputError(
      `The maps have ${counted(n, 'point')} in common, and a comparison takes ${FEWEST}. Give maps of the same points.`,
    );
  }
  const k = neighbors ?? usualNeighbors(n);
  if (k >= n) {
    throw new InvalidInputError(`neighbors is less than the ${n} points that both maps have, but ${k} was given.`);
  }
  const other = { points: Int32Array.from({ length: n }, (_, i) => i), latents: rowsOf(B, points.second) };
  const { overlap, procrustes, pointwise } = stabilityOf(rowsOf(A, points.first), [other], k)!;
  return Object.freeze({ points, neighbors: k, overlap, byChance: k / (n - 1), procrustes, pointwise });
}

const schema = v.strictObject({
  neighbors: v.optional(integerFromOne),
  ids: v.optional(v.tuple([v.array(v.string()), v.array(v.string())], 'two lists of names, one for each map')),
});

const latentsOf = (map: MatrixLike | { readonly latents: Matrix }, name: string): Matrix =>
  pointsFrom(typeof map === 'object' && map !== null && 'latents' in map ? map.latents : (map as MatrixLike), name, 2);

function sameRows({ rows }: Matrix, other: Matrix) {
  if (rows !== other.rows) {
    throw new InvalidInputError(
      `The maps have ${rows} and ${other.rows} points. Give \`ids\` to match the points that both have.`,
    );
  }
  const all = Int32Array.from({ length: rows }, (_, i) => i);
  return { first: all, second: all };
}

function sameIds(maps: readonly [Matrix, Matrix], ids: readonly [readonly string[], readonly string[]]) {
  ids.forEach((own, m) => {
    const { rows } = maps[m]!;
    if (own.length !== rows) {
      throw new InvalidInputError(`Map ${m + 1} has ${rows} points, but ${own.length} ids. Give one for each point.`);
    }
    const seen = new Set<string>();
    const twice = own.find((id) => seen.size === seen.add(id).size);
    if (twice !== undefined) {
      throw new InvalidInputError(
        `Map ${m + 1} has several points '${twice}', which cannot be matched. Name each once.`,
      );
    }
  });
  const places = new Map(ids[1].map((id, i) => [id, i]));
  const both = Array.from(ids[0].keys()).filter((i) => places.has(ids[0][i]!));
  return {
    first: Int32Array.from(both),
    second: Int32Array.from(both, (i) => places.get(ids[0][i]!)!),
  };
}
