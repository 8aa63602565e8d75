import { wasmEngine } from '../../../src/engine/wasm/wasmEngine.ts';
import { engineConformance } from '../dense/engineConformance.ts';

engineConformance('WebAssembly', wasmEngine);
