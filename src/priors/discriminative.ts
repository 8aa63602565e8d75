import * as v from 'valibot';
import { InvalidInputError } from '../core/errors.ts';
import { describe } from '../core/matrix.ts';
import { checkOptions, numberAboveZero, type OptionsIn, typed } from '../core/options.ts';
import { type Classes, classesOf, type Labels } from '../engine/graph/labelGraph.ts';
import * as op from '../engine/tensors/ops.ts';
import type { Scalar, Tensor2D } from '../engine/tensors/tensorflow.ts';
import type { Prior } from '../model/language/density.ts';
import { fixed, type ParameterLike } from '../model/parameter.ts';
import { priorOfStrengths } from './definePrior.ts';

export interface DiscriminativeOptions extends OptionsIn<typeof schema> {}

/** Within-class and between-class scatter of the labeled rows of X, both divided by the number of labeled rows. */
function scatters(X: Tensor2D, { classes, count }: Classes): { within: Tensor2D; between: Tensor2D } {
  const labeled = Int32Array.from(classes.keys()).filter((i) => classes[i]! >= 0);
  const own = labeled.map((i) => classes[i]!);
  const n = labeled.length;
  const sizes = new Float64Array(count);
  for (const c of own) sizes[c]!++;
  const points = op.gather<Tensor2D>(X, labeled);
  const means = op.div<Tensor2D>(op.segmentSum(points, own, count), op.tensor(sizes, [count, 1]));
  const inside = op.sub<Tensor2D>(points, op.gather(means, own));
  const outside = op.sub<Tensor2D>(means, op.mean(points, 0, true));
  const weighted = op.mul<Tensor2D>(outside, op.tensor(sizes, [count, 1]));
  return {
    within: op.div<Tensor2D>(op.matMul(inside, inside, true, false), n),
    between: op.div<Tensor2D>(op.matMul(outside, weighted, true, false), n),
  };
}

/** tr(A⁻¹B) of symmetric matrices */
function traceOfQuotient(A: Tensor2D, B: Tensor2D, name: string): Scalar {
  return op.trace(op.choleskySolve(op.cholesky(A, { name }), B));
}

const schema = v.strictObject({
  /** Strength of the prior, ≥ 0; default 1, fixed. 0 turns the prior off. */
  strength: v.optional(typed<ParameterLike>()),
  /** 'published', the default: tr((S_b + r·I)⁻¹S_w); 'paper': 1/tr(S_w⁻¹S_b). */
  form: v.optional(v.picklist(['published', 'paper'], "'published' or 'paper'"), 'published'),
  /** r > 0 of the published form; default 1. */
  r: v.optional(numberAboveZero, 1),
});

/**
 * Discriminative prior: latents of one class are close to each other, and classes far apart. The default is the form in the authors' program, log
 * p(X) = −strength·tr((S_b + r·I)⁻¹S_w); `form: 'paper'` is the form in their paper, −strength/tr(S_w⁻¹S_b). S_w and S_b are the within-class and
 * between-class scatter of the labeled latents divided by their number. The prior is improper; the term is the exponent.
 *
 * @param labels - N labels, at least two different; undefined, null, NaN or '' (and −1 next to two other labels) if missing
 * @param options - `strength` ≥ 0 (1), fixed unless a free parameter is passed; `form`; `r` > 0 (1) of the published form
 * @throws InvalidInputError for labels of fewer than two classes, an unknown option or one outside its range
 * @see Urtasun & Darrell 2007, eqs. 8–10
 * @example
 * ```ts
 * discriminative(labels, { strength: 100 });
 * ```
 */
export function discriminative(labels: Labels, options: DiscriminativeOptions = {}): Prior<never> {
  const { strength, form, r } = checkOptions(schema, options, 'discriminative');
  const { classes, count } = classesOf(labels, 'discriminative');
  if (count < 2) {
    throw new InvalidInputError(
      `discriminative takes labels of at least two classes, but ${describe(labels)} with ${count} was given.`,
    );
  }
  return priorOfStrengths(
    {
      name: 'discriminative',
      parameters: { strength: fixed(1) },
      prepare: ({ rows }) => {
        if (classes.length === rows) return;
        throw new InvalidInputError(
          `Prior 'discriminative' has ${classes.length} labels, but the model has ${rows} observations. Give one label each, undefined where it is missing.`,
        );
      },
      logDensity: (p, X) => {
        const { within, between } = scatters(X, { classes, count });
        if (form === 'paper') {
          const separation = traceOfQuotient(within, between, "The within-class scatter of prior 'discriminative'");
          return op.neg<Scalar>(op.div(p.strength, separation));
        }
        const regularized = op.addDiagonal(between, op.scalar(r));
        const overlap = traceOfQuotient(regularized, within, "The between-class scatter of prior 'discriminative'");
        return op.neg<Scalar>(op.mul(p.strength, overlap));
      },
    },
    { strength },
    [Array.from(classes), { strength, form, r }],
  );
}
