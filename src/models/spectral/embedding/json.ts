import { type KernelCatalogue, type KernelJSON, kernelFromJSON } from '../../../kernels/json.ts';
import type { AnyModel, ModelJSON } from '../../../model/model.ts';
import { graphFromJSON } from '../../../numerics/graph/json.ts';
import type { NamedModel } from '../../catalogue.ts';
import type { SavedSpectral } from './options.ts';

/** Options that may hold a kernel. */
const KERNELS = ['kernel', 'distances'];

/** The spectral model that its `toJSON` wrote. */
export function spectralModelFromJSON(
  json: ModelJSON,
  named: NamedModel,
  kernels: KernelCatalogue | undefined,
): AnyModel {
  const { observations, options } = json as unknown as SavedSpectral;
  const restored = Object.entries(options).map(([name, value]) => {
    if (value === null) return [name, Infinity];
    if (name === 'graph') return [name, graphFromJSON(value)];
    const isKernel = KERNELS.includes(name) && typeof value === 'object';
    return [name, isKernel ? kernelFromJSON(value as KernelJSON, kernels) : value];
  });
  const rows = observations.map((row) => row.map((entry) => entry ?? Number.NaN));
  const { graph, squaredDistances, ...rest } = Object.fromEntries(restored) as Record<string, unknown>;
  if (graph === undefined) return named.make(rows, undefined, rest);
  const given = { graph, ...(squaredDistances !== undefined && { squaredDistances }) };
  return rows.length === 0
    ? named.make(given as never, undefined, rest)
    : named.make(rows, undefined, { ...rest, ...given });
}
