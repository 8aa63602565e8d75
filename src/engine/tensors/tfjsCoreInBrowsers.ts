/**
 * @tensorflow/tfjs-core without its optimizers and without model storage, as its replacement in browser bundles (see "browser" in package.json).
 * Other uses of TensorFlow.js on the page get the same modules, or another copy, which shares engine and platform through a global.
 */
import '@tensorflow/tfjs-core/dist/flags.js';
import { getOrMakeEngine } from '@tensorflow/tfjs-core/dist/engine.js';
import { env } from '@tensorflow/tfjs-core/dist/environment.js';
import { buffer } from '@tensorflow/tfjs-core/dist/ops/buffer.js';
import { cast } from '@tensorflow/tfjs-core/dist/ops/cast.js';
import { clone } from '@tensorflow/tfjs-core/dist/ops/clone.js';
import { print } from '@tensorflow/tfjs-core/dist/ops/print.js';
import { isTypedArrayBrowser } from '@tensorflow/tfjs-core/dist/platforms/is_typed_array_browser.js';
import { setOpHandler } from '@tensorflow/tfjs-core/dist/tensor.js';

export * from '@tensorflow/tfjs-core/dist/base.js';
// Instead of the whole namespace, which esbuild would bundle with all of its members.
export * as util from './tfjsUtil.ts';

// Does what base_side_effects.js of tfjs-core does, except for the platform, which imports local storage and IndexedDB.
getOrMakeEngine();
setOpHandler({ buffer, cast, clone, print });
// A page that loads all of TensorFlow.js sets a platform earlier or later.
if (env().platform === undefined) {
  env().setPlatform('browser', {
    fetch: (path, init) => fetch(path, init),
    now: () => performance.now(),
    encode: (text) => new TextEncoder().encode(text),
    decode: (bytes, encoding) => new TextDecoder(encoding).decode(bytes),
    setTimeoutCustom: (task, delay) => void setTimeout(task, delay),
    isTypedArray: isTypedArrayBrowser,
  });
}
