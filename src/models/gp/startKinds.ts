import { Matrix } from '../../core/matrix.ts';
import { seededRandom } from '../../core/random.ts';
import type { LatentDistribution } from '../../latents/latentDistribution.ts';
import type { Latents } from '../../latents/latents.ts';
import { type Embedding, embeddingOf } from '../../model/computation.ts';
import type { ParameterValues, StartKind } from '../../model/model.ts';
import { connectedComponents } from '../../numerics/graph/connectedComponents.ts';
import { knnGraph } from '../../numerics/graph/neighbourhoodGraph.ts';
import { isomap } from '../spectral/isomap.ts';
import { laplacianEigenmaps } from '../spectral/laplacianEigenmaps.ts';

/** Neighbours of each point in a spectral start, where they connect all. */
const NEIGHBOURS = 10;

/** Values of the parameters of latents that start elsewhere, by path. */
export function startValues(
  { from }: Latents | LatentDistribution,
  kind: Exclude<StartKind, 'model'>,
  Y: Matrix,
  latentDim: number,
  seed: number,
): ParameterValues {
  const init =
    kind === 'pca' ? kind : kind === 'random' ? normals(Y.rows, latentDim, seed) : spectralStart(kind, Y, latentDim);
  const parameters = from(init).parameters(Y, latentDim, seed);
  return Object.fromEntries(Object.entries(parameters).map(([path, { initial }]) => [path, initial]));
}

function spectralStart(kind: 'isomap' | 'eigenmaps', Y: Matrix, latentDim: number): Embedding {
  const neighbours = connectingNeighbours(Y);
  const options = { latentDim, neighbours };
  return embeddingOf(kind === 'isomap' ? isomap(Y, options) : laplacianEigenmaps(Y, options));
}

function connectingNeighbours(Y: Matrix): number {
  let k = Math.min(NEIGHBOURS, Y.rows - 1);
  while (k < Y.rows - 1 && connectedComponents(knnGraph(Y, k)).sizes.length > 1) k = Math.min(2 * k, Y.rows - 1);
  return k;
}

function normals(rows: number, columns: number, seed: number): Matrix {
  const random = seededRandom(seed);
  return new Matrix(
    Float64Array.from({ length: rows * columns }, () => random.normal()),
    rows,
    columns,
  );
}
