import * as v from 'valibot';
import { InvalidInputError } from '../../../core/errors.ts';
import type { Matrix } from '../../../core/matrix.ts';
import { integerFromOne } from '../../../core/options.ts';
import type { Graph } from '../../../engine/graph/graph.ts';
import { graphToJSON } from '../../../engine/graph/json.ts';
import type { Kernel } from '../../../kernels/kernel.ts';
import { kernelToJSON } from '../../../kernels/kernelToJson.ts';
import type { Placing, Spectral } from '../../../model/abilities.ts';
import type { Embedding } from '../../../model/computation.ts';
import type { ComputedModel, ComputedSolution } from '../../../model/computedModel.ts';
import type { ModelJSON } from '../../../model/model.ts';

/** Settings of the authors' programs, which differ from the defaults. */
export type Preset = 'lawrence2012';

export const presetOption = v.optional(v.picklist(['lawrence2012'], "'lawrence2012'"));

export const latentDimOption = v.optional(integerFromOne, 2);
/** Description of a number or Infinity; JSON represents Infinity by a string. */
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

/** Fraction of the trace that is added to the diagonal of local Gram matrices. */
export const regularizationOption = <T extends number | 'auto'>(standard: T) =>
  v.optional(
    v.union([v.literal('auto'), v.pipe(v.number(), v.finite(), v.minValue(0))], "a number from 0, or 'auto'"),
    standard,
  );

/** JSON form of a spectral model: its observations and options, with kernels as JSON and without Infinity. */
interface SavedSpectral {
  readonly model: string;
  /** Observations; missing entries are null. */
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

/** Options in the order of their schema, which is also the order in saved files. */
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

/** Shapes of the parts of an embedding of N points, or of those that it shows: q latents and eigenvalues, and others. */
export const embeddingShapes = (
  N: number,
  { latents: { columns: q }, parameters: { points } }: ComputedSolution,
  others: (q: number) => Readonly<Record<string, readonly number[]>> = () => ({}),
) => ({ latents: [(points as readonly number[] | undefined)?.length ?? N, q], eigenvalues: [q], ...others(q) });

/** Model that embeds by eigenvectors; `A` adds abilities of its fits to eigenvalues and the projection of new points. */
export type SpectralModel<A = unknown> = ComputedModel<Spectral & Placing & A>;

/** Model that embeds a graph without observations, so that its fits cannot project new ones. */
export type GraphEmbedding<A = unknown> = ComputedModel<Spectral & A>;

/** Embedding by eigenvectors. */
export type SpectralEmbedding = Embedding & { readonly eigenvalues: Float64Array };

/** Term of a model that maximizes a trace: the sum of the eigenvalues it retains, negative if it retains the smallest. */
export function traceTerm(eigenvalues: Float64Array, sign: 1 | -1): Pick<Embedding, 'objective' | 'terms'> {
  const objective = sign * eigenvalues.reduce((sum, value) => sum + value, 0);
  return { objective, terms: { trace: objective } };
}

/** Throws if all rows are equal. Otherwise rounding would produce an embedding of size 1e-16. */
export function checkVaried({ rows, columns, data }: Matrix, name: string): void {
  if (data.some((entry, k) => entry !== data[k % columns]!)) return;
  throw new InvalidInputError(
    `All ${rows} points are the same, so ${name} has nothing to embed. Give points that differ.`,
  );
}
