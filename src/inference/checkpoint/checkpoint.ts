import * as v from 'valibot';
import { InvalidInputError, NumericalError } from '../../core/errors.ts';
import { describe, reasonOf } from '../../core/matrix.ts';
import { safeParseOwn } from '../../core/ownKeys.ts';
import { checkDepth, checkSums, checksums, damagedAt } from '../../core/saved.ts';
import { shortNumber } from '../../core/wording.ts';
import type { TraceEntry } from '../../model/fit.ts';
import { START_KINDS } from '../../model/model.ts';
import { ENGINE_DIFFERENCE, type FitProblem } from '../fit/fitProblem.ts';
import type { Origin } from '../fit/restarts.ts';
import type { SolverState } from '../minimize/solution.ts';
import { readCheckpointFile, type SolverStateJson, stateFromJson, stateToJson } from './checkpointFile.ts';

/** Everything a fit needs to go on as if it had not been interrupted, beside its model and options: plain JSON. */
export interface Checkpoint {
  readonly format: 'latentfield-checkpoint';
  readonly version: 2;
  /** Checksum of each other member, by its name. */
  readonly checksums: Readonly<Record<string, string>>;
  /** The model's name. */
  readonly model: string;
  /** Paths and shapes of its variables; the model that resumes must have the same. */
  readonly variables: readonly { readonly path: string; readonly shape: readonly number[]; readonly free: boolean }[];
  readonly seed: number;
  /** Seconds spent so far. */
  readonly seconds: number;
  /** Origin of each start. */
  readonly origins: readonly Origin[];
  /** Iterations of each start before the best one goes on alone, if it does. */
  readonly trialIterations?: number | undefined;
  /** One for each start, null for those that have not begun. */
  readonly starts: readonly (null | { readonly trace: readonly TraceEntry[]; readonly state: SolverStateJson })[];
}

const number = v.number();
const schema = v.object({
  format: v.literal('latentfield-checkpoint'),
  version: v.literal(2),
  checksums: v.record(v.string(), v.string()),
  model: v.string(),
  variables: v.array(v.object({ path: v.string(), shape: v.array(number), free: v.boolean() })),
  seed: number,
  seconds: number,
  trialIterations: v.optional(number),
  origins: v.array(v.object({ init: v.picklist(START_KINDS), width: number })),
  starts: v.pipe(
    v.array(
      v.nullable(
        v.object({
          trace: v.array(v.object({ iteration: number, evaluations: number, objective: number, gradientNorm: number })),
          state: v.custom<SolverStateJson>((value) => typeof value === 'object' && value !== null),
        }),
      ),
    ),
    v.minLength(1),
  ),
});

/** Members with a checksum for each member of their own: each start has one. */
const DIVIDED = ['starts'];

/** The state of a fit as a checkpoint. */
export function checkpointOf(
  problem: FitProblem,
  runs: readonly {
    readonly start: { readonly origin: Origin };
    readonly trace: readonly TraceEntry[];
    readonly state: SolverState | undefined;
  }[],
  { seed, seconds, trialIterations }: Pick<Checkpoint, 'seed' | 'seconds' | 'trialIterations'>,
): Checkpoint {
  const saved = {
    format: 'latentfield-checkpoint',
    version: 2,
    model: problem.model.name,
    variables: variablesOf(problem),
    seed,
    seconds,
    origins: runs.map(({ start }) => start.origin),
    ...(trialIterations !== undefined && { trialIterations }),
    starts: runs.map(({ trace, state }) =>
      state === undefined ? null : { trace: [...trace], state: stateToJson(state) },
    ),
  } as const;
  return { ...saved, checksums: checksums(saved, DIVIDED) };
}

const variablesOf = ({ layout }: FitProblem): Checkpoint['variables'] =>
  layout.variables.map(({ path, shape, start }) => ({ path, shape, free: start >= 0 }));

/**
 * Reads what the option `resume` was given.
 *
 * @throws InvalidInputError when the file cannot be read or was cut short, or it is not a checkpoint of this version
 */
async function readCheckpoint(given: string | object): Promise<Checkpoint> {
  const name = typeof given === 'string' ? `'${given}'` : 'The checkpoint given to resume';
  const json = typeof given === 'string' ? await readCheckpointFile(given) : given;
  const { format, version } = (json ?? {}) as { format?: unknown; version?: unknown };
  if (format !== 'latentfield-checkpoint') {
    throw new InvalidInputError(`${name} is not a checkpoint: resume takes what the option checkpoint of fit saved.`);
  }
  if (version !== 2) {
    throw new InvalidInputError(
      `${name} is a checkpoint of version ${describe(version)}, but this release reads version 2. Resume with the release that saved it.`,
    );
  }
  checkDepth(json, name);
  const result = safeParseOwn(schema, json);
  if (result.success) {
    checkContent(json as Checkpoint, name);
    return result.output as Checkpoint;
  }
  const path = result.issues[0].path?.map(({ key }) => String(key)).join('.');
  throw new InvalidInputError(
    `${name} is damaged: '${path}' is missing or not what it should be. Was it cut short, or edited?`,
  );
}

