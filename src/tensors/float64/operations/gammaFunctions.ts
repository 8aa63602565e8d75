import * as tf from '@tensorflow/tfjs-core';
import { digamma, lgamma, trigamma } from '../../../numerics/special/gamma.ts';
import type { TensorInfo } from '../../tensorflow.ts';
import { FLOAT64 } from '../backend.ts';
import { elementwise } from './elementwise.ts';
import type { Unary } from './operation.ts';

/** What any synchronous backend can do; enough for a function that is computed in doubles and stored as float32. */
interface AnyBackend {
  readSync(dataId: object): ArrayLike<number>;
  write(values: Float32Array, shape: number[], dtype: 'float32'): object;
}

/**
 * The gamma family, which TensorFlow.js has not: also on its cpu and wasm backends. Registered by the operations themselves, so that pages
 * without them do not load them.
 */
export function registerGammaFunctions(): void {
  if (tf.getKernel('Lgamma', FLOAT64) !== undefined) return;
  for (const [name, f] of [
    ['Lgamma', lgamma],
    ['Digamma', digamma],
    ['Trigamma', trigamma],
  ] as const) {
    elementwise(
      name,
      (x, y) => {
        for (let i = 0; i < y.length; i++) y[i] = f(x[i]!);
      },
      'float32',
    );
    for (const backendName of ['cpu', 'wasm']) registerElsewhere(name, backendName, f);
  }
}

function registerElsewhere(kernelName: string, backendName: string, f: (x: number) => number): void {
  const kernelFunc = ({ inputs, backend }: { inputs: Unary; backend: AnyBackend }): TensorInfo => {
    const { dataId, shape } = inputs.x;
    const values = Float32Array.from(backend.readSync(dataId), f);
    return { dataId: backend.write(values, shape, 'float32'), shape, dtype: 'float32' };
  };
  tf.registerKernel({ kernelName, backendName, kernelFunc: kernelFunc as unknown as tf.KernelFunc });
}
