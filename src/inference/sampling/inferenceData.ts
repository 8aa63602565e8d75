import type { Matrix } from '../../core/matrix.ts';
import { withPlainNumbers } from '../../core/plainNumbers.ts';
import type { DrawsRecord } from './draws.ts';

/** Nested lists of numbers, chains × draws × shape. */
export type NestedNumbers = number | readonly NestedNumbers[];

/** The JSON form of ArviZ's InferenceData (`InferenceData.to_json`): groups of variables, each chains × draws × shape. */
export interface InferenceData {
  readonly posterior: Readonly<Record<string, NestedNumbers>>;
  readonly posterior_attrs: Readonly<Record<string, string | number>>;
  readonly posterior_dims: Readonly<Record<string, readonly string[]>>;
  readonly sample_stats: Readonly<Record<string, NestedNumbers>>;
  readonly sample_stats_attrs: Readonly<Record<string, string | number>>;
}

/** ArviZ's names of the statistics of transitions. */
const STATS = {
  acceptance_rate: 'acceptance',
  tree_depth: 'depth',
  n_steps: 'evaluations',
  diverging: 'divergent',
  energy: 'energy',
  step_size: 'stepSize',
  lp: 'logDensity',
} as const;

/** @see https://python.arviz.org/en/stable/schema/schema.html */
export function inferenceDataOf(model: string, record: DrawsRecord): InferenceData {
  const { chains, draws, variables, values, statistics } = record;
  const attributes = {
    inference_library: 'latentfield',
    model,
    sampling_method: record.sampler,
    tuning_steps: record.warmup,
    sampling_time: record.seconds,
  };
  const stats = Object.entries(STATS).filter(([, own]) => statistics[own].some((entry) => !Number.isNaN(entry)));
  return withPlainNumbers({
    posterior: Object.fromEntries(
      variables.map(({ path, shape }) => [path, nested(values[path]!, [chains, draws, ...shape])]),
    ),
    posterior_attrs: attributes,
    posterior_dims: Object.fromEntries(
      variables
        .filter(({ shape }) => shape.length > 0)
        .map(({ path, shape }) => [path, shape.map((_, d) => `${path}_dim_${d}`)]),
    ),
    sample_stats: Object.fromEntries(
      stats.map(([name, own]) => [
        name,
        nested(statistics[own], [chains, draws], name === 'diverging' ? (entry) => entry === 1 : undefined),
      ]),
    ),
    sample_stats_attrs: attributes,
  }) as InferenceData;
}

function nested(
  entries: Float64Array,
  shape: readonly number[],
  as: (entry: number) => unknown = (entry) => entry,
): unknown {
  let all: unknown[] = Array.from(entries, as);
  for (const length of shape.slice(1).reverse()) {
    all = Array.from({ length: all.length / length }, (_, k) => all.slice(k * length, (k + 1) * length));
  }
  return all;
}

/** Comma-separated values with one row per draw. */
export function csvOf(
  names: readonly string[],
  values: (name: string) => Matrix,
  chains: number,
  draws: number,
): string {
  const columns = names.map(values);
  const quoted = (name: string) => (name.includes(',') ? `"${name}"` : name);
  const lines = [['chain', 'draw', ...names.map(quoted)].join(',')];
  for (let c = 0; c < chains; c++) {
    for (let s = 0; s < draws; s++) lines.push([c, s, ...columns.map((column) => column.at(c, s))].join(','));
  }
  return `${lines.join('\n')}\n`;
}
