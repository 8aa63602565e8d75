import * as tf from '@tensorflow/tfjs-core';
import * as v from 'valibot';
import { tanh } from '../core/elementary/index.ts';
import { InvalidInputError } from '../core/errors.ts';
import { describe, Matrix } from '../core/matrix.ts';
import { checkGiven, checkOptions, integerFromOne, readGiven } from '../core/options.ts';
import { seededRandom } from '../core/random.ts';
import { matrixTensor, tensorMatrix } from '../engine/tensors/doubles.ts';
import { registerNetworkOperations } from '../engine/tensors/float64/network.ts';
import { withFloat64 } from '../engine/tensors/float64/scope.ts';
import * as op from '../engine/tensors/ops.ts';
import type { Tensor, Tensor2D } from '../engine/tensors/tensorflow.ts';
import { fixed, type ParameterValue, real } from '../model/parameter.ts';
import { defineMap, type LatentMap, type MapFactory } from './defineMap.ts';

/**
 * The weights W (D×q) that minimize ‖FW − X‖² + r·‖W‖², by (FᵀF + r·I)⁻¹FᵀX, or Fᵀ(FFᵀ + r·I)⁻¹X if D > N.
 *
 * @param F - N×D
 * @param X - N×q
 * @param ridge - r relative to the mean squared length of the columns (or rows, if D > N) of F, > 0
 */
export function ridgeRegression(F: Matrix, X: Matrix, ridge: number): Matrix {
  const { rows, columns } = F;
  const wide = columns > rows;
  const energy = F.data.reduce((sum, entry) => sum + entry * entry, 0) / Math.min(rows, columns) || 1;
  return withFloat64(() => {
    const features = matrixTensor(F);
    const targets = matrixTensor(X);
    const gram = op.matMul<Tensor2D>(features, features, !wide, wide);
    const factor = op.cholesky(op.addDiagonal(gram, op.scalar(ridge * energy)), { name: 'The start of a map' });
    if (wide) return tensorMatrix(op.matMul<Tensor2D>(features, op.choleskySolve(factor, targets), true, false));
    return tensorMatrix(op.choleskySolve(factor, op.matMul<Tensor2D>(features, targets, true, false)));
  });
}

/**
 * Linear back-constraint: X = Y·A. Its path is `latents.weights`, D×q.
 *
 * @param overrides - `weights`, such as `fixed(A)`; default fitted to the initial latents
 * @see Lawrence & Quiñonero-Candela 2006
 * @example
 * ```ts
 * backConstrained(linearMap());
 * ```
 */
export const linearMap = defineMap({
  name: 'linear',
  affine: true,
  parameters: ({ features, latents }) => ({ weights: real(ridgeRegression(features, latents, 1e-10)) }),
  apply: (p, Y) => op.matMul(Y, p.weights),
});

/** Ridge of the output layer's fit to the initial latents, relative to the mean square of the hidden units. */
const RIDGE = 1e-6;

/** tanh(YA + a) with a column of ones appended. */
function hiddenUnits(Y: Matrix, weights: Matrix, bias: readonly number[]): Matrix {
  const hidden = bias.length;
  const result = Matrix.zeros(Y.rows, hidden + 1);
  for (let i = 0; i < Y.rows; i++) {
    const units = Float64Array.from(bias);
    for (let j = 0; j < Y.columns; j++) {
      const entry = Y.at(i, j);
      for (let h = 0; h < hidden; h++) units[h]! += entry * weights.data[j * hidden + h]!;
    }
    result.data.set(units.map(tanh), i * (hidden + 1));
    result.data[i * (hidden + 1) + hidden] = 1;
  }
  return result;
}

