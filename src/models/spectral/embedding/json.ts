import type { MatrixLike } from '../../../core/matrix.ts';
import { type KernelCatalogue, type KernelJSON, kernelFromJSON } from '../../../kernels/json.ts';
import type { Model, ModelJSON } from '../../../model/model.ts';
import { graphFromJSON } from '../../../numerics/graph/json.ts';
import { alle } from '../../field/alle.ts';
import { drill } from '../../field/drill.ts';
import { meu } from '../../field/meu.ts';
import { mpme } from '../../field/mpme.ts';
import { classicalMds } from '../classicalMds.ts';
import { isomap } from '../isomap.ts';
import { kernelPca } from '../kernelPca.ts';
import { laplacianEigenmaps } from '../laplacianEigenmaps.ts';
import { lle } from '../lle.ts';
import { mvu } from '../mvu.ts';
import { pca } from '../pca.ts';
import { ppca } from '../ppca.ts';
import type { SavedSpectral } from './options.ts';

type Factory = (Y: MatrixLike, options: object) => Model;

/** The models that embed by eigenvectors, by name. */
const factories: Readonly<Record<string, Factory>> = {
  alle,
  classicalMds,
  drill,
  isomap,
  kernelPca,
  laplacianEigenmaps,
  lle,
  meu,
  mpme,
  mvu,
  pca,
  ppca,
};

/** Options that may hold a kernel. */
const KERNELS = ['kernel', 'distances'];

/** The spectral model that its `toJSON` wrote; undefined when it is not one. */
export function spectralModelFromJSON(json: ModelJSON, kernels: KernelCatalogue | undefined): Model | undefined {
  const factory = Object.hasOwn(factories, json.model) ? factories[json.model] : undefined;
  if (factory === undefined) return undefined;
  const { observations, options } = json as unknown as SavedSpectral;
  const restored = Object.entries(options).map(([name, value]) => {
    if (value === null) return [name, Infinity];
    if (name === 'graph') return [name, graphFromJSON(value)];
    const isKernel = KERNELS.includes(name) && typeof value === 'object';
    return [name, isKernel ? kernelFromJSON(value as KernelJSON, kernels) : value];
  });
  const rows = observations.map((row) => row.map((entry) => entry ?? Number.NaN));
  const { graph, squaredDistances, ...rest } = Object.fromEntries(restored) as Record<string, unknown>;
  if (graph === undefined) return factory(rows, rest);
  const given = { graph, ...(squaredDistances !== undefined && { squaredDistances }) };
  return rows.length === 0 ? factory(given as never, rest) : factory(rows, { ...rest, ...given });
}
