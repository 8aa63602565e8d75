import { setFlagsFromString } from 'node:v8';

/** Node 20 has relaxed SIMD behind a flag, which counts for modules compiled from now on. To be imported before the library. */
if (process.version.startsWith('v20.')) setFlagsFromString('--experimental-wasm-relaxed-simd');
