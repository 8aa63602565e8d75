// Programs of an attack in processes of their own.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** Longest that a process may take; it is killed then. */
const LONGEST = 180_000;

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

/** Why a command cannot be run here, undefined where it can: kernels and containers forbid some. */
export function reasonAgainst(command) {
  const [program, ...args] = command;
  const { status, error, stderr } = spawnSync(program, args, { encoding: 'utf8' });
  if (error !== undefined) return error.message;
  return status === 0 ? undefined : stderr.trim().split('\n')[0] || `it ended with ${status}`;
}

/** What a child wrote as JSON in its last line, undefined where it wrote none. */
export function lastJson({ stdout }) {
  try {
    return JSON.parse(stdout.trim().split('\n').at(-1));
  } catch {
    return undefined;
  }
}
