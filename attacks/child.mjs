// Programs of an attack in separate processes.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

/** Longest that a process may take; it is killed then. */
const LONGEST = 900_000;

export const programOf = (name) => fileURLToPath(new URL(`./${name}`, import.meta.url));

/** Runs a command to its end: what it wrote, its exit code, or the signal that ended it. */
export async function childOf(command, { env = {} } = {}) {
  const [program, ...args] = command;
  const child = spawn(program, args, { env: { ...process.env, ...env }, timeout: LONGEST });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  const [code, signal] = await once(child, 'close');
  return { code, signal, stdout, stderr };
}

/** State of a process (ready to run; ended and waiting for its parent) and its processor time in milliseconds. */
function standing(pid) {
  try {
    const state = /\) (\w)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))[1];
    const milliseconds = Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
    return { isReady: 'RZX'.includes(state), milliseconds };
  } catch {
    return { isReady: true, milliseconds: 0 };
  }
}

/** Milliseconds between two checks of a process, and of all checks together: other processes may keep pipes open. */
const LOOK = 10;
const LOOKS_END = 120_000;

/**
 * Waits until a process has ended. The limit counts milliseconds while it has a processor or sleeps, not while it is ready and other work has the
 * processors.
 *
 * @returns the result of `closed`; undefined if the process is still alive
 */
export async function endWithin({ pid }, closed, milliseconds) {
  const began = performance.now();
  let last = standing(pid);
  for (let own = 0; own <= milliseconds && performance.now() - began < LOOKS_END; ) {
    const end = await Promise.race([closed, pause(LOOK)]);
    if (end !== undefined) return end;
    const now = standing(pid);
    const computed = Math.max(0, now.milliseconds - last.milliseconds);
    own += now.isReady ? computed : Math.max(LOOK, computed);
    last = now;
  }
  return undefined;
}

/** Why a command cannot be run here, undefined where it can: kernels and containers forbid some. */
export function reasonAgainst(command) {
  const [program, ...args] = command;
  const { status, error, stderr } = spawnSync(program, args, { encoding: 'utf8' });
  if (error !== undefined) return error.message;
  return status === 0 ? undefined : stderr.trim().split('\n')[0] || `it ended with ${status}`;
}

/** Prefix that makes a command the first process of a new namespace, as in a container; killing it kills all its children. */
export const ISOLATED = ['unshare', '-rpf', '--kill-child', '--mount-proc'];

/** True if commands can be isolated on this machine; the report notes when they cannot. */
export function canIsolate(report) {
  const reason = reasonAgainst([...ISOLATED, 'true']);
  if (reason !== undefined) report.skip(`a namespace of processes: ${reason}`);
  return reason === undefined;
}

/** The commands of the program, as its help lists them. */
export async function commandNames() {
  const { stdout } = await childOf([process.execPath, programOf('../dist/app/cli/main.js'), '--help']);
  const listed = stdout.slice(0, stdout.indexOf('Examples:')).match(/^ {2}[a-z][a-z-]+(?= )/gm);
  return listed.map((name) => name.trim()).filter((name) => name !== 'help');
}

/** JSON in the last line of a child; undefined if there is none. */
export function lastJson({ stdout }) {
  try {
    return JSON.parse(stdout.trim().split('\n').at(-1));
  } catch {
    return undefined;
  }
}
