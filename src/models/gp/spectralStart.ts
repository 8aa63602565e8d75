import type { Matrix } from '../../core/matrix.ts';
import { connectedComponents } from '../../engine/graph/connectedComponents.ts';
import { knnGraph } from '../../engine/graph/neighborhoodGraph.ts';
import { type Embedding, embeddingOf } from '../../model/computation.ts';
import { isomap } from '../spectral/isomap.ts';
import { laplacianEigenmaps } from '../spectral/laplacianEigenmaps.ts';

/** Number of neighbors of each point, if that connects all points. */
const NEIGHBORS = 10;

/** Latents from a spectral model, with enough neighbors to connect all points. */
export function spectralStart(kind: 'isomap' | 'eigenmaps', Y: Matrix, latentDim: number): Embedding {
  const neighbors = connectingNeighbors(Y);
  const options = { latentDim, neighbors };
  return embeddingOf(kind === 'isomap' ? isomap(Y, options) : laplacianEigenmaps(Y, options));
}

function connectingNeighbors(Y: Matrix): number {
  let k = Math.min(NEIGHBORS, Y.rows - 1);
  while (k < Y.rows - 1 && connectedComponents(knnGraph(Y, k)).sizes.length > 1) k = Math.min(2 * k, Y.rows - 1);
  return k;
}