/** @throws InvalidInputError that names the member that is not what was saved */
function checkContent({ checksums: saved, ...content }: Checkpoint, name: string): void {
  try {
    if (content.origins.length !== content.starts.length) throw damagedAt('origins', 'each start has one.');
    checkSums(content, DIVIDED, saved);
  } catch (error) {
    throw new InvalidInputError(`${name} is damaged. ${reasonOf(error)}`, { cause: error });
  }
}

/**
 * State from which the run from a start goes on, undefined if it has not begun.
 *
 * @throws InvalidInputError when the checkpoint is not of this model, or of the same on other data
 */
function resumedState(checkpoint: Checkpoint, start: number, problem: FitProblem): SolverState | undefined {
  checkVariables(checkpoint, problem);
  const saved = checkpoint.starts[start] ?? null;
  if (saved === null) return undefined;
  const state = stateFromJson(saved.state);
  // A computation checks its own memory.
  if (problem.model.solve !== undefined) return state;
  if (state.best.x.length === problem.layout.size) checkValue(state, problem);
  return state;
}

function checkVariables({ model, variables }: Checkpoint, problem: FitProblem): void {
  const expected = variablesOf(problem);
  if (model !== problem.model.name) {
    throw new InvalidInputError(
      `The checkpoint was saved by a fit of the model '${model}', but '${problem.model.name}' is to resume it.`,
    );
  }
  const count = Math.max(expected.length, variables.length);
  for (let i = 0; i < count; i++) {
    const saved = variables[i];
    const own = expected[i];
    if (JSON.stringify(saved) === JSON.stringify(own)) continue;
    throw new InvalidInputError(
      `The checkpoint does not fit this model: it has ${inWords(saved)} where the model has ${inWords(own)}. ` +
        'Resume with the model and the data that it was saved from.',
    );
  }
}

function inWords(variable: Checkpoint['variables'][number] | undefined): string {
  if (variable === undefined) return 'no further variable';
  return `${variable.free ? '' : 'a fixed '}'${variable.path}' of shape [${variable.shape.join(', ')}]`;
}

/** The same variables do not make the same model: its value at the saved point differs for other data or parts. */
function checkValue({ best, scale, evaluations }: SolverState, { compute, objective }: FitProblem): void {
  let value = Number.NaN;
  try {
    const x = best.x.map((entry, i) => entry * scale[i]!);
    // In batches the best point is the last one, with the value of the last batch.
    value = compute(() => objective(x, { iteration: evaluations - 1 }).value);
  } catch (error) {
    if (!(error instanceof NumericalError)) throw error;
  }
  if (Math.abs(value - best.value) <= ENGINE_DIFFERENCE * Math.max(1, Math.abs(best.value))) return;
  throw new InvalidInputError(
    `The checkpoint was saved by a fit of another model or other data: the log density at its best point was ${shortNumber(-best.value)}, ` +
      `but is ${shortNumber(-value)} here. Resume with the model and the data that it was saved from.`,
  );
}

/** Checkpoint that a fit goes on from. */
export interface Resumed {
  readonly checkpoint: Checkpoint;
  /** Origin of each start. */
  readonly origins: readonly Origin[];
  /** State of the run from one start; undefined if it had not begun. */
  stateOf(number: number, problem: FitProblem): SolverState | undefined;
}

interface Given {
  readonly resume?: string | object | undefined;
  readonly seed?: number | undefined;
  readonly origins?: readonly Origin[] | undefined;
}

/**
 * Reads the option `resume` of a fit; undefined without it.
 *
 * @throws InvalidInputError when it is no checkpoint, or other options contradict it
 */
export async function resumedFrom(options: Given): Promise<Resumed | undefined> {
  if (options.resume === undefined) return undefined;
  const checkpoint = await readCheckpoint(options.resume);
  checkResumed(checkpoint, options);
  return {
    checkpoint,
    origins: checkpoint.origins,
    stateOf: (number, problem) => resumedState(checkpoint, number, problem),
  };
}

/** Refuses options that contradict what is resumed. */
function checkResumed(checkpoint: Checkpoint, { seed, origins }: Given): void {
  for (const [name, saved, value] of [
    ['seed', checkpoint.seed, seed],
    ['restarts', checkpoint.starts.length - 1, origins && origins.length - 1],
  ] as const) {
    if (value !== undefined && value !== saved) {
      throw new InvalidInputError(
        `The checkpoint was saved by a fit with ${name} ${saved}, but ${name} is ${value}. Leave ${name} out, or fit without resume.`,
      );
    }
  }
  if (origins === undefined || JSON.stringify(origins) === JSON.stringify(checkpoint.origins)) return;
  throw new InvalidInputError(
    'The checkpoint was saved by a fit whose restarts had other inits or another width. Leave restarts out, or fit without resume.',
  );
}
