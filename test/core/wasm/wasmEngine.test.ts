import { wasmEngine } from '../../../src/core/wasm/wasmEngine.ts';
import { engineConformance } from '../linalg/engineConformance.ts';

engineConformance('WebAssembly', wasmEngine);
