import type { Server } from 'node:net';
import { InvalidInputError } from './errors.ts';
import { claim, removeStaleFiles, temporaryName, unwritten } from './fileWriting.ts';
import { nodeModule } from './host.ts';
import { checkGiven } from './options.ts';
import { type Alive, isAlive, onOneKernel, ownIdentity, type ProcessIdentity } from './processes.ts';
import { checksum } from './saved.ts';

const node = <T>(name: string) => nodeModule<T>(`node:${name}`, 'Files are locked in Node only.');
const fileSystem = () => node<typeof import('node:fs/promises')>('fs/promises');

/** Contents of a lock file. */
interface Holder extends ProcessIdentity {
  readonly token: string;
  /** True if the holder listens on a socket next to the lock, which shows to every container on its kernel whether it lives. */
  readonly listens: boolean;
}

/** A lock of this process. */
export interface Lock {
  release(): void;
  /** Sentence about a killed process whose lock was taken over, if any. */
  readonly note?: string;
}

/**
 * Locks a file or folder for this process until it exits or releases the lock.
 *
 * The lock file `PATH.lock` names its holder: host, start of the kernel, process number with its namespace and start time, and a random token. The
 * lock of a process that has ended is taken over by creating `PATH.lock.TOKEN`, named by the token of the ended holder, which only one process can
 * do. The holder is therefore the last of a chain of files, and no file of a living holder is ever removed or renamed by another process.
 *
 * @returns the lock
 * @throws InvalidInputError with the code `inUse` while another process has the lock
 */
export async function lockPath(path: string): Promise<Lock> {
  checkGiven(path, 'lockPath', 'the path of a file or folder', (given) => typeof given === 'string' && given !== '');
  const { rmSync } = await node<typeof import('node:fs')>('fs');
  const { randomBytes } = await node<typeof import('node:crypto')>('crypto');
  const { dirname } = await node<typeof import('node:path')>('path');
  const lock = await lockName(path);
  const own = await ownIdentity();
  const token = randomBytes(8).toString('hex');
  const socket = await listening(dirname(lock), token);
  const holder: Holder = { ...own, token, listens: socket !== undefined };
  try {
    const ended = await claimed(lock, holder, path);
    const release = () => {
      process.removeListener('exit', release);
      // The first file is removed first: any process that follows the rest of the chain then detects that it was released.
      for (const file of [lock, ...ended.map(({ token: of }) => `${lock}.${of}`)]) rmSync(file, { force: true });
      socket?.close();
    };
    process.on('exit', release);
    await removeStaleFiles(lock, true);
    await removeDeadSockets(dirname(lock), token);
    for (const { token: of } of ended) rmSync(await socketName(dirname(lock), of), { force: true });
    const last = ended.at(-1);
    return last === undefined
      ? { release }
      : { release, note: `'${path}' was being written to by process ${last.pid}, which has ended.` };
  } catch (error) {
    socket?.close();
    throw error;
  }
}

/** Longest name of a file that '.lock' and a token are appended to; file systems allow 255 bytes. */
const LONGEST_NAME = 200;

async function lockName(path: string): Promise<string> {
  const { basename, dirname, join } = await node<typeof import('node:path')>('path');
  const name = basename(path);
  return Buffer.byteLength(name) > LONGEST_NAME ? join(dirname(path), `.${checksum(name)}.lock`) : `${path}.lock`;
}

/**
 * Puts this process at the end of the chain.
 *
 * @returns the earlier holders, which have all ended
 */
async function claimed(lock: string, own: Holder, path: string): Promise<readonly Holder[]> {
  for (;;) {
    const chain = await chainOf(lock);
    const last = chain.at(-1);
    if (last === 'unreadable') throw inUse(path, lock, 'another process');
    if (last !== undefined) {
      const alive = await isHeld(last, own, lock);
      if (alive !== false) {
        const where = alive === undefined ? ` on ${last.host}` : '';
        throw inUse(path, lock, `process ${last.pid}${where}`);
      }
    }
    const file = last === undefined ? lock : `${lock}.${last.token}`;
    if (!(await created(file, own, lock))) continue;
    // The holder of a chain that was released in the meantime no longer has the lock.
    const again = await chainOf(lock);
    if ((again.at(-1) as Holder | undefined)?.token === own.token) return again.slice(0, -1) as Holder[];
    await (await fileSystem()).rm(file, { force: true });
  }
}

const inUse = (path: string, lock: string, who: string) =>
  new InvalidInputError(
    `'${path}' is being written to by ${who}. Wait for its end, or give another path; if there is no such process, remove '${lock}'.`,
    { code: 'inUse' },
  );

/** Holders from the first to the last. */
async function chainOf(lock: string): Promise<readonly (Holder | 'unreadable')[]> {
  const { readFile } = await fileSystem();
  const chain: Holder[] = [];
  for (let file = lock; ; ) {
    const text = await readFile(file, 'utf8').catch(() => undefined);
    if (text === undefined) return chain;
    const holder = holderIn(text);
    if (holder === undefined) return [...chain, 'unreadable'];
    chain.push(holder);
    file = `${lock}.${holder.token}`;
  }
}

