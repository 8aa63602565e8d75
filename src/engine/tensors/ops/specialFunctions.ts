import * as tf from '@tensorflow/tfjs-core';
import * as gamma from '../../special/gamma.ts';
import { FLOAT64 } from '../float64/backend.ts';
import type { Unary } from '../float64/operations/operation.ts';
import { elementwise } from '../float64/operations/operation.ts';
import { float64Backend } from '../float64/scope.ts';
import type { Tensor, TensorInfo } from '../tensorflow.ts';
import { asTensor } from './creation.ts';
import type { Elementwise } from './elementary.ts';

/**
 * The error function 2/√π·∫₀ˣ e^(−t²) dt, in [−1, 1]. Its gradient is 2/√π·e^(−x²).
 *
 * @example
 * ```ts
 * op.erf(op.tensor([0, 1])); // [0, 0.8427007929497149]
 * ```
 */
export const erf: Elementwise = (x) => tf.erf(asTensor(x));

/**
 * log |Γ(x)|, with gradient ψ(x); any real x but 0, −1, −2, …
 *
 * @example
 * ```ts
 * op.lgamma(op.tensor([1, 5])); // [0, 3.1780538303479458], the logarithm of 4! = 24
 * ```
 */
export const lgamma: Elementwise = (x) => special('Lgamma', asTensor(x));

/**
 * The digamma function ψ(x) = d log Γ(x)/dx, with gradient ψ′(x); any real x but 0, −1, −2, …
 *
 * @example
 * ```ts
 * op.digamma(op.tensor([1, 2])); // [-0.5772156649015329, 0.42278433509846714]
 * ```
 */
export const digamma: Elementwise = (x) => special('Digamma', asTensor(x));

/** The gradients of these functions are registered with the float64 backend, also for the other backends. */
function special<T extends Tensor>(kernelName: string, x: T): T {
  float64Backend();
  registerGammaFunctions();
  return tf.engine().runKernel(kernelName, { x }) as Tensor as T;
}

/** The members of any synchronous backend that a function computed in doubles and stored as float32 needs. */
interface AnyBackend {
  readSync(dataId: object): ArrayLike<number>;
  write(values: Float32Array, shape: number[], dtype: 'float32'): object;
}

/**
 * Registers the gamma family, which TensorFlow.js does not have, also on its cpu and wasm backends. The operations register it themselves, so that
 * pages without them do not load it.
 */
function registerGammaFunctions(): void {
  if (tf.getKernel('Lgamma', FLOAT64) !== undefined) return;
  for (const [name, f] of [
    ['Lgamma', gamma.lgamma],
    ['Digamma', gamma.digamma],
    ['Trigamma', gamma.trigamma],
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
