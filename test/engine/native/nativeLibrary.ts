import { describe, it } from 'vitest';
import { findNative, type NativeLibrary } from '../../../src/engine/native/index.ts';

/** Tests of the system's library where there is one; elsewhere one test, left out, that names the reason. */
export function withNativeLibrary(title: string, tests: (library: NativeLibrary) => void): void {
  const found = findNative();
  if ('reason' in found) it.skip(`${title} (${found.reason})`);
  else describe(`${title} (${found.version})`, () => tests(found));
}
