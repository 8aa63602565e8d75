import * as tf from '@tensorflow/tfjs-core';
import { InvalidInputError } from '../../../core/errors.ts';
import type { TensorInfo } from '../../tensorflow.ts';
import { FLOAT64, type Float64Backend } from '../backend.ts';
import { matrixProduct, type ProductAttributes } from './matrixProduct.ts';
import { type Binary, kernel } from './operation.ts';

interface FusedInputs extends Binary {
  readonly bias?: TensorInfo;
  readonly preluActivationWeights?: TensorInfo;
}

interface FusedAttributes extends ProductAttributes {
  readonly activation?: string;
  readonly leakyreluAlpha?: number;
}

/** Names that `tf.fused` has for activations, and the kernels that compute them. */
const ACTIVATIONS: Readonly<Record<string, string>> = {
  relu: 'Relu',
  relu6: 'Relu6',
  elu: 'Elu',
  sigmoid: 'Sigmoid',
  leakyrelu: 'LeakyRelu',
  prelu: 'Prelu',
};

/** φ(A·B + bias), the dense layer of `tf.layers`: the product, then the kernels of its parts. */
export function registerFusedMatrixProduct(): void {
  kernel<FusedInputs, FusedAttributes>(
    '_FusedMatMul',
    ({ a, b, bias, preluActivationWeights }, attributes, backend) => {
      const { activation = 'linear', leakyreluAlpha: alpha } = attributes;
      let result = matrixProduct(a, b, attributes, backend);
      const then = (name: string, inputs: Record<string, TensorInfo>) => {
        const before = result;
        result = computed(name, inputs, { alpha }, backend);
        backend.disposeData(before.dataId as object);
      };
      if (bias) then('Add', { a: result, b: bias });
      if (activation === 'linear') return result;
      const name = ACTIVATIONS[activation];
      if (name === undefined) {
        const known = ['linear', ...Object.keys(ACTIVATIONS)].join(', ');
        throw new InvalidInputError(
          `A fused matrix product knows the activations ${known}, but '${activation}' was given. Apply it after the product.`,
        );
      }
      if (name === 'Prelu') then(name, { x: result, alpha: preluActivationWeights! });
      else then(name, { x: result });
      return result;
    },
  );
}

/** What a registered kernel makes of the inputs, without TensorFlow.js in between. */
function computed(
  name: string,
  inputs: Record<string, TensorInfo>,
  attrs: object,
  backend: Float64Backend,
): TensorInfo {
  const { kernelFunc } = tf.getKernel(name, FLOAT64);
  return kernelFunc({ inputs, attrs: attrs as tf.NamedAttrMap, backend }) as TensorInfo;
}
