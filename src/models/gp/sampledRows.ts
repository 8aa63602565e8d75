import * as v from 'valibot';
import { InvalidInputError } from '../../core/errors.ts';
import { Matrix } from '../../core/matrix.ts';
import {
  checkNumbers,
  deviationsDiffer,
  SCALED_NOTE,
  type ScaleOption,
  type Standardization,
  standardized,
} from '../../core/observations.ts';
import { checkRowSource, type RowSource, readRows, rowsGone } from '../../core/rowMatrices.ts';
import type { LatentDistribution } from '../../latents/latentDistribution.ts';
import { ofAllRows } from '../../model/language/variablesModel.ts';
import type { Model, ParameterValues, SourcedModel } from '../../model/model.ts';
import type { LatentMoments } from '../../model/posterior.ts';
import { readMoments, startRows } from '../../model/readMoments.ts';
import type { Likelihood } from '../../processes/likelihoods/likelihood.ts';
import { checkObserved } from '../../processes/likelihoods/likelihood.ts';

/** What a model starts from whose observations are read some rows at a time, and what is known of all of them. */
export interface SampledRows {
  /** Some rows, as they were read. */
  readonly observations: Matrix;
  /** N */
  readonly points: number;
  readonly standardization: Standardization;
  /** Latents of all points, once the model is fitted. */
  readonly latents?: LatentMoments;
}

interface GivenOptions {
  readonly latents?: LatentDistribution | undefined;
  readonly likelihood?: Likelihood | undefined;
  readonly missing?: unknown;
  readonly center?: boolean | undefined;
  readonly scale?: ScaleOption | undefined;
}

/**
 * The model of observations that are read some rows at a time. A fit first goes through all of them once, for means and deviations, and starts from
 * some; then it reads a batch after the other.
 *
 * @param model - makes it of a sample
 */
export function modelOfRows(
  name: string,
  given: RowSource,
  options: GivenOptions,
  model: (sample: SampledRows) => SampledModel,
): Model {
  const source = checkRowSource(given);
  checkLatents(name, options);
  const isReal = options.likelihood === undefined || options.likelihood.conjugate !== undefined;
  const { center = isReal } = options;
  const scale = options.scale ?? (isReal ? 'auto' : false);
  const unread = () => {
    throw new InvalidInputError(
      `The observations of this ${name} are read some rows at a time, which fit(model, { batchSize }) does. For anything else give it a matrix.`,
    );
  };
  return Object.freeze<Model>({
    name,
    points: source.rows,
    sourced: { source, latentsOf: unread, placed: unread },
    assemble: unread,
    posterior: unread,
    toJSON: unread,
    choose: async () => {
      const check = (Y: Matrix) => {
        checkNumbers(Y, 'The observations', 'Leave that row out.');
        if (options.likelihood !== undefined) checkObserved(Y, options.likelihood, center || scale === true);
      };
      const moments = await readMoments(source, { center, scale: scale !== false, check });
      const isPlain = scale === 'auto' && !deviationsDiffer(moments.deviation);
      const standardization = isPlain ? { ...moments, deviation: moments.deviation.map(() => 1) } : moments;
      const observations = await startRows(source);
      return {
        model: sampledModel({ observations, points: source.rows, standardization }, source, model),
        message: scale === 'auto' && !isPlain ? SCALED_NOTE : '',
      };
    },
  });
}

/** A model that starts from a sample, and the latents of further observations, as it sees them. */
export interface SampledModel {
  readonly model: Model;
  readonly latentsOf: SourcedModel['latentsOf'];
}

function sampledModel(sample: SampledRows, source: RowSource, make: (sample: SampledRows) => SampledModel): Model {
  const { model, latentsOf } = make(sample);
  const sourced: SourcedModel = {
    source: {
      rows: source.rows,
      columns: source.columns,
      read: async (indices) => standardized(await readRows(source, indices), sample.standardization),
    },
    latentsOf,
    placed: (latents) => withoutSource(sample.points, make({ ...sample, latents }).model, latents),
  };
  return Object.freeze({ ...model, points: sample.points, sourced });
}

/** A model whose observations are no longer at hand, with the latents of all points: its fits can do all that does not need the observations. */
export function withoutSource(points: number, model: Model, latents: LatentMoments | undefined): Model {
  return Object.freeze({
    ...model,
    points,
    posterior: (values: ParameterValues) => {
      const posterior = model.posterior(values);
      return latents === undefined ? posterior : ofAllRows(posterior, latents);
    },
    assemble: rowsGone,
    sourced: { source: { rows: points, columns: 1, read: rowsGone }, latentsOf: rowsGone, placed: rowsGone },
  });
}

function checkLatents(name: string, { latents, missing }: GivenOptions): void {
  if (missing !== undefined) {
    throw new InvalidInputError(
      `A ${name} of rows that are read from a source takes no missing entries. Leave out 'missing', or give it a matrix.`,
    );
  }
  if (latents?.pointwise.length === 0) return;
  throw new InvalidInputError(
    `The latents of a ${name} whose observations are read some rows at a time are a function of them. Give latents: encoded(mlpMap({ hidden: 20 })).`,
  );
}

export const sampledToJSON = ({
  points,
  standardization: { mean, deviation },
  latents,
}: Omit<SampledRows, 'observations'>) => ({
  points,
  mean: Array.from(mean),
  deviation: Array.from(deviation),
  ...(latents && { latents: { mean: latents.mean.toArrays(), variance: latents.variance.toArrays() } }),
});

const numbers = v.array(v.pipe(v.number(), v.finite()));
const matrix = v.pipe(
  v.array(numbers),
  v.transform((rows) => Matrix.from(rows)),
);

/** Reads what `sampledToJSON` writes. */
export const sampledSchema = v.pipe(
  v.strictObject({
    points: v.pipe(v.number(), v.integer(), v.minValue(2)),
    mean: numbers,
    deviation: v.array(v.pipe(v.number(), v.gtValue(0), v.finite())),
    latents: v.strictObject({ mean: matrix, variance: matrix }),
  }),
  v.transform(({ points, mean, deviation, latents }) => ({
    points,
    latents,
    standardization: { mean: Float64Array.from(mean), deviation: Float64Array.from(deviation) },
  })),
);
