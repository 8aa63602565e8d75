import * as v from 'valibot';
import { checkSaved } from '../../core/saved.ts';
import { engineChoice } from '../../engine/dense/index.ts';
import { START_KINDS } from '../../model/model.ts';
import { unpacked } from './packed.ts';
import { RefusedJob } from './transport.ts';

const key = v.pipe(v.string(), v.regex(/^data\/[0-9a-f]{64}$/, 'the key of data'));
const number = v.pipe(v.number(), v.finite());
const doubles = v.custom<Float64Array>((value) => value instanceof Float64Array, 'a list of doubles');

/** Body of a job. It is small: large data lie under keys. */
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

/** A fit in the form that goes to a worker: `Job` of src/inference/workers. */
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

/** Most characters of a body. */
const MOST_BODY = 65_536;

/**
 * Parses the request of a job.
 *
 * @throws RefusedJob if it is too large or malformed
 */
export function requestOf(text: string): Request {
  if (text === '') throw new RefusedJob('This is no job of latentfield.');
  if (text.length > MOST_BODY) {
    throw new RefusedJob(`A job has at most ${MOST_BODY} characters, but this one has ${text.length}.`);
  }
  return refusing(() => checkSaved(body, unpacked(text), 'job'));
}

/** Runs `read` and turns its errors into those of a refused job. */
export function refusing<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new RefusedJob(error instanceof Error ? error.message : String(error));
  }
}
