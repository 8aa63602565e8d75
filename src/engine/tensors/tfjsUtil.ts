/** What the library uses of `util` of TensorFlow.js, in bundles for browsers. */
export { now } from '@tensorflow/tfjs-core/dist/util.js';
export {
  arraysEqual,
  inferDtype,
  inferFromImplicitShape,
  parseAxisParam,
  sizeFromShape,
} from '@tensorflow/tfjs-core/dist/util_base.js';
