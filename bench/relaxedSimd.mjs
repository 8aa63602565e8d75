import { setFlagsFromString } from 'node:v8';

// Node 20 has relaxed SIMD behind a flag, which counts for modules compiled from now on: imported before the library, so that the engine
// wasm-fma is measured there too.
if (process.version.startsWith('v20.')) setFlagsFromString('--experimental-wasm-relaxed-simd');
