import * as v from 'valibot';
import { InvalidInputError } from '../core/errors.ts';
import { checkOptions, type OptionsIn, typed } from '../core/options.ts';
import type { Random } from '../core/random.ts';
import { doublesOf } from '../engine/tensors/doubles.ts';
import * as op from '../engine/tensors/ops.ts';
import type { Scalar, Tensor, Tensor2D } from '../engine/tensors/tensorflow.ts';
import type { Density, DensityContext, DensityLike, Rows } from '../model/language/density.ts';
import { chosen, componentsOf, drawnIndex, probabilities } from '../model/language/mixture.ts';
import type { TensorMap } from '../model/model.ts';
import type { ParameterLike } from '../model/parameter.ts';
import { sequenceEntries, transitionsOf } from './segments.ts';

export interface HiddenMarkovOptions extends OptionsIn<typeof schema> {}

const schema = v.strictObject({
  segments: sequenceEntries.segments,
  /** π, probabilities of the first state of each sequence: a simplex that is learned (default with equal initial values), or a list of initial values. */
  initial: v.optional(typed<ParameterLike>()),
  /** A, K×K: row k has the probabilities of the state after state k, as simplexes or lists of initial values. Default: a state stays with probability 0.9. */
  transitions: v.optional(typed<readonly ParameterLike[]>()),
});

/** Initial probability that a state stays, by default. */
const STAYS = 0.9;

/**
 * A hidden Markov model: each row has one of K states, which is summed over. Rows of a state k have the density p_k, and the states of a sequence are a Markov chain:
 * log p(rows | parents) = log Σ_{s₁…s_N} π_{s₁} p_{s₁}(row₁) Π_n A_{s_{n−1} s_n} p_{s_n}(row_n).
 *
 * The sum is a product of N matrices of size K×K, taken pairwise in O(N·K³). The parameters are `initial` π, `transitions.0`, `transitions.1` … (the rows of A), and the components'
 * parameters under the components' names, as in {@link mixture}.
 *
 * @param components - a density for each of at least two states, with independent rows
 * @param options - `segments`, the first rows of the sequences (0 is implied); `initial` π and `transitions` A, learned
 * @throws InvalidInputError for fewer than two components, components that are not densities, and probabilities whose number does not match or that do not add up to 1; on
 *   evaluation, for a component that does not return one number per row, and for segments that do not match the rows
 * @see Rabiner 1989, A tutorial on hidden Markov models, eq. 17
 * @example
 * ```ts
 * import { hiddenMarkov, normal, observed, real } from 'latentfield';
 *
 * const calm = normal({ mean: real(0), deviation: 1 });
 * const busy = normal({ mean: real(5), deviation: 1 });
 * const y = observed([[0.1], [-0.4], [5.2], [4.9], [5.3]], { density: hiddenMarkov([calm, busy]) });
 * ```
 */
export function hiddenMarkov(components: readonly DensityLike[], options: HiddenMarkovOptions = {}): Density {
  const owner = 'hiddenMarkov';
  const { segments, initial, transitions } = checkOptions(schema, options, owner);
  const { parts, rowLogs, members, sampled } = componentsOf(components, owner);
  const states = parts.map((_, k) => k);
  const [K, names] = [states.length, states.map((k) => `transitions.${k}`)];
  if (transitions !== undefined && transitions.length !== K) {
    throw new InvalidInputError(
      `Option 'transitions' of hiddenMarkov must have ${K} rows, one per component, but has ${transitions.length}.`,
    );
  }
  const staying = (k: number) => states.map((own) => (own === k ? STAYS : (1 - STAYS) / (K - 1)));
  const own = {
    initial: probabilities(initial, K, "Option 'initial' of hiddenMarkov"),
    ...Object.fromEntries(
      names.map((name, k) => [
        name,
        probabilities(
          transitions === undefined ? staying(k) : transitions[k],
          K,
          `Row index ${k} of option 'transitions' of hiddenMarkov`,
        ),
      ]),
    ),
  };
  const sequences = (rows: number) => new Set(transitionsOf(segments, rows, "Density 'hiddenMarkov'").first);
  return Object.freeze<Density>({
    ...members(own),
    name: owner,
    independent: false,
    logDensity: (p: TensorMap, rows: Rows, context: DensityContext) => {
      const logs = rowLogs(p, rows, context);
      const n = logs.shape[0];
      const begins = sequences(n);
      // At the first row of a sequence each state is followed by the initial probabilities.
      const first = op.tensor<Tensor>(
        Float64Array.from({ length: n }, (_, i) => (begins.has(i) ? 1 : 0)),
        [n, 1, 1],
      );
      const from = op.log(op.reshape<Tensor>(p.initial!, [1, 1, K]));
      const moves = op.log(
        op.reshape<Tensor>(
          op.concat(
            names.map((name) => op.reshape<Tensor2D>(p[name]!, [1, K])),
            0,
          ),
          [1, K, K],
        ),
      );
      const steps = op.add(op.mul(first, from), op.mul(op.sub(1, first), moves));
      const product = logProduct(op.add(steps, op.reshape<Tensor>(logs, [n, 1, K])));
      return op.logSumExp<Scalar>(op.slice(product, [0, 0, 0], [1, 1, K]));
    },
    ...(sampled && {
      sample: (p: TensorMap, random: Random, shape: readonly [number, number], given: readonly Tensor2D[]) => {
        const begins = sequences(shape[0]);
        const [pi, A] = [doublesOf(p.initial!), names.map((name) => doublesOf(p[name]!))];
        let state = 0;
        const path = Array.from({ length: shape[0] }, (_, i) => {
          state = drawnIndex(begins.has(i) ? pi : A[state]!, random);
          return state;
        });
        return chosen(sampled(p, random, shape, given), path);
      },
    }),
  });
}

/** log of the product of n matrices K×K, in order, from their logarithms: neighbors are multiplied until one is left. */
function logProduct(all: Tensor): Tensor {
  const [n, K] = all.shape as [number, number, number];
  if (n === 1) return all;
  const pairs = Math.floor(n / 2);
  const even = op.reshape(op.slice<Tensor>(all, [0, 0, 0], [2 * pairs, K, K]), [pairs, 2, K, K]);
  const of = (side: number, shape: readonly number[]) =>
    op.reshape(op.slice(even, [0, side, 0, 0], [pairs, 1, K, K]), [...shape]);
  // Σ_j a_ij b_jk for every pair.
  const products = op.logSumExp<Tensor>(op.add(of(0, [pairs, K, K, 1]), of(1, [pairs, 1, K, K])), 2);
  const last = op.slice<Tensor>(all, [2 * pairs, 0, 0], [n - 2 * pairs, K, K]);
  return logProduct(n === 2 * pairs ? products : op.concat<Tensor>([products, last], 0));
}
