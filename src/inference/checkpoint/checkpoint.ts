import * as v from 'valibot';
import { InvalidInputError, NumericalError } from '../../core/errors.ts';
import { describe, reasonOf } from '../../core/matrix.ts';
import { listOf, type OptionsIn, typed } from '../../core/options.ts';
import { safeParseOwn } from '../../core/ownKeys.ts';
import { checkDepth, checkSums, checksums, damagedAt } from '../../core/saved.ts';
import { shortNumber } from '../../core/wording.ts';
import type { TraceEntry } from '../../model/fit.ts';
import { START_KINDS } from '../../model/model.ts';
import { ENGINE_DIFFERENCE, type FitProblem } from '../fit/fitProblem.ts';
import type { Origin } from '../fit/restarts.ts';
import type { SolverState } from '../minimize/solution.ts';
import { readCheckpointFile, type SolverStateJson, stateFromJson, stateToJson } from './checkpointFile.ts';

/** State for resuming a fit as if it had not been interrupted, given the same model and options: plain JSON. */
export interface Checkpoint extends OptionsIn<typeof schema> {}

const number = v.number();
const schema = v.object({
  format: v.literal('latentfield-checkpoint'),
  version: v.literal(2),
  /** Checksum of each other member, by member name. */
  checksums: v.record(v.string(), v.string()),
  /** The model's name. */
  model: v.string(),
  /** Paths and shapes of the model's variables; the model that resumes must have the same. */
  variables: listOf(
    typed<{ readonly path: string; readonly shape: readonly number[]; readonly free: boolean }>(
      v.object({ path: v.string(), shape: v.array(number), free: v.boolean() }),
    ),
  ),
  seed: number,
  /** Seconds spent so far. */
  seconds: number,
  /** Iterations of each start before only the best one continues, if limited. */
  trialIterations: v.optional(number),
  /** Origin of each start. */
  origins: listOf(typed<Origin>(v.object({ init: v.picklist(START_KINDS), width: number }))),
  /** State of each start; null for starts that have not begun. */
  starts: v.pipe(
    listOf(
      v.nullable(
        v.object({
          trace: typed<readonly TraceEntry[]>(
            v.array(v.object({ iteration: number, evaluations: number, objective: number, gradientNorm: number })),
          ),
          state: v.custom<SolverStateJson>((value) => typeof value === 'object' && value !== null),
        }),
      ),
    ),
    v.minLength(1),
  ),
});

/** Members with one checksum per entry: one per start. */
const DIVIDED = ['starts'];

/** Checkpoint of the current state of a fit. */
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
 * Reads the value of the option `resume`.
 *
 * @throws InvalidInputError if the file cannot be read or is truncated, or is not a checkpoint of this version
 */
async function readCheckpoint(given: string | object): Promise<Checkpoint> {
  const name = typeof given === 'string' ? `'${given}'` : 'The checkpoint given to resume';
  const json = typeof given === 'string' ? await readCheckpointFile(given) : given;
  const { format, version } = (json ?? {}) as { format?: unknown; version?: unknown };
  if (format !== 'latentfield-checkpoint') {
    throw new InvalidInputError(
      `${name} is not a checkpoint: resume takes a value saved by the option checkpoint of fit.`,
    );
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

/** @throws InvalidInputError naming the member that differs from the one that was saved */
function checkContent({ checksums: saved, ...content }: Checkpoint, name: string): void {
  try {
    if (content.origins.length !== content.starts.length) throw damagedAt('origins', 'each start has one.');
    checkSums(content, DIVIDED, saved);
  } catch (error) {
    throw new InvalidInputError(`${name} is damaged. ${reasonOf(error)}`, { cause: error });
  }
}

/**
 * State for resuming the run from a start; undefined if it has not begun.
 *
 * @throws InvalidInputError if the checkpoint belongs to another model, or to the same model on other data
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

/** Checks the value at the saved point, which differs if the model has the same variables but other data or parts. */
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

/** Checkpoint of a resumed fit. */
export interface Resumed {
  readonly checkpoint: Checkpoint;
  /** Origin of each start. */
  readonly origins: readonly Origin[];
  /** State of the run from one start; undefined if it has not begun. */
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
 * @throws InvalidInputError if it is not a checkpoint, or other options contradict it
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

/** Rejects options that contradict the checkpoint. */
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
