import * as v from 'valibot';
import { log } from '../core/elementary/index.ts';
import { checkOptions, type OptionsIn, typed } from '../core/options.ts';
import { lazily } from '../core/progressiveWork.ts';
import { edgeFactor } from '../engine/sparse/index.ts';
import * as op from '../engine/tensors/ops.ts';
import type { Scalar, Tensor2D } from '../engine/tensors/tensorflow.ts';
import { calledBy } from '../model/language/defineDensity.ts';
import type { Prior } from '../model/language/density.ts';
import { fixed, type ParameterLike } from '../model/parameter.ts';
import { definePrior } from './definePrior.ts';
import { initialDensity, sequenceEntries, transitionsOf } from './segments.ts';
import { sparsePrecision } from './sparsePrecision.ts';

export interface MarkovOptions extends OptionsIn<typeof schema> {}

const schema = v.strictObject({
  ...sequenceEntries,
  /** a, default fixed at 1 (a random walk). */
  coefficient: v.optional(typed<ParameterLike>()),
  /** s² > 0, default fixed at 1. */
  variance: v.optional(typed<ParameterLike>()),
});

/**
 * First-order Markov chain: x_n = a·x_{n−1} + N(0, s²I) within each sequence of rows, and p(x₁) = N(0, I) for its first row. With
 * a = 1, the default, it is a random walk.
 *
 * @param options - `segments`, the first rows of the sequences (0 is implied); `initial` 'none' to leave p(x₁) out (the prior is then
 * improper); `coefficient` a (1) and `variance` s² > 0 (1), both fixed unless a free parameter is passed
 * @throws InvalidInputError for an unknown option or one outside its range; when the model is evaluated, for segments that do not match it
 * @example
 * ```ts
 * markov({ segments: [0, 50], variance: 0.01 });
 * ```
 */
export function markov(options: MarkovOptions = {}): Prior<'next'> {
  const { segments, initial, coefficient, variance } = checkOptions(schema, options, 'markov');
  const markov = definePrior({
    name: 'markov',
    parameters: { coefficient: fixed(1), variance: fixed(1) },
    independent: false,
    prepare: ({ rows }) => {
      const steps = transitionsOf(segments, rows, "Prior 'markov'");
      const graph = { size: rows, sources: steps.from, targets: steps.to };
      return { ...steps, graph, factor: lazily(() => edgeFactor(graph)) };
    },
    gaussian: {
      isSparse: true,
      precision: (p, { rows }, { constants: { from, to, first, graph, factor } }) => {
        const marked = (some: Int32Array) => {
          const ones = new Float64Array(rows);
          for (const i of some) ones[i] = 1;
          return op.tensor(ones);
        };
        const ofSteps = op.div(op.add(marked(to), op.mul(op.square(p.coefficient), marked(from))), p.variance);
        const diagonal = initial === 'none' ? ofSteps : op.add(ofSteps, marked(first));
        const edges = op.mul(op.neg(op.div(p.coefficient, p.variance)), op.ones([to.length]));
        return sparsePrecision({ diagonal, edges }, graph, factor);
      },
    },
    logDensity: (p, X, { constants: { from, to, first } }) => {
      const steps = op.sub(op.gather(X, to), op.mul(p.coefficient, op.gather(X, from)));
      const exponent = op.div(op.mul(-0.5, op.sum(op.square(steps))), p.variance);
      const normalizer = op.mul(-steps.size / 2, op.add(op.log(p.variance), log(2 * Math.PI)));
      return op.add<Scalar>(op.add(exponent, normalizer), initialDensity(X, first, initial));
    },
    condition: (p) => ({
      next: (before) => ({ mean: op.mul<Tensor2D>(p.coefficient, before(1)), variance: p.variance }),
    }),
  });
  const own = { coefficient, variance } as Record<'coefficient' | 'variance', ParameterLike>;
  return calledBy(markov(own), { segments, initial, ...own });
}
