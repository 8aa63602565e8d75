/** The parts of TensorFlow.js' `util` that the library uses, for browser bundles. */
export { now } from '@tensorflow/tfjs-core/dist/util.js';
export {
  arraysEqual,
  inferFromImplicitShape,
  parseAxisParam,
  sizeFromShape,
} from '@tensorflow/tfjs-core/dist/util_base.js';
