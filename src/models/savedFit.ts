import * as v from 'valibot';
import { sin } from '../core/elementary/index.ts';
import { InvalidInputError } from '../core/errors.ts';
import { describe, Matrix, reasonOf } from '../core/matrix.ts';
import { isScaled, type ScaleOption } from '../core/observations.ts';
import { NON_FINITE } from '../core/plainNumbers.ts';
import { checkDepth, checkSaved, checkSums, readingAt } from '../core/saved.ts';
import { APPROXIMATIONS } from '../model/approximation.ts';
import { DIVIDED, type FitJSON, type FitOutcome } from '../model/fit.ts';
import type { PosteriorJSON } from '../model/language/variable.ts';
import type { ModelJSON } from '../model/model.ts';
import { valueFromJSON } from '../model/transform.ts';

const finiteEntry = v.pipe(v.number(), v.finite());

/** Observations in files: null for missing entries. */
export const savedRows = v.pipe(
  v.array(v.array(v.nullable(finiteEntry))),
  v.transform((rows) => rows.map((row) => row.map((entry) => entry ?? Number.NaN))),
);

/** True if a saved model divides the columns of Y by their standard deviations. */
export function dividesColumns(json: ModelJSON, Y: Matrix): boolean {
  const { scale, options } = json as { scale?: ScaleOption; options?: { scale?: ScaleOption } };
  return isScaled(Y, scale ?? options?.scale ?? false);
}

export const savedLatents = v.optional(v.custom<PosteriorJSON>(isNamed, 'latents with a name'));

function isNamed(value: unknown): boolean {
  return typeof value === 'object' && value !== null && typeof (value as { name?: unknown }).name === 'string';
}

/**
 * Placeholder start for latents of a saved model, whose values are known: works for any dimension, whereas a start from the observations would be
 * expensive, and impossible for more dimensions than columns.
 */
export const anyStart = (rows: number, latentDim: number): Matrix =>
  Matrix.zeros(rows, latentDim).map((_, i, j) => sin(i * latentDim + j + 1));

const finite = v.pipe(v.number(), v.finite());
/** Numbers of a fit, which may be non-finite if it failed. */
const number = v.union([finite, v.picklist(NON_FINITE)]);
const count = v.pipe(finite, v.integer(), v.minValue(0));
const text = v.optional(v.string());
const approximation = v.strictObject({
  name: v.picklist(APPROXIMATIONS),
  of: v.array(v.string()),
  count,
  error: v.optional(number),
  standardError: v.optional(number),
  errorBound: v.optional(number),
});
const warning = v.strictObject({
  code: v.picklist(['unusedDimensions', 'manyDimensions']),
  dimensions: v.array(count),
  message: v.string(),
});
const diagnostics = v.strictObject({
  engine: v.string(),
  engineLibrary: text,
  engineReason: text,
  threads: v.optional(count),
  threadsReason: text,
  evaluations: count,
  iterations: count,
  seconds: number,
  seed: v.optional(finite),
  batchSize: v.optional(v.pipe(count, v.minValue(1))),
  jitter: number,
  gradientNorm: number,
  ending: text,
  criterion: text,
  kktResidual: v.optional(number),
  covarianceRank: v.optional(count),
  approximations: v.optional(v.array(approximation)),
  warnings: v.optional(v.array(warning)),
  restarts: v.optional(v.array(number)),
});
const entry = v.strictObject({ iteration: count, evaluations: count, objective: number, gradientNorm: number });
const object = v.custom<object>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  'an object',
);
const entries = {
  format: v.literal('latentfield-fit'),
  model: object,
  values: v.record(v.string(), v.union([number, v.array(number), v.array(v.array(number))])),
  objective: number,
  terms: v.record(v.string(), number),
  trace: v.array(entry),
  status: v.picklist(['converged', 'degenerate', 'maxIterations', 'stopped', 'failed']),
  message: v.string(),
  diagnostics,
  table: v.optional(v.unknown()),
  files: v.optional(v.record(v.string(), v.string())),
};
const schema = v.strictObject({ ...entries, version: v.literal(2), checksums: v.record(v.string(), v.string()) });

/**
 * Reads the result of `Fit.toJSON` and checks its integrity.
 *
 * @throws InvalidInputError if the value is not a saved fit or is damaged, with the position
 */
export function savedFit(json: unknown): FitJSON {
  try {
    return checkedFit(json);
  } catch (error) {
    if (error instanceof InvalidInputError) throw error;
    throw new InvalidInputError(`loadFit was given an object that cannot be read: ${reasonOf(error)}.`, {
      cause: error,
    });
  }
}

function checkedFit(json: unknown): FitJSON {
  const given = json as Partial<Omit<FitJSON, 'version'>> & { version?: unknown };
  if (typeof json !== 'object' || json === null || given.format !== 'latentfield-fit') {
    throw new InvalidInputError(
      `loadFit takes the object that fit.toJSON() wrote, but ${describe(json)} was given. Parse the text of a file with JSON.parse.`,
    );
  }
  const { version } = given;
  if (version !== 2) {
    throw new InvalidInputError(
      `This saved fit is of form ${describe(version)}; this release reads form 2. Load it with the release that saved it, or fit again.`,
    );
  }
  checkDepth(json, 'This saved fit');
  checkSaved(schema, json, '');
  const { checksums, table, ...rest } = json as FitJSON;
  // A table that was added to a fit by hand has no checksum; only its form is checked.
  checkSums(Object.hasOwn(checksums, 'table') ? { ...rest, table } : rest, DIVIDED, checksums);
  // In the order of the file, so that it is written again as it was.
  return json as FitJSON;
}

/** Saved outcome of a fit. */
export function outcomeFromJSON(json: FitJSON): FitOutcome {
  const { values, objective, terms, trace, status, message, diagnostics } = json;
  return {
    values: Object.fromEntries(
      Object.entries(withNumbers(values)).map(([path, value]) => [
        path,
        readingAt(`values.${path}`, () => valueFromJSON(value)),
      ]),
    ),
    objective: withNumbers(objective),
    terms: withNumbers(terms),
    trace: withNumbers(trace),
    status,
    message,
    diagnostics: withNumbers(diagnostics),
  };
}

/** Inverse of `withPlainNumbers`. */
function withNumbers<T>(json: T): T {
  if (NON_FINITE.includes(json as never)) return Number(json) as T;
  if (Array.isArray(json)) return json.map(withNumbers) as T;
  if (typeof json !== 'object' || json === null) return json;
  return Object.fromEntries(Object.entries(json).map(([key, entry]) => [key, withNumbers(entry)])) as T;
}
