/**
 * @tensorflow/tfjs-core without its optimizers, in its place in bundles for browsers (see "browser" in package.json). What a page
 * has of TensorFlow.js beside is the same modules.
 */
import '@tensorflow/tfjs-core/dist/base_side_effects.js';

export * from '@tensorflow/tfjs-core/dist/base.js';
