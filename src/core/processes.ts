import { isNode, nodeModule } from './host.ts';

const node = <T>(name: string) => nodeModule<T>(`node:${name}`, 'Processes have an identity in Node only.');

/** Identity of a process, which differs from all others, even from one with the same number in another container or after a restart. */
export interface ProcessIdentity {
  readonly host: string;
  /** Identity of this run of the kernel; empty where there is no /proc. */
  readonly boot: string;
  /** Namespace of process numbers; empty where there is no /proc. */
  readonly space: string;
  readonly pid: number;
  /** Start time in ticks of the kernel's clock; empty where there is no /proc. */
  readonly started: string;
}

/** True if it is a living process, false if it has ended, undefined if that cannot be known from here. */
export type Alive = boolean | undefined;

/** Identity of this process. */
export async function ownIdentity(): Promise<ProcessIdentity> {
  const { hostname } = await node<typeof import('node:os')>('os');
  const { readFile, readlink } = await node<typeof import('node:fs/promises')>('fs/promises');
  const orEmpty = (read: Promise<string>) => read.then((text) => text.trim()).catch(() => '');
  return {
    host: hostname(),
    boot: await orEmpty(readFile('/proc/sys/kernel/random/boot_id', 'utf8')),
    space: await orEmpty(readlink('/proc/self/ns/pid')),
    pid: process.pid,
    started: await startOf('self'),
  };
}

/** True if both were written on one running kernel, regardless of the names of their containers. */
export const onOneKernel = (a: ProcessIdentity, b: ProcessIdentity): boolean =>
  a.boot === b.boot && (a.boot !== '' || a.host === b.host);

/** Whether another process still runs, by its number and start time. */
export async function isAlive(other: ProcessIdentity, own: ProcessIdentity): Promise<Alive> {
  // A host that was started again has none of its earlier processes.
  if (!onOneKernel(other, own)) return other.host === own.host ? false : undefined;
  if (other.space !== own.space) return undefined;
  return isRunning(other.pid) && (other.started === '' || (await startOf(other.pid)) === other.started);
}

function isRunning(pid: number): boolean {
  if (!isNode()) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: the process exists but belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Field 22 of /proc/PID/stat, empty for a process that has ended and waits for its parent; the command before it may contain spaces and parentheses. */
async function startOf(pid: number | 'self'): Promise<string> {
  const { readFile } = await node<typeof import('node:fs/promises')>('fs/promises');
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return fields[0] === 'Z' || fields[0] === 'X' ? '' : (fields[19] ?? '');
}
