import { square } from '../../core/elementary/index.ts';
import { InvalidInputError } from '../../core/errors.ts';
import type { Matrix } from '../../core/matrix.ts';
import {
  checkNumbers,
  deviationsDiffer,
  type ScaleOption,
  type Standardization,
  standardized,
} from '../../core/observations.ts';
import { lazily } from '../../core/progressiveWork.ts';
import { type RowSource, readRows, type SampledRows, sampledRows } from '../../core/rowMatrices.ts';
import type { Model, SourcedModel } from '../model.ts';
import type { LatentMoments } from '../posterior.ts';
import { type CompiledGraph, latentRowsAt } from './compiled.ts';
import type { Node, VariableGraph } from './graph.ts';
import { isEncoded, isGaussian, type ObservedVariable } from './variable.ts';

/**
 * The model of observations that are read in blocks of rows, initialized from a sample. All rows are read once for means, and again for deviations if
 * they are scaled.
 *
 * @param make - makes the model of data with a sample in place of the source; `reading` is set for a model to be fitted and describes how rows are
 *   read
 * @param compiledOf - compiles such a model
 */
export async function startedFromRows<Data>(
  owner: string,
  graph: VariableGraph,
  data: Data,
  make: (data: Data, reading?: SourcedModel) => Model,
  compiledOf: (model: Model) => CompiledGraph,
): Promise<Model> {
  const { name, variable } = checkedStream(owner, graph);
  const source = variable.stream!;
  const { center, scale } = variable;
  const check = (Y: Matrix) => {
    checkNumbers(Y, `'${name}' of ${owner}`, 'Leave that row out.');
    variable.density.support?.check(Y, center || scale === true, name);
  };
  const standardization = await standardizationOfAll(source, { center, scale, check });
  const kept = { rows: source.rows, sample: await startRows(source), standardization };
  const modelOf = (latents: LatentMoments | undefined, sourced?: SourcedModel) =>
    make(withSample(owner, name, data, source, sampledRows({ ...kept, latents })), sourced);
  const compiled = lazily(() => compiledOf(modelOf(undefined)));
  const model = modelOf(undefined, {
    source: {
      rows: source.rows,
      columns: source.columns,
      read: async (indices) => standardized(await readRows(source, indices), standardization),
    },
    latentsOf: (values, rows) => {
      const { shown } = compiled().graph;
      return latentRowsAt(compiled(), shown, values, compiled().encoderInputs(shown, rows)) as LatentMoments;
    },
    placed: (latents) => modelOf(latents),
  });
  if (model.points !== undefined) return model;
  throw new InvalidInputError(
    `'${name}' of ${owner} is read in blocks of rows, but its rows are not independent under the densities of the model. Give it a matrix, or densities that return one number per row.`,
  );
}

/** Reading of all rows, which checks each block. */
interface Reading {
  readonly center: boolean;
  check(Y: Matrix): void;
}

/** Means and deviations of all rows; without deviations if 'auto' decides that they do not differ. */
async function standardizationOfAll(
  source: RowSource,
  { center, scale, check }: Reading & { readonly scale: ScaleOption },
): Promise<Standardization> {
  const moments = await readMoments(source, { center, scale: scale !== false, check });
  if (scale !== 'auto' || deviationsDiffer(moments.deviation)) return moments;
  return { ...moments, deviation: moments.deviation.map(() => 1) };
}

/** @throws InvalidInputError for variables other than the observed one with separate rows, one per point */
function checkedStream(owner: string, { nodes }: VariableGraph): Node<ObservedVariable> {
  const streamed = nodes.find(
    (node): node is Node<ObservedVariable> => node.variable.role === 'observed' && node.variable.stream !== undefined,
  )!;
  const refuse = (why: string): never => {
    throw new InvalidInputError(`'${streamed.name}' of ${owner} is read in blocks of rows, ${why}`);
  };
  const pointwise = nodes.filter(({ isPointwise }) => isPointwise);
  const other = pointwise.find(
    ({ name, variable }) => (variable.role === 'observed' || variable.role === 'known') && name !== streamed.name,
  );
  if (other !== undefined)
    refuse(`but '${other.name}' has separate rows. Put their columns side by side, or give a matrix.`);
  const latents = pointwise.flatMap(({ name, variable }) => (variable.role === 'latent' ? [{ name, variable }] : []));
  const [only] = latents;
  if (latents.length !== 1 || !isEncoded(only!.variable) || !isGaussian(only!.variable)) {
    refuse(
      `so there is one latent variable with a row per point, a function of them: latent({ …, posterior: gaussian({ encoder: mlpMap({ hidden: 20 }) }) }).`,
    );
  }
  return streamed;
}

/** Data with a sample in place of the source, at any level of their lists and objects. */
function withSample<Data>(owner: string, name: string, data: Data, source: RowSource, sample: SampledRows): Data {
  let isFound = false;
  const changed = (value: unknown): unknown => {
    if (value === source) {
      isFound = true;
      return sample;
    }
    if (Array.isArray(value)) return value.map(changed);
    const isPlain = typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
    return isPlain ? Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, changed(entry)])) : value;
  };
  const result = changed(data) as Data;
  if (isFound) return result;
  throw new InvalidInputError(
    `The source of '${name}' of ${owner} is not part of the model's data. Pass it to the factory: model({ ${name}: source }).`,
  );
}

/** Number of rows used to initialize a model, evenly spaced. */
const SAMPLE = 2048;

/** Sample of the rows of a source, used to initialize a model. */
export async function startRows(source: RowSource): Promise<SampledRows['sample']> {
  const count = Math.min(SAMPLE, source.rows);
  return readRows(
    source,
    Int32Array.from({ length: count }, (_, k) => Math.floor((k * source.rows) / count)),
  );
}

/** Number of rows read at a time. */
const ROWS = 4096;

/**
 * Means and deviations for standardizing each column of a source: its rows are read once for means, and again for deviations if requested.
 *
 * @param check - throws for invalid rows
 */
export async function readMoments(
  source: RowSource,
  { center, scale, check }: Reading & { readonly scale: boolean },
): Promise<Standardization> {
  const { rows: N, columns: D } = source;
  const average = new Float64Array(D);
  const least = new Float64Array(D).fill(Number.POSITIVE_INFINITY);
  const most = new Float64Array(D).fill(Number.NEGATIVE_INFINITY);
  for await (const Y of blocks(source)) {
    check(Y);
    Y.data.forEach((entry, k) => {
      average[k % D]! += entry / N;
      least[k % D] = Math.min(least[k % D]!, entry);
      most[k % D] = Math.max(most[k % D]!, entry);
    });
  }
  // A constant column's mean is its value, which a rounded sum would miss.
  least.forEach((value, j) => {
    if (value === most[j]) average[j] = value;
  });
  const deviation = new Float64Array(D).fill(1);
  if (scale) {
    const variance = new Float64Array(D);
    for await (const Y of blocks(source)) {
      Y.data.forEach((entry, k) => {
        variance[k % D]! += square(entry - average[k % D]!) / N;
      });
    }
    variance.forEach((entry, j) => {
      if (most[j]! > least[j]! && entry > 0) deviation[j] = Math.sqrt(entry);
    });
  }
  return { mean: center ? average : new Float64Array(D), deviation };
}

async function* blocks(source: RowSource): AsyncGenerator<Matrix, void, void> {
  for (let from = 0; from < source.rows; from += ROWS) {
    const length = Math.min(ROWS, source.rows - from);
    yield await readRows(
      source,
      Int32Array.from({ length }, (_, k) => from + k),
    );
  }
}
