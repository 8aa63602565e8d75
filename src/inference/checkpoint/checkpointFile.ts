import * as v from 'valibot';
import { InvalidInputError } from '../../core/errors.ts';
import { removeStaleFiles, writeAtomically } from '../../core/fileWriting.ts';
import { nodeModule, systemReason } from '../../core/host.ts';
import { checkGiven, readGiven } from '../../core/options.ts';
import { safeParseOwn } from '../../core/ownKeys.ts';
import { callersFunction, UNFINISHED } from '../fit/inputChecks.ts';
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
 * The state of a minimization as plain JSON, from which {@link stateFromJson} gives back the same bits.
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
 * Reads back what {@link stateToJson} made, bit for bit.
 *
 * @param json - parsed JSON
 * @returns a state for the option `state` of `minimize`
 * @throws InvalidInputError naming the field that is missing or damaged
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
    `This is no solver state as stateToJson makes it: ${path ? `'${path}' is missing or damaged` : 'it is no object'}. ` +
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

/** @throws InvalidInputError elsewhere than in Node */
export const fileSystem = () =>
  nodeModule<FileSystem>(
    'node:fs/promises',
    'A checkpoint is named by the path of a file in Node only. Elsewhere give checkpoint a function that stores it, and resume what was stored.',
  );

/**
 * The JSON in a checkpoint's file.
 *
 * @throws InvalidInputError when it cannot be read or was cut short
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
      `The checkpoint '${file}' is no whole JSON (${text.length} characters): it was cut short, or is something else.`,
      { cause: error },
    );
  }
}

/** Where a fit saves its checkpoints. */
interface Saving {
  save(checkpoint: Checkpoint): Promise<void>;
  /** A sentence about the last save, to be put behind others; empty where it went well. */
  warning(): string;
}

/**
 * Saves to a file, or through the caller's function. A file that cannot be written at first is an error, as long as little is lost by it;
 * later the fit goes on, tries again at the next save, and says at its end if the last one failed.
 *
 * @param signal - that of whatever stops the fit: a function that hangs does not hold it up
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
        warning = ' The last checkpoint was not saved: the function given as checkpoint did not come to an end.';
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
        warning = ` The last checkpoint was not saved, an earlier one may be there: ${error.message}`;
      }
      isFirst = false;
    },
    warning: () => warning,
  };
}
