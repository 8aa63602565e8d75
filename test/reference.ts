import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Reference values on generated inputs, which are part of the repository. */
export function reference<T>(name: string): T {
  return JSON.parse(readFileSync(new URL(`./reference/${name}`, import.meta.url), 'utf8')) as T;
}

const SHARED = fileURLToPath(new URL('../../shared/', import.meta.url));

/** A file of real data, or of values that rest on it: undefined where the folder of real data is not there. */
export function sharedFile(path: string): string | undefined {
  const file = join(SHARED, path);
  return existsSync(file) ? file : undefined;
}

/** Reference values that rest on real data. */
export function sharedReference<T>(name: string): T | undefined {
  const file = sharedFile(join('reference', name));
  return file === undefined ? undefined : (JSON.parse(readFileSync(file, 'utf8')) as T);
}
