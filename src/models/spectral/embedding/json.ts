import * as v from 'valibot';
import { checkSaved, readingAt } from '../../../core/saved.ts';
import { graphFromJSON } from '../../../engine/graph/json.ts';
import type { Labels } from '../../../engine/graph/labelGraph.ts';
import { type KernelCatalog, kernelFromJSON } from '../../../kernels/json.ts';
import type { AnyModel, ModelJSON } from '../../../model/model.ts';
import type { NamedModel } from '../../catalog.ts';
import { savedRows } from '../../savedFit.ts';

/** Options that may contain a kernel. */
const KERNELS = ['kernel', 'distances'];

const schema = v.strictObject({
  model: v.string(),
  observations: savedRows,
  options: v.record(v.string(), v.unknown()),
});

/** Restores a spectral model from its `toJSON`. */
export function spectralModelFromJSON(
  json: ModelJSON,
  named: NamedModel,
  kernels: KernelCatalog | undefined,
): AnyModel {
  const { observations: rows, options } = checkSaved(schema, json, 'model');
  const restored = Object.entries(options).map(([name, value]) => {
    const place = `model.options.${name}`;
    if (value === null) return [name, Infinity];
    if (name === 'graph') return [name, readingAt(place, () => graphFromJSON(value))];
    const isKernel = KERNELS.includes(name) && typeof value === 'object';
    return [name, isKernel ? kernelFromJSON(value, kernels, {}, place) : value];
  });
  const { graph, squaredDistances, labels, ...rest } = Object.fromEntries(restored) as Record<string, unknown>;
  if (graph === undefined) return named.make(rows, labels as Labels | undefined, rest);
  const given = { graph, ...(squaredDistances !== undefined && { squaredDistances }) };
  return rows.length === 0
    ? named.make(given as never, undefined, rest)
    : named.make(rows, undefined, { ...rest, ...given });
}
