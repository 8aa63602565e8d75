import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describeMachine } from './machine.mjs';
import { findPeers } from './peers.mjs';

const ENTRY = new URL('../dist/index.js', import.meta.url);

/**
 * Shared by all sections: settings, the library as built in dist/, the native library and the peers where installed, and
 * `missing`, sentences about measurements that are left out, with reasons.
 */
export async function prepareContext({ short, rounds, sizes, threads }) {
  if (!existsSync(fileURLToPath(ENTRY))) {
    console.error('dist/ is not there. Build it first: npm run build');
    process.exit(2);
  }
  const missing = {};
  const native = await findNativeLibrary(missing);
  const peers = findPeers(missing);
  const mlMatrix = await import('ml-matrix').catch(() => undefined);
  if (mlMatrix === undefined) missing.mlMatrix = 'The package ml-matrix is not installed.';
  return {
    settings: { short, rounds },
    short,
    rounds,
    /** Seconds for one sample of a contender; peers take theirs themselves. */
    seconds: short ? 0.1 : 0.8,
    sizes: (usual, shortest) => sizes ?? (short ? shortest : usual),
    threads: threads ?? (short ? [1] : [1, 2]),
    library: (await import('./library.mjs')).default,
    native,
    peers,
    mlMatrix,
    missing,
    /** Sentences about contenders whose results differ. */
    disagreements: [],
    machine: describeMachine(native, peers),
  };
}

async function findNativeLibrary(missing) {
  const { findNative } = await fromDist('engine/native/index.js');
  const found = findNative();
  if ('reason' in found) {
    missing.native = found.reason;
    return undefined;
  }
  return {
    ...found,
    useThreads: (threads) => findNative({ library: found.library, threads }),
    canSetThreads: found.threads !== undefined,
  };
}

/** A module of the built library by its path in dist/. */
export function fromDist(path) {
  return import(new URL(path, ENTRY).href);
}
