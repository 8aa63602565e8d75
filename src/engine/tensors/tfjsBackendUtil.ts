/** The parts of TensorFlow.js' `backend_util` that the library uses, for browser bundles. */
export { assertParamsConsistent } from '@tensorflow/tfjs-core/dist/ops/concat_util.js';
export * as segment_util from '@tensorflow/tfjs-core/dist/ops/segment_util.js';
export { prepareSplitSize } from '@tensorflow/tfjs-core/dist/ops/split_util.js';
