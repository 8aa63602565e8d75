import { square } from '../../core/elementary/index.ts';
import { type IncidentEdges, incidentEdges } from '../../engine/graph/graph.ts';
import type { EdgeList } from '../../engine/sparse/index.ts';
import type { LaplacianFactor } from '../../engine/sparse/laplacianFactor.ts';
import type { Front } from '../../engine/sparse/selectedInverse.ts';
import type { Preconditioner } from '../../inference/solvers/conjugateGradients.ts';

/**
 * An approximate inverse GᵀG of A = S + diag(shift) on some edges of a field, S_ef = (a_eᵀU a_f)²/(R_e·R_f), a_e = e_i − e_j: the Hessian of
 * −log|Q| in w_e·R_e.
 *
 * The row of G for an edge is exact for the edge and those that share a point with it and come later in the elimination order, whose resistances are
 * all available from the factor. GᵀG is always positive definite. Since distant edges are nearly independent (on a surface, S falls with the fourth
 * power of the distance), conjugate gradients need a few steps for any number of points.
 *
 * @param factor - factor of a graph that contains these edges, at the current weights
 * @param pairs - the edges
 * @param shift - ≥ 0, one per edge
 * @see Kolotilina & Yeremin, SIAM J. Matrix Anal. Appl. 14 (1993), on factorized sparse approximate inverses
 */
export function localInverse(factor: LaplacianFactor, pairs: EdgeList, shift: Float64Array): Preconditioner {
  const { starts, lengths, columns, entries } = localRows(factor, pairs, shift);
  return (r, x) => {
    x.fill(0);
    for (let a = 0; a < starts.length; a++) {
      const begin = starts[a]!;
      const end = begin + lengths[a]!;
      let sum = 0;
      for (let p = begin; p < end; p++) sum += entries[p]! * r[columns[p]!]!;
      for (let p = begin; p < end; p++) x[columns[p]!]! += entries[p]! * sum;
    }
  };
}

/** Rows of a sparse matrix: row a has `lengths[a]` entries from `starts[a]` on. */
interface SparseRows {
  readonly starts: Int32Array;
  readonly lengths: Uint8Array;
  readonly columns: Int32Array;
  readonly entries: Float64Array;
}

/** Largest number of other edges in the row of an edge. */
const MOST = 16;

/** Squared correlation of two edges below which they are treated as independent. */
const WEAK = 1e-3;

/** The rows of G, see `localInverse`. */
function localRows(factor: LaplacianFactor, pairs: EdgeList, shift: Float64Array): SparseRows {
  const count = pairs.sources.length;
  const incident = incidentEdges(pairs);
  const starts = new Int32Array(count);
  const lengths = new Uint8Array(count);
  let columns = new Int32Array(4 * count + MOST + 1);
  let entries = new Float64Array(4 * count + MOST + 1);
  let end = 0;
  const place = new Int32Array(pairs.size);
  const local = localEdges(pairs, place, incident, shift);
  factor.eachFront((front) => {
    const { size, nodes } = front;
    for (let a = 0; a < size; a++) place[nodes[a]!] = a + 1;
    for (let j = 0; j < front.columns; j++) {
      const node = nodes[j]!;
      for (let p = incident.starts[node]!; p < incident.starts[node + 1]!; p++) {
        const edge = incident.edges[p]!;
        if (place[incident.others[p]!]! <= j + 1) continue;
        if (end + MOST + 1 > columns.length) {
          columns = grown(columns, new Int32Array(2 * columns.length));
          entries = grown(entries, new Float64Array(2 * entries.length));
        }
        const length = local.choose(front, edge, j);
        local.solve(front, length, entries, end);
        starts[edge] = end;
        lengths[edge] = length;
        for (let k = 0; k < length; k++) columns[end++] = local.chosen[k]!;
      }
    }
    for (let a = 0; a < size; a++) place[nodes[a]!] = 0;
  });
  return { starts, lengths, columns, entries };
}

function grown<T extends Int32Array | Float64Array>(from: T, into: T): T {
  into.set(from);
  return into;
}

/** The edges around one edge, and the small system solved for its row; `place` is a node's index in the front from 1, 0 outside. */
function localEdges(
  { sources, targets }: EdgeList,
  place: Int32Array,
  { starts, edges, others }: IncidentEdges,
  shift: Float64Array,
) {
  const chosen = new Int32Array(MOST + 1);
  const strength = new Float64Array(MOST + 1);
  const A = new Float64Array(square(MOST + 1));

  const resistance = ({ size, resistances }: Front, e: number) =>
    resistances[(place[sources[e]!]! - 1) * size + place[targets[e]!]! - 1]!;
  const scaledHessian = (front: Front, e: number, f: number) => {
    const { size, resistances } = front;
    const i = (place[sources[e]!]! - 1) * size;
    const j = (place[targets[e]!]! - 1) * size;
    const k = place[sources[f]!]! - 1;
    const l = place[targets[f]!]! - 1;
    const across = 0.5 * (resistances[i + l]! + resistances[j + k]! - resistances[i + k]! - resistances[j + l]!);
    return (across * across) / (resistance(front, e) * resistance(front, f));
  };

  /** Keeps the strongest of the edges at `node` whose ends both come after column j, or that share column j and have lower numbers. */
  const gather = (front: Front, edge: number, node: number, j: number, count: number): number => {
    let kept = count;
    const own = place[node]! === j + 1;
    for (let p = starts[node]!; p < starts[node + 1]!; p++) {
      const f = edges[p]!;
      const after = place[others[p]!]! > j + 1;
      if (f === edge || !after || (own && f > edge)) continue;
      const S = scaledHessian(front, edge, f);
      const squared = (S * S) / ((1 + shift[edge]!) * (1 + shift[f]!));
      if (squared < WEAK) continue;
      let k = kept < MOST ? kept++ : MOST;
      if (k === MOST && squared <= strength[MOST - 1]!) continue;
      if (k === MOST) k--;
      for (; k > 0 && strength[k - 1]! < squared; k--) {
        strength[k] = strength[k - 1]!;
        chosen[k] = chosen[k - 1]!;
      }
      strength[k] = squared;
      chosen[k] = f;
    }
    return kept;
  };

  return {
    chosen,
    /** Fills `chosen` with the edges of the row, the edge itself last, and returns their number. */
    choose(front: Front, edge: number, j: number): number {
      let count = gather(front, edge, sources[edge]!, j, 0);
      count = gather(front, edge, targets[edge]!, j, count);
      chosen[count] = edge;
      return count + 1;
    },
    /** g = K⁻ᵀ·(last unit vector), K the Cholesky factor of A on the chosen edges. */
    solve(front: Front, n: number, g: Float64Array, at: number): void {
      for (let a = 0; a < n; a++) {
        for (let b = 0; b <= a; b++) {
          // Edges that are nearly parallel to others leave a pivot of rounding errors.
          let entry = a === b ? 1 + 1e-10 + shift[chosen[a]!]! : scaledHessian(front, chosen[a]!, chosen[b]!);
          for (let k = 0; k < b; k++) entry -= A[a * n + k]! * A[b * n + k]!;
          A[a * n + b] = a === b ? Math.sqrt(Math.max(entry, 1e-12)) : entry / A[b * n + b]!;
        }
      }
      g[at + n - 1] = 1 / A[n * n - 1]!;
      for (let a = n - 2; a >= 0; a--) {
        let sum = 0;
        for (let k = a + 1; k < n; k++) sum -= A[k * n + a]! * g[at + k]!;
        g[at + a] = sum / A[a * n + a]!;
      }
    },
  };
}
