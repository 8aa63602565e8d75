import * as v from 'valibot';
import type { Matrix } from '../../../core/matrix.ts';
import { integerFromOne } from '../../../core/options.ts';
import type { Graph } from '../../../engine/graph/graph.ts';
import { graphToJSON } from '../../../engine/graph/json.ts';
import type { Kernel } from '../../../kernels/kernel.ts';
import { kernelToJSON } from '../../../kernels/kernelToJson.ts';
import type { ModelJSON } from '../../../model/model.ts';

export const latentDimOption = v.optional(integerFromOne, 2);
/** JSON has no Infinity: the string is what stands for it there. */
const orInfinity = "a number above 0, or Infinity (in JSON the string 'Infinity')";
export const slackPenaltyOption = v.optional(
  v.union(
    [
      v.pipe(
        v.literal('Infinity'),
        v.transform(() => Infinity),
      ),
      v.pipe(v.number(orInfinity), v.gtValue(0, orInfinity)),
    ],
    orInfinity,
  ),
  Infinity,
);

export const inputOption = v.optional(v.picklist(['points', 'distances'], "'points' or 'distances'"), 'points');

/** Part of the trace added to the diagonal of local Gram matrices. */
export const regularizationOption = <T extends number | 'auto'>(standard: T) =>
  v.optional(
    v.union([v.literal('auto'), v.pipe(v.number(), v.finite(), v.minValue(0))], "a number from 0, or 'auto'"),
    standard,
  );

/** What a spectral model writes about itself: its observations and options, with kernels as JSON and no Infinity. */
export interface SavedSpectral {
  readonly model: string;
  /** Missing entries are null. */
  readonly observations: (number | null)[][];
  readonly options: Readonly<Record<string, unknown>>;
}

export function savedSpectral(model: string, observations: Matrix, options: object): SavedSpectral & ModelJSON {
  const plain = Object.entries(options)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => [name, plainOption(value)]);
  const rows = observations.toArrays().map((row) => row.map((entry) => (Number.isNaN(entry) ? null : entry)));
  return { model, observations: rows, options: Object.fromEntries(plain) };
}

/** Options in the order of their schema, in which files are read again. */
export const inOrder = (schema: { readonly entries: object }, options: Readonly<Record<string, unknown>>): object =>
  Object.fromEntries(Object.keys(schema.entries).map((name) => [name, options[name]]));

function plainOption(value: unknown): unknown {
  if (isKernel(value)) return kernelToJSON(value);
  if (isGraph(value)) return graphToJSON(value);
  return value === Infinity ? null : value;
}

const isGraph = (value: unknown): value is Graph => typeof value === 'object' && value !== null && 'sources' in value;

function isKernel(value: unknown): value is Kernel {
  return typeof value === 'object' && value !== null && 'covariance' in value;
}
