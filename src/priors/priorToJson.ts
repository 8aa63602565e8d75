import { checkGiven, isPart } from '../core/options.ts';
import type { Graph } from '../engine/graph/graph.ts';
import { graphToJSON } from '../engine/graph/json.ts';
import type { Kernel } from '../kernels/kernel.ts';
import { kernelToJSON } from '../kernels/kernelToJson.ts';
import type { Prior } from '../model/language/density.ts';
import { isParameter } from '../model/parameter.ts';
import { parameterToJSON } from '../model/parameterToJson.ts';
import { plainData } from '../model/plainData.ts';

/** A prior as plain JSON: the factory call that makes it. */
export interface PriorJSON {
  readonly prior: string;
  readonly arguments: readonly unknown[];
}

export function priorToJSON(prior: Prior): PriorJSON {
  checkGiven(prior, 'priorToJSON', 'a prior, such as standardNormal()', (given) =>
    isPart(given, 'density', ['logDensity']),
  );
  const { name, arguments: given } = prior.call ?? { name: prior.name, arguments: [] };
  return { prior: name, arguments: given.map((each, i) => written(each, `argument ${i} of ${name}`)) };
}

const isGraph = (value: object): value is Graph => 'sources' in value && 'targets' in value && 'weights' in value;

/** An argument of a factory as plain JSON. */
function written(value: unknown, place: string): unknown {
  if (typeof value !== 'object' || value === null) return plainData(value, place);
  if (isParameter(value)) return { '~parameter': parameterToJSON(value) };
  if (isPart(value, 'kernel', ['covariance'])) return { '~kernel': kernelToJSON(value as Kernel) };
  if (isGraph(value)) return { '~graph': graphToJSON(value) };
  if (Array.isArray(value)) return value.map((entry, i) => written(entry, `${place}[${i}]`));
  if (Object.getPrototypeOf(value) !== Object.prototype) return plainData(value, place);
  const entries = Object.entries(value).filter(([, entry]) => entry !== undefined);
  return Object.fromEntries(entries.map(([key, entry]) => [key, written(entry, `${place}.${key}`)]));
}