export const mlpMapFactory = defineMap({
  name: 'mlp',
  // The first layer is drawn so that its units see arguments of unit variance; the second is fitted to the start of the latents.
  parameters: ({ observations: Y, latents, seed }, { hidden }: v.InferOutput<typeof schema>) => {
    const random = seededRandom(seed);
    const energy = Y.data.reduce((sum, entry) => sum + entry * entry, 0) / Y.rows || 1;
    const drawn = Float64Array.from({ length: Y.columns * hidden }, () => random.normal() / Math.sqrt(energy));
    const weights = new Matrix(drawn, Y.columns, hidden);
    const bias = Array.from({ length: hidden }, () => random.normal());
    const output = ridgeRegression(hiddenUnits(Y, weights, bias), latents, RIDGE);
    const q = latents.columns;
    return {
      'layer1.weights': real(weights),
      'layer1.bias': real(bias),
      'layer2.weights': real(new Matrix(output.data.slice(0, hidden * q), hidden, q)),
      'layer2.bias': real(Array.from(output.row(hidden))),
    };
  },
  apply: (p, Y) => {
    const units = op.tanh(op.add(op.matMul(Y, p['layer1.weights']), p['layer1.bias']));
    return op.add(op.matMul(units, p['layer2.weights']), p['layer2.bias']);
  },
});

const schema = v.strictObject({
  hidden: v.optional(integerFromOne, 20),
});

/**
 * Back-constraint by a multilayer perceptron with one hidden layer: X = tanh(Y·A₁ + a₁)·A₂ + a₂. Its paths are
 * `latents.layer1.weights` (D×hidden), `latents.layer1.bias`, `latents.layer2.weights` (hidden×q) and `latents.layer2.bias`.
 *
 * @param options - `hidden`, the number of hidden units (20)
 * @throws InvalidInputError unless hidden is a whole number from 1
 * @see Lawrence & Quiñonero-Candela 2006; Jiang et al. 2014, eq. 28
 * @example
 * ```ts
 * backConstrained(mlpMap({ hidden: 10 }));
 * ```
 */
export function mlpMap(options: { hidden?: number } = {}): LatentMap {
  const { hidden } = checkOptions(schema, options, 'mlpMap');
  return mlpMapFactory({}, Object.freeze({ hidden }));
}

/** Members of a `tf.layers` model that a map needs. */
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
 * A `tf.layers` network as a back-constraint or encoder. Its weights are the parameters `latents.weight0`, `latents.weight1`, … in the order of
 * `network.weights`; they start at the network's values and are fitted to the initial latents, and weights that are not trainable are fixed.
 * Everything is computed in double precision. The network itself keeps its weights.
 *
 * @param name - letters and digits, starting with a letter; `loadFit(json, { maps: { name: factory } })` reads saved fits
 * @param network - D inputs, q outputs, each weight a scalar, a vector or a matrix; already built, so that its weights exist
 * @returns a factory `() => LatentMap`
 * @throws InvalidInputError unless it is a network whose weights are of rank 2 at most; when a model is made, if its output is not n×q
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
 * const model = gplvm(Y, { latentDim: 2, posterior: backConstrained(encoder()) });
 * ```
 */
export function layersMap(name: string, network: LayersNetwork): MapFactory<string> {
  checkGiven(network, 'layersMap', 'a name and a network of tf.layers that is built', isNetwork);
  registerNetworkOperations();
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
      throw new InvalidInputError(`The network of map '${name}' has an output ${given}. It must be one row per point.`);
    },
  });
}

const isNetwork = ({ weights, trainableWeights, apply }: LayersNetwork): boolean =>
  Array.isArray(weights) && Array.isArray(trainableWeights) && typeof apply === 'function';

/** The weights of a network, and the parameters initialized with them. */
function weightsOf({ weights, trainableWeights }: LayersNetwork) {
  const parameters = weights.map((weight, i) => {
    const start = startOf(`weight${i}`, weight.read());
    return [`weight${i}`, trainableWeights.includes(weight) ? real(start) : fixed(start)] as const;
  });
  return { weights, parameters: Object.fromEntries(parameters) };
}

/** Runs work while the weights of a network are replaced by other tensors. */
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
    `layersMap takes networks whose weights are scalars, vectors or matrices, such as dense layers, but ${name} has shape [${shape}].`,
  );
}