function holderIn(text: string): Holder | undefined {
  try {
    const { host, boot, space, pid, started, token, listens } = JSON.parse(text) as Holder;
    const isText = [host, boot, space, started].every((entry) => typeof entry === 'string');
    if (!isText || !Number.isInteger(pid) || !/^[0-9a-f]{16}$/.test(token)) return undefined;
    return { host, boot, space, pid, started, token, listens: listens === true };
  } catch {
    return undefined;
  }
}

/** Creates a holder's file in one step with its content; false if it exists, or if another process got the lock first. */
async function created(file: string, own: Holder, lock: string): Promise<boolean> {
  const { rm, writeFile } = await fileSystem();
  const { dirname } = await node<typeof import('node:path')>('path');
  // Named by the first file, so that leftovers of the whole chain can be located.
  const temporary = await temporaryName(lock, own);
  let isWritten = false;
  try {
    await writeFile(temporary, JSON.stringify(own), { flag: 'wx' });
    isWritten = true;
    await claim(temporary, file);
    return true;
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    const { code } = error as NodeJS.ErrnoException;
    // The holder of the lock removes the temporary files of all others.
    if (code === 'EEXIST' || (code === 'ENOENT' && isWritten)) return false;
    throw unwritten(file, error, dirname(file));
  }
}

/** Whether the holder of a lock lives: by its socket where it has one on this kernel, otherwise by its number and start time. */
async function isHeld(holder: Holder, own: Holder, lock: string): Promise<Alive> {
  if (!holder.listens || !onOneKernel(holder, own)) return isAlive(holder, own);
  const { dirname } = await node<typeof import('node:path')>('path');
  return (await hasListener(dirname(lock), holder.token)) ?? isAlive(holder, own);
}

const socketName = async (folder: string, token: string) =>
  (await node<typeof import('node:path')>('path')).join(folder, `.${token}.socket`);

/** Longest address of a socket, in bytes. */
const LONGEST_ADDRESS = 100;

/**
 * Runs work with the address of a socket. An address that is too long is shortened by way of the open folder.
 */
async function withAddress<T>(folder: string, token: string, work: (address: string) => Promise<T>): Promise<T> {
  const address = await socketName(folder, token);
  if (Buffer.byteLength(address) <= LONGEST_ADDRESS) return work(address);
  const handle = await (await fileSystem()).open(folder, 'r');
  try {
    return await work(`/proc/self/fd/${handle.fd}/.${token}.socket`);
  } finally {
    await handle.close();
  }
}

/** Listens on a socket, which the kernel closes when the process ends; undefined where the file system has none. */
async function listening(folder: string, token: string): Promise<{ close(): void } | undefined> {
  if (process.platform === 'win32') return undefined;
  const { createServer } = await node<typeof import('node:net')>('net');
  const { rmSync } = await node<typeof import('node:fs')>('fs');
  const path = await socketName(folder, token);
  const listen = (address: string) =>
    new Promise<Server | undefined>((resolve) => {
      const server = createServer((socket) => socket.destroy());
      server.once('error', () => resolve(undefined));
      server.listen(address, () => resolve(server.unref()));
    });
  const server = await withAddress(folder, token, listen).catch(() => undefined);
  if (server === undefined) return undefined;
  return {
    close() {
      server.close();
      rmSync(path, { force: true });
    },
  };
}

/** Minimum age in milliseconds of a socket without a listener that a killed process left; a younger one may be about to listen. */
const DEAD_SOCKET = 5000;

/** Removes sockets of processes that were killed before they had the lock, so that no chain names them. */
async function removeDeadSockets(folder: string, own: string): Promise<void> {
  const { readdir, rm, stat } = await fileSystem();
  for (const name of await readdir(folder).catch(() => [])) {
    const token = /^\.([0-9a-f]{16})\.socket$/.exec(name)?.[1];
    if (token === undefined || token === own) continue;
    const path = await socketName(folder, token);
    const made = await stat(path).catch(() => undefined);
    if (made === undefined || Date.now() - made.mtimeMs < DEAD_SOCKET || (await hasListener(folder, token)) !== false)
      continue;
    await rm(path, { force: true }).catch(() => undefined);
  }
}

/** Whether a process listens; undefined if there is no such socket. */
async function hasListener(folder: string, token: string): Promise<Alive> {
  const { connect } = await node<typeof import('node:net')>('net');
  const connected = (address: string) =>
    new Promise<Alive>((resolve) => {
      const socket = connect(address);
      const end = (alive: Alive) => {
        socket.destroy();
        resolve(alive);
      };
      socket.once('connect', () => end(true));
      socket.once('error', ({ code }: NodeJS.ErrnoException) =>
        end(code === 'ECONNREFUSED' ? false : code === 'ENOENT' ? undefined : true),
      );
    });
  return withAddress(folder, token, connected).catch(() => undefined);
}
