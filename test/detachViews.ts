import { expect } from 'vitest';
import { seededRandom } from '../src/core/random.ts';
import { float64Backend } from '../src/engine/tensors/float64/scope.ts';

/** Bytes of views that an allocation detaches, on average: V8 collects garbage by them, and large memories leave it no time for anything else. */
const BYTES = 2 ** 14;

// Views kept across an allocation are errors, and they are noticed by detaching views: at every allocation in the tests of the engine, in all
// others at one of 64 while the memory is small, and at fewer, by chance, where it is large.
const { memory64 } = float64Backend();
const { uniform } = seededRandom(1);
const isOfEngine = expect.getState().testPath!.includes('/test/engine/');
let between = 0;
Object.defineProperty(memory64, 'detachViews', {
  configurable: true,
  get: () => {
    if (isOfEngine) return true;
    if (between-- > 0) return false;
    between = Math.round(2 * uniform() * (memory64.reservedBytes / BYTES - 1));
    return true;
  },
});
