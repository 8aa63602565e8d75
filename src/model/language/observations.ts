import * as v from 'valibot';
import { InvalidInputError } from '../../core/errors.ts';
import { Matrix, type MatrixLike } from '../../core/matrix.ts';
import {
  checkObservations,
  isScaled,
  SCALED_NOTE,
  type ScaleOption,
  type Standardization,
  scaleOption,
  standardizationOf,
  standardized,
} from '../../core/observations.ts';
import { checkOptions, missingOption, type OptionsIn } from '../../core/options.ts';
import { checkRowSource, isRowSource, isSampled, type RowSource } from '../../core/rowMatrices.ts';

/** Options of {@link readObservations}. */
export interface ObservationOptions extends OptionsIn<typeof optionsSchema> {}

/** Observations that have been checked, copied and standardized once, for a variable and the defaults of its density. A frozen value. */
export interface Observations {
  readonly kind: 'observations';
  /** Source of rows that are read in batches: the matrices then contain a sample; no rows are available earlier. */
  readonly stream: RowSource | undefined;
  /** N×D, as passed; NaN where missing. */
  readonly raw: Matrix;
  /** N×D, centered and scaled; NaN where missing. */
  readonly data: Matrix;
  /** The same with 0 where missing. */
  readonly filled: Matrix;
  /** N×D, 1 where observed; undefined if all are. */
  readonly present: Matrix | undefined;
  readonly standardization: Standardization;
  readonly missing: 'ignore' | undefined;
  readonly center: boolean;
  readonly scale: ScaleOption;
  /** True if columns are divided by their deviations. */
  readonly isScaled: boolean;
  /** Sentence about columns that 'auto' divides, for the message of a fit. */
  readonly note: string;
}

/**
 * Reads observations once: a copy of finite numbers, and its centered and scaled form.
 *
 * @param values - N×D, rows are points, which are copied; or a source of rows for a fit in batches
 * @param options - see {@link ObservationOptions}
 * @throws InvalidInputError unless it is a matrix of finite numbers with at least two rows and one column
 * @example
 * ```ts
 * const y = readObservations(Y, { scale: 'auto' });
 * const x = latent({ dim: 2, density: standardNormal() });
 * const model = { x, y: observed(y, { density: gaussianProcess({ kernel: rbf() }), given: x }) };
 * ```
 */
export function readObservations(values: MatrixLike | RowSource, options: ObservationOptions = {}): Observations {
  const checked = checkOptions(optionsSchema, options, 'readObservations');
  return isRowSource(values)
    ? streamedObservations(checkRowSource(values), checked)
    : observationsOf(Matrix.from(values, 'The observations'), checked);
}

const optionsSchema = v.strictObject({
  /** 'ignore' accepts missing entries (NaN), which are otherwise an error. */
  missing: missingOption,
  /** Whether column means are removed; default true. */
  center: v.optional(v.boolean('true or false'), true),
  /** Whether columns are divided by their standard deviations; 'auto' divides them if these differ by more than ten times. Default false. */
  scale: v.optional(scaleOption, false),
});

/** The same for a matrix without other owners. */
export function observationsOf(raw: Matrix, options: ObservationOptions): Observations {
  const { missing, center = true, scale = false } = options;
  checkObservations(raw, missing === 'ignore', scale === true);
  return standardizedBy(raw, standardizationOf(raw, center, isScaled(raw, scale)), options);
}

function streamedObservations(stream: RowSource, options: ObservationOptions): Observations {
  if (options.missing !== undefined) {
    throw new InvalidInputError(
      "Rows that are read from a source cannot have missing entries. Omit 'missing', or pass a matrix.",
    );
  }
  if (isSampled(stream)) return standardizedBy(stream.sample, stream.standardization, options, stream);
  const none = Matrix.zeros(0, stream.columns);
  return standardizedBy(none, standardizationOf(none, false, false), options, stream);
}

function standardizedBy(
  raw: Matrix,
  standardization: Standardization,
  { missing, center = true, scale = false }: ObservationOptions,
  stream?: RowSource,
): Observations {
  const data = standardized(raw, standardization);
  const hasHoles = data.data.some(Number.isNaN);
  const divides = standardization.deviation.some((deviation) => deviation !== 1);
  return Object.freeze<Observations>({
    kind: 'observations',
    stream,
    raw,
    data,
    filled: hasHoles ? data.map((entry) => (Number.isNaN(entry) ? 0 : entry)) : data,
    present: hasHoles ? data.map((entry) => (Number.isNaN(entry) ? 0 : 1)) : undefined,
    standardization,
    missing,
    center,
    scale,
    isScaled: divides,
    note: divides && scale === 'auto' ? SCALED_NOTE : '',
  });
}

export const isObservations = (value: unknown): value is Observations =>
  typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'observations';
