import * as tf from '@tensorflow/tfjs-core';
import { InvalidInputError } from '../core/errors.ts';
import { checkGiven, readGiven } from '../core/given.ts';
import { describe, Matrix } from '../core/matrix.ts';
import type { Tensor, Tensor2D } from '../engine/tensors/tensorflow.ts';
import { fixed, type ParameterValue, real } from '../model/parameter.ts';
import { defineMap, type MapFactory } from './defineMap.ts';

/** What models of `tf.layers` have that a map needs. */
export interface LayersNetwork {
  readonly weights: readonly LayersWeight[];
  readonly trainableWeights: readonly unknown[];
  apply(inputs: Tensor2D): unknown;
}

/** A weight of such a model. */
export interface LayersWeight {
  read(): Tensor;
}

/**
 * A network of `tf.layers` as a back-constraint or encoder: its weights are the parameters `latents.weight0`, `latents.weight1`, … in the order of
 * `network.weights`, started at the network's own and fitted to the start of the latents; those that are not trainable are held. Everything is
 * computed in double precision. The network itself keeps its weights.
 *
 * @param name - letters and digits, a letter first: `loadFit(json, { maps: { name: factory } })` reads fits with it again
 * @param network - D inputs, q outputs, each weight a scalar, a vector or a matrix; built, so that its weights are there
 * @returns a factory `() => LatentMap`
 * @throws InvalidInputError for something else than a network, or one with weights of a higher rank; when a model is made, for one whose output is not n×q
 * @see Lawrence & Quiñonero-Candela 2006
 * @example
 * ```ts
 * import * as tf from '@tensorflow/tfjs';
 * import { backConstrained, layersMap } from 'latentfield';
 *
 * const { dense } = tf.layers;
 * const network = tf.sequential({
 *   layers: [dense({ inputShape: [Y[0]!.length], units: 8, activation: 'tanh' }), dense({ units: 2 })],
 * });
 * const encoder = layersMap('encoder', network);
 * const model = gplvm(Y, { latentDim: 2, latents: backConstrained(encoder()) });
 * ```
 */
export function layersMap(name: string, network: LayersNetwork): MapFactory<string> {
  checkGiven(network, 'layersMap', 'a name and a network of tf.layers that is built', isNetwork);
  const { weights, parameters } = readGiven('The weights of the network given to layersMap', () => weightsOf(network));
  return defineMap({
    name,
    parameters,
    apply: (p, Y) => {
      const output = withWeights(
        weights,
        weights.map((_, i) => p[`weight${i}`]!),
        () => network.apply(Y),
      );
      if (output instanceof tf.Tensor && output.rank === 2) return output as Tensor2D;
      const given = output instanceof tf.Tensor ? `of shape [${output.shape}]` : `that is ${describe(output)}`;
      throw new InvalidInputError(`The network of map '${name}' has an output ${given}. It must be one row a point.`);
    },
  });
}

const isNetwork = ({ weights, trainableWeights, apply }: LayersNetwork): boolean =>
  Array.isArray(weights) && Array.isArray(trainableWeights) && typeof apply === 'function';

/** The weights of a network, and the parameters that they start. */
function weightsOf({ weights, trainableWeights }: LayersNetwork) {
  const parameters = weights.map((weight, i) => {
    const start = startOf(`weight${i}`, weight.read());
    return [`weight${i}`, trainableWeights.includes(weight) ? real(start) : fixed(start)] as const;
  });
  return { weights, parameters: Object.fromEntries(parameters) };
}

/** Work while the weights of a network read as other tensors. */
function withWeights<T>(weights: readonly LayersWeight[], tensors: readonly Tensor[], work: () => T): T {
  const reads = weights.map(({ read }) => read);
  try {
    weights.forEach((weight, i) => {
      weight.read = () => tensors[i]!;
    });
    return work();
  } finally {
    weights.forEach((weight, i) => {
      weight.read = reads[i]!;
    });
  }
}

function startOf(name: string, weight: Tensor): ParameterValue {
  const entries = Float64Array.from(weight.dataSync());
  const { rank, shape } = weight;
  if (rank === 0) return entries[0]!;
  if (rank === 1) return Array.from(entries);
  if (rank === 2) return new Matrix(entries, shape[0]!, shape[1]!);
  throw new InvalidInputError(
    `layersMap takes networks whose weights are scalars, vectors or matrices, such as those of dense layers, but ${name} has shape [${shape}].`,
  );
}
