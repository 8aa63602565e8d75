import { wasmEngine } from '../../../src/numerics/wasm/wasmEngine.ts';
import { engineConformance } from '../dense/engineConformance.ts';

engineConformance('WebAssembly', wasmEngine);
