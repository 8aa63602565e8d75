import * as v from 'valibot';
import { log } from '../core/elementary/index.ts';
import { checkOptions } from '../core/options.ts';
import { checkSaved } from '../core/saved.ts';
import { fixed, type ParameterLike } from '../model/parameter.ts';
import * as op from '../tensors/ops.ts';
import type { Scalar, Tensor2D } from '../tensors/tensorflow.ts';
import { definePrior, type Prior } from './definePrior.ts';
import { jointProbabilities } from './perplexity.ts';
import { notNegative } from './strength.ts';

export interface TsneOptions {
  /** ≥ 0, held at 1 unless given; 0 turns the prior off. */
  readonly strength?: ParameterLike;
  /** Effective number of neighbours of an observation, between 1 and N − 1; 30, or (N − 1)/3 where that is less, unless given. */
  readonly perplexity?: number;
}

interface TsneData {
  readonly perplexity?: number;
}

const savedSchema = v.strictObject({ perplexity: v.optional(v.pipe(v.number(), v.gtValue(0))) });

export const tsneFactory = definePrior({
  name: 'tsne',
  parameters: { strength: fixed(1) },
  data: {
    toJSON: (data: TsneData) => data,
    fromJSON: (json): TsneData => checkSaved(savedSchema, json ?? {}, '.') as TsneData,
  },
  prepare: (Y, { perplexity }) => {
    const P = jointProbabilities(Y, perplexity ?? Math.min(30, Math.max(4 / 3, (Y.rows - 1) / 3)));
    const entropy = P.data.reduce((sum, p) => (p > 0 ? sum - p * log(p) : sum), 0);
    return { P, entropy };
  },
  // With q_ij = (1 + d²_ij)⁻¹/Z: KL(P‖Q) = Σ p·log p + Σ p·log(1 + d²) + log Z, since Σ p = 1.
  logDensity: (p, X, { constants: { P, entropy } }) => {
    const spread = op.add<Tensor2D>(1, op.squaredDistances(X, X));
    const others = op.sub(1, op.eye(X.shape[0]));
    const Z = op.sum(op.div(others, spread));
    const attraction = op.sum(op.mul(op.tensor(P), op.log(spread)));
    const divergence = op.sub(op.add(attraction, op.log(Z)), entropy);
    return op.neg<Scalar>(op.mul(p.strength, divergence));
  },
});

const above = 'a number above 1';
const schema = v.strictObject({
  strength: v.optional(v.any()),
  perplexity: v.optional(v.pipe(v.number(above), v.finite(above), v.gtValue(1, above))),
});

/**
 * t-SNE prior: pairs of latents are as near as pairs of observations, −strength·KL(P‖Q) with P the joint probabilities of pairs of
 * observations at a perplexity and q_ij ∝ (1 + ‖x_i − x_j‖²)⁻¹. Improper: the term is the exponent. P and Q are N×N.
 *
 * @param options - `strength` ≥ 0 (1), held unless a free parameter is given; `perplexity` between 1 and N − 1 (30, or (N − 1)/3 where
 * that is less, from 4/3)
 * @throws InvalidInputError for an unknown option or one out of its range; when the model is evaluated, for a perplexity that N does not
 * allow
 * @see van der Maaten 2009, §3; van der Maaten & Hinton 2008, eqs. 2 and 4
 * @example
 * ```ts
 * tsne({ strength: 100, perplexity: 20 });
 * ```
 */
export function tsne(options: TsneOptions = {}): Prior {
  const { strength, perplexity } = checkOptions(schema, options, 'tsne');
  const data: TsneData = Object.freeze(perplexity === undefined ? {} : { perplexity });
  return notNegative(tsneFactory({ strength } as { strength: ParameterLike }, data), ['strength']);
}
