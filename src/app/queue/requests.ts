import * as v from 'valibot';
import { checkSaved } from '../../core/saved.ts';
import { engineChoice } from '../../engine/dense/index.ts';
import { START_KINDS } from '../../model/model.ts';
import { unpacked } from './packed.ts';
import { RefusedJob } from './transport.ts';

const key = v.pipe(v.string(), v.regex(/^data\/[0-9a-f]{64}$/, 'the key of data'));
const number = v.pipe(v.number(), v.finite());
const doubles = v.custom<Float64Array>((value) => value instanceof Float64Array, 'a list of doubles');

/** The body of a job, which is small: what is large lies under keys. */
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

/** A fit as it goes to a worker: `Job` of src/inference/workers. */
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

/** Characters of a body at most. */
const MOST_BODY = 65_536;

/**
 * What a job asks for.
 *
 * @throws RefusedJob for what is too large, or not of this form
 */
export function requestOf(text: string): Request {
  if (text === '') throw new RefusedJob('This is no job of latentfield.');
  if (text.length > MOST_BODY) {
    throw new RefusedJob(`A job has at most ${MOST_BODY} characters, but this one has ${text.length}.`);
  }
  return refusing(() => checkSaved(body, unpacked(text), 'job'));
}

/** What another call makes of it, in words of a job that is refused. */
export function refusing<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new RefusedJob(error instanceof Error ? error.message : String(error));
  }
}
