import { setFlagsFromString } from 'node:v8';
import { expect } from 'vitest';

/**
 * Node 20 has relaxed SIMD behind a flag, which counts for modules compiled from now on, in all threads of the process: those that a
 * later file starts would round otherwise than its own one. To be imported before the library, by tests in processes of their own.
 */
if (!expect.getState().testPath!.includes('.isolated.')) throw new Error('Name this test *.isolated.test.ts.');
if (process.version.startsWith('v20.')) setFlagsFromString('--experimental-wasm-relaxed-simd');
