import type { Matrix } from '../../core/matrix.ts';
import type { Graph } from '../../engine/graph/graph.ts';
import type { LearnedByLayer } from '../../model/posterior.ts';
import { fieldEmbedding } from '../embedding/fieldEmbedding.ts';
import type { JoinedField } from './placement.ts';

// The code for projections is loaded on demand, as most pages do not use it.
const placing = () => import('../../later.ts');

/**
 * The learned field with coordinates from its sparse factor, and projections of new rows.
 *
 * @param rows - how new rows join the field; without it, they have no coordinates
 * @param ties - equal points, which get the same coordinates
 */
export function withCoordinates(
  learned: LearnedByLayer,
  base: number,
  rows: Omit<JoinedField, 'graph' | 'basePrecision'> | undefined,
  ties: readonly (readonly number[])[],
): LearnedByLayer {
  const graph: Graph = learned.graph;
  const joined = rows && { ...rows, graph, basePrecision: base };
  return {
    ...learned,
    field: {
      ...learned.field,
      ...(joined && { reconstruct: async (Y: Matrix) => (await placing()).reconstructed(joined, Y) }),
    },
    embedding: (dim, by) => {
      const found = fieldEmbedding(graph, base, dim, by);
      for (const points of ties) moveToMean(found.latents, points);
      if (joined === undefined) return found;
      const placement = {
        acceptsMissing: true,
        observedColumns: joined.observations.columns,
        place: async (Y: Matrix) => (await placing()).placed({ ...joined, ...found, embedding: by }, Y),
      };
      return { ...found, placement };
    },
  };
}

/** Replaces the coordinates of equal points by their mean. */
function moveToMean({ data, columns }: Matrix, points: readonly number[]): void {
  for (let c = 0; c < columns; c++) {
    const mean = points.reduce((sum, i) => sum + data[i * columns + c]!, 0) / points.length;
    for (const i of points) data[i * columns + c] = mean;
  }
}
