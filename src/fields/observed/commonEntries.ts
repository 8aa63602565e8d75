import { square } from '../../core/elementary/index.ts';
import { InvalidInputError } from '../../core/errors.ts';
import type { Matrix } from '../../core/matrix.ts';
import { checkObservedRows } from '../../core/observations.ts';
import { counted } from '../../core/wording.ts';
import { edgesOfPairs, type Graph, pairKey } from '../../engine/graph/graph.ts';
import { checkNeighbors } from '../../engine/graph/neighborhoodGraph.ts';
import { Nearest } from '../../engine/neighbors/nearest.ts';

/**
 * The k-nearest-neighbor graph (or-rule) of rows with missing entries (NaN), by the mean squared difference of entries observed in both rows; D times
 * this mean is the squared distance of an edge. Rows without a common entry are not neighbors.
 *
 * @throws InvalidInputError if k is not from 1 to N − 1, a row has no entry, or a row has entries in common with fewer than k others
 */
export function commonEntriesGraph(Y: Matrix, k: number): { graph: Graph; squaredDistances: Float64Array } {
  const { rows: N } = checkObservedRows(Y, 'the observations');
  const search = new Nearest(checkNeighbors(k, N, 'meu'));
  const rows = new Int32Array(k);
  const keys = new Float64Array(N * k);
  for (let i = 0; i < N; i++) {
    let comparable = 0;
    for (let j = 0; j < N; j++) {
      if (j === i) continue;
      const square = commonSquaredDistance(Y, i, j);
      if (Number.isNaN(square)) continue;
      comparable++;
      if (square < search.worst) search.offer(square, j);
    }
    if (comparable < k) {
      throw new InvalidInputError(
        comparable === 0
          ? `Row index ${i} of the observations shares no observed column with another row, so it cannot be placed. Leave it out.`
          : `Row index ${i} of the observations has entries in common with ${counted(comparable, 'other row')} only, so it has no ${k} neighbors. Leave it out, or take fewer neighbors.`,
      );
    }
    search.drain(rows, new Float64Array(k), 0);
    rows.forEach((j, n) => {
      keys[i * k + n] = pairKey(i, j, N);
    });
  }
  const graph = Object.freeze({ size: N, ...edgesOfPairs(keys, N, () => 1) });
  const squaredDistances = Float64Array.from(graph.sources, (i, e) => commonSquaredDistance(Y, i, graph.targets[e]!));
  return { graph, squaredDistances };
}

/** D times the mean squared difference of common entries; NaN if there are none. */
export function commonSquaredDistance({ data, columns: D }: Matrix, i: number, j: number): number {
  let sum = 0;
  let common = 0;
  for (let d = 0; d < D; d++) {
    const difference = data[i * D + d]! - data[j * D + d]!;
    if (Number.isNaN(difference)) continue;
    sum += difference * difference;
    common++;
  }
  return common === D ? sum : (sum * D) / common;
}

/**
 * Squared distances between a row and every row of Y over the observed entries of the row (not NaN), times D over their number.
 *
 * If only |O| of a row's D columns are observed, they act as c·|O|/D copies of the field. The optimality condition c·|O|/D·M = Σ_O (y_*d − y_jd)² is
 * therefore the condition of c copies at this distance.
 */
export function observedSquaredDistances({ data, rows: N, columns: D }: Matrix): (row: Float64Array) => Float64Array {
  return (row) => {
    const observed = Int32Array.from(row.keys()).filter((d) => !Number.isNaN(row[d]));
    const part = D / observed.length;
    return Float64Array.from({ length: N }, (_, j) => {
      let sum = 0;
      for (const d of observed) sum += square(row[d]! - data[j * D + d]!);
      return observed.length === D ? sum : sum * part;
    });
  };
}
