import * as v from 'valibot';
import { tanh } from '../core/elementary/index.ts';
import { Matrix } from '../core/matrix.ts';
import { checkOptions, integerFromOne } from '../core/options.ts';
import { seededRandom } from '../core/random.ts';
import * as op from '../engine/tensors/ops.ts';
import { real } from '../model/parameter.ts';
import { defineMap, type LatentMap } from './defineMap.ts';
import { ridgeRegression } from './linearMap.ts';

/** Part of the hidden units' mean square by which the fit of the output layer to the start of the latents is regularised. */
const RIDGE = 1e-6;

interface MlpOptions {
  readonly hidden: number;
}

/** tanh(YA + a) with a column of ones behind it. */
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
  parameters: ({ observations: Y, latents, seed }, { hidden }: MlpOptions) => {
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
 * @throws InvalidInputError when hidden is not a whole number from 1
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
