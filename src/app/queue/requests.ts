import * as v from 'valibot';
import { InvalidInputError } from '../../core/errors.ts';
import { Matrix } from '../../core/matrix.ts';
import { checkSaved } from '../../core/saved.ts';
import { engineChoice } from '../../engine/dense/index.ts';
import { START_KINDS } from '../../model/model.ts';
import { RefusedJob } from './session.ts';

/** Numbers that JSON cannot represent. */
const NUMBERS: Readonly<Record<string, number>> = {
  NaN: Number.NaN,
  Infinity: Number.POSITIVE_INFINITY,
  '-Infinity': Number.NEGATIVE_INFINITY,
  '-0': -0,
};

/**
 * Plain data as JSON that preserves every bit: lists of doubles as base64 of their little-endian bytes, matrices with their shape, and numbers that
 * JSON cannot represent by name.
 */
export function packed(value: unknown): string {
  return JSON.stringify(value, function (this: unknown, key) {
    // Matrices have a toJSON, which would be called first.
    const entry = (this as Record<string, unknown>)[key];
    if (entry instanceof Float64Array) return { $doubles: base64Of(entry) };
    if (entry instanceof Matrix) return { $matrix: [entry.rows, entry.columns, base64Of(entry.data)] };
    if (typeof entry !== 'number' || (Number.isFinite(entry) && !Object.is(entry, -0))) return entry;
    return { $number: Object.is(entry, -0) ? '-0' : String(entry) };
  });
}

/**
 * Decodes {@link packed} text.
 *
 * @throws InvalidInputError for anything else
 */
export function unpacked(text: string): unknown {
  try {
    return JSON.parse(text, (_, entry: unknown) => revived(entry));
  } catch (error) {
    if (error instanceof InvalidInputError) throw error;
    throw new InvalidInputError(`This is not JSON: ${(error as Error).message}.`, { cause: error });
  }
}

function revived(entry: unknown): unknown {
  if (typeof entry !== 'object' || entry === null) return entry;
  const { $doubles, $matrix, $number } = entry as Record<string, unknown>;
  if ($doubles !== undefined) return doublesFrom($doubles);
  if ($matrix !== undefined) return matrixFrom($matrix);
  if ($number === undefined) return entry;
  if (typeof $number === 'string' && Object.hasOwn(NUMBERS, $number)) return NUMBERS[$number];
  throw new InvalidInputError(`${JSON.stringify($number)} is no number.`);
}

function matrixFrom(given: unknown): Matrix {
  if (!Array.isArray(given) || given.length !== 3) throw new InvalidInputError('A matrix is [rows, columns, base64].');
  const [rows, columns, text] = given as [number, number, unknown];
  const data = doublesFrom(text);
  if (Number.isInteger(rows) && Number.isInteger(columns) && rows >= 0 && data.length === rows * columns) {
    return new Matrix(data, rows, columns);
  }
  throw new InvalidInputError(`${data.length} numbers are not a ${rows}×${columns} matrix.`);
}

function base64Of({ buffer, byteOffset, byteLength }: Float64Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('base64');
}

function doublesFrom(given: unknown): Float64Array {
  if (typeof given !== 'string') throw new InvalidInputError('A list of doubles is written as base64.');
  const bytes = Buffer.from(given, 'base64');
  if (bytes.length % 8 !== 0) throw new InvalidInputError(`${bytes.length} bytes are not a list of doubles.`);
  // Copied, because a pooled buffer need not begin at a multiple of eight bytes.
  return new Float64Array(Uint8Array.from(bytes).buffer);
}

const key = v.pipe(v.string(), v.regex(/^data\/[0-9a-f]{64}$/, 'the key of data'));
const number = v.pipe(v.number(), v.finite());
const doubles = v.custom<Float64Array>((value) => value instanceof Float64Array, 'a list of doubles');

/** Body of a job. It is small: large data are stored under keys. */
const body = v.variant('kind', [
  v.strictObject({ kind: v.literal('start'), version: v.string(), problem: key, start: key }),
  v.strictObject({ kind: v.literal('cell'), version: v.string(), cell: v.string(), data: v.string() }),
  v.strictObject({ kind: v.literal('row'), version: v.string(), cells: v.array(v.string()) }),
  v.strictObject({
    ...{ kind: v.literal('shard'), version: v.string(), rows: key },
    ...{ shard: v.pipe(number, v.integer(), v.minValue(0)), answers: v.string(), alive: v.string() },
  }),
]);
export type Request = v.InferOutput<typeof body>;
export type RequestOf<K extends Request['kind']> = Extract<Request, { kind: K }>;

const solverState = v.custom<object>((value) => typeof value === 'object' && value !== null, 'a state of a solver');

/** Fit as sent to a worker: `Job` of src/inference/workers. */
export const problemSchema = v.strictObject({
  model: v.string(),
  seed: number,
  engine: engineChoice,
  solver: v.optional(v.strictObject({ name: v.string(), options: v.record(v.string(), v.unknown()) })),
  settings: v.strictObject({
    relativeDecrease: number,
    maxIterations: v.optional(v.number()),
    maxEvaluations: v.optional(v.number()),
    tolerance: v.optional(number),
    stateInterval: v.optional(v.number()),
  }),
  start: doubles,
  value: v.union([v.number(), v.nan()]),
});

export const startSchema = v.strictObject({
  number: v.pipe(number, v.integer(), v.minValue(0)),
  origin: v.strictObject({ init: v.picklist(START_KINDS), width: number }),
  x: doubles,
  state: v.optional(solverState),
});

/** Maximum number of characters of a body. */
const MOST_BODY = 65_536;

/**
 * Parses the request of a job.
 *
 * @throws RefusedJob if it is too large or malformed
 */
export function requestOf(text: string): Request {
  if (text === '') throw new RefusedJob('This is not a job of latentfield.');
  if (text.length > MOST_BODY) {
    throw new RefusedJob(`A job has at most ${MOST_BODY} characters, but this one has ${text.length}.`);
  }
  return refusing(() => checkSaved(body, unpacked(text), 'job'));
}

/** Runs `read` and turns its errors into errors of a refused job. */
export function refusing<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new RefusedJob(error instanceof Error ? error.message : String(error));
  }
}
