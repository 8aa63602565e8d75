import * as v from 'valibot';
import { InvalidInputError } from '../../core/errors.ts';
import { removeStaleFiles, writeAtomically } from '../../core/fileWriting.ts';
import { nodeModule, systemReason } from '../../core/host.ts';
import { checkGiven, readGiven } from '../../core/options.ts';
import { safeParseOwn } from '../../core/ownKeys.ts';
import { callersFunction, UNFINISHED } from '../fit/callersFunction.ts';
import type { SolverState } from '../minimize/solution.ts';
import type { Checkpoint } from './checkpoint.ts';

/** A {@link SolverState} for `JSON.stringify`: every array of doubles as base64 of its little-endian bytes. */
export type SolverStateJson = { readonly [name: string]: number | string | SolverStateJson };

const number = v.number();
const array = v.pipe(
  v.object({ base64: v.string() }),
  v.check(({ base64 }) => base64.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(base64)),
  v.transform(({ base64 }) => doublesFrom(base64)),
);
const memory = v.record(v.string(), v.union([number, array]));
const iterate = v.object({ x: array, value: number, gradient: array });
const stateSchema = v.object({
  solver: v.string(),
  iterations: number,
  evaluations: number,
  decreases: array,
  scale: array,
  iterate,
  best: iterate,
  memory,
});

/**
 * State of a minimization as plain JSON, which {@link stateFromJson} restores with the same bits.
 *
 * @example
 * ```ts
 * const { state } = minimize(objective, [1, 1], lbfgs(), { maxIterations: 5 });
 * const saved = JSON.stringify(stateToJson(state));
 * minimize(objective, [1, 1], lbfgs(), { state: stateFromJson(JSON.parse(saved)) });
 * ```
 */
export function stateToJson(state: SolverState): SolverStateJson {
  checkGiven(state, 'stateToJson', 'the state of a solution', ({ iterate, best, memory }) =>
    [iterate, best, memory].every((part) => typeof part === 'object' && part !== null),
  );
  return encode({ ...state });
}

function encode(value: object): SolverStateJson {
  return Object.fromEntries(
    Object.entries(value).map(([name, entry]: [string, unknown]) => {
      if (entry instanceof Float64Array) return [name, { base64: base64Of(entry) }];
      return [name, typeof entry === 'object' && entry !== null ? encode(entry) : (entry as number | string)];
    }),
  );
}

/**
 * Restores a state from the JSON of {@link stateToJson}, bit for bit.
 *
 * @param json - parsed JSON
 * @returns a state for the option `state` of `minimize`
 * @throws InvalidInputError that names the missing or damaged field
 * @example
 * ```ts
 * const state = stateFromJson(JSON.parse(saved));
 * minimize(objective, [1, 1], lbfgs(), { state });
 * ```
 */
export function stateFromJson(json: unknown): SolverState {
  const result = readGiven('A solver state', () => safeParseOwn(stateSchema, json));
  if (result.success) return result.output;
  const path = result.issues[0].path?.map(({ key }) => String(key)).join('.');
  throw new InvalidInputError(
    `This is not a solver state from stateToJson: ${path ? `'${path}' is missing or damaged` : 'it is not an object'}. ` +
      'Was the file cut short, or made by something else?',
  );
}

function base64Of(values: Float64Array): string {
  const view = new DataView(new ArrayBuffer(8 * values.length));
  values.forEach((value, i) => {
    view.setFloat64(8 * i, value, true);
  });
  let binary = '';
  for (let i = 0; i < view.byteLength; i++) binary += String.fromCharCode(view.getUint8(i));
  return btoa(binary);
}

function doublesFrom(base64: string): Float64Array {
  const binary = atob(base64);
  const view = new DataView(new ArrayBuffer(binary.length));
  for (let i = 0; i < binary.length; i++) view.setUint8(i, binary.charCodeAt(i));
  return Float64Array.from({ length: Math.floor(binary.length / 8) }, (_, i) => view.getFloat64(8 * i, true));
}

type FileSystem = typeof import('node:fs/promises');

/** @throws InvalidInputError outside Node */
export const fileSystem = () =>
  nodeModule<FileSystem>(
    'node:fs/promises',
    'A checkpoint is named by the path of a file in Node only. Elsewhere give checkpoint a function that stores it, and resume what was stored.',
  );

/**
 * Reads the JSON of a checkpoint file.
 *
 * @throws InvalidInputError if it cannot be read or is truncated
 */
export async function readCheckpointFile(file: string): Promise<unknown> {
  const { readFile } = await fileSystem();
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    throw new InvalidInputError(`The checkpoint '${file}' cannot be read: ${systemReason(error)}.`, {
      cause: error,
    });
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new InvalidInputError(
      `The checkpoint '${file}' is not complete JSON (${text.length} characters): it was cut short, or is something else.`,
      { cause: error },
    );
  }
}

/** Destination of a fit's checkpoints. */
interface Saving {
  save(checkpoint: Checkpoint): Promise<void>;
  /** Sentence about a failed last save, to append to a message; empty if it succeeded. */
  warning(): string;
}

/**
 * Saves to a file, or through the caller's function. If the first save to a file fails, an error is thrown, since little work is lost. If a later
 * save fails, the fit continues, retries at the next save, and reports at its end if the last one failed.
 *
 * @param signal - signal that stops the fit, so that a function that hangs does not block it
 */
export function saving(
  checkpoint: string | ((checkpoint: Checkpoint) => unknown) | undefined,
  signal: AbortSignal,
): Saving | undefined {
  if (checkpoint === undefined) return undefined;
  let warning = '';
  if (typeof checkpoint !== 'string') {
    const save = callersFunction('checkpoint', checkpoint, signal);
    return {
      async save(state) {
        if ((await save(state)) !== UNFINISHED) return;
        warning = ' The last checkpoint was not saved: the checkpoint function did not finish.';
      },
      warning: () => warning,
    };
  }
  let isFirst = true;
  return {
    async save(state) {
      if (isFirst) {
        await fileSystem();
        await removeStaleFiles(checkpoint);
      }
      try {
        await writeAtomically(checkpoint, `${JSON.stringify(state)}\n`);
        warning = '';
      } catch (error) {
        if (isFirst || !(error instanceof InvalidInputError)) throw error;
        warning = ` The last checkpoint could not be saved; an earlier one may exist: ${error.message}`;
      }
      isFirst = false;
    },
    warning: () => warning,
  };
}
