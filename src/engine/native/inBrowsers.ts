import type { findNative as findNativeInNode } from './findNative.ts';
import type { Reason } from './routines.ts';

export type { Reason } from './routines.ts';

/** Replaces this folder's index in browser bundles (see "browser" in package.json), which call no native code. */
export const findNative: typeof findNativeInNode = (): Reason => ({
  reason: 'The native engine needs Node.js 20.16 or later, which can load packages that call native code.',
});
