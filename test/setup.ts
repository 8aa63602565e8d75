// The stock backends are what results are compared with; that the library needs nothing of it, the packed package shows.
import '@tensorflow/tfjs';
import * as tf from '@tensorflow/tfjs-core';
import { renewSharedMemory } from '../src/engine/memory.ts';
import { FLOAT64 } from '../src/engine/tensors/float64/backend.ts';
import { float64Backend } from '../src/engine/tensors/float64/scope.ts';
import { writeGuard } from '../src/engine/tensors/float64/writeGuard.ts';

// Files that share a worker share its memory, which never shrinks.
if (tf.findBackendFactory(FLOAT64) !== null && float64Backend().memory64.reservedBytes > 2 ** 24) {
  tf.removeBackend(FLOAT64);
  renewSharedMemory();
}
// Numbers rounded to float32 on their way in are errors in every test.
writeGuard.strict = true;
