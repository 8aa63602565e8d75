import * as tf from '@tensorflow/tfjs-core';
import * as v from 'valibot';
import { InvalidInputError } from '../../core/errors.ts';
import type { Matrix } from '../../core/matrix.ts';
import { checkOptions, numberAboveZero } from '../../core/options.ts';
import { lazily } from '../../core/progressiveWork.ts';
import { checkGraph, type Graph } from '../../engine/graph/graph.ts';
import { type EdgeFactor, edgeFactor } from '../../engine/sparse/index.ts';
import { doublesOf } from '../../engine/tensors/doubles.ts';
import type { Save } from '../../engine/tensors/linearAlgebra/operations/operation.ts';
import * as op from '../../engine/tensors/ops.ts';
import type { Scalar, Tensor, Tensor1D, Tensor2D } from '../../engine/tensors/tensorflow.ts';
import { calledBy, type FieldMember } from '../../model/language/defineDensity.ts';
import type { Prior } from '../../model/language/density.ts';
import { box, type ParameterLike } from '../../model/parameter.ts';
import { definePrior } from '../../priors/definePrior.ts';
import { sparsePrecision } from '../../priors/sparsePrecision.ts';
import {
  checkDistances,
  constrainedGraph,
  type FieldNumbers,
  fieldProblem,
  fieldWeights,
} from '../density/constraints.ts';
import { edgeDistances, edgeSquaredDistances } from '../density/edgeSquaredDistances.ts';
import { type FieldFactor, fieldDensity, fieldFactor } from '../density/fieldDensity.ts';
import { distanceHessian } from '../density/profiledHessian.ts';
import { laplacianField, supportOf } from '../embedding/fieldEmbedding.ts';
import { type FieldProblem, kktResidual } from '../solvers/fieldProblem.ts';
import type { FieldPoint } from '../solvers/fieldSearch.ts';
import { type ConstraintFieldOptions, constraintField } from './constraintSets.ts';
import { weightsLearner } from './learnedField.ts';

export interface MaxEntropyOptions {
  /** Which pairs of points have a constraint. */
  readonly graph: Graph;
  /** φ ≥ 0, one of each edge in the graph's order; the latents' own squared distances unless given. */
  readonly squaredDistances?: ArrayLike<number>;
  /** λ > 0; default 1. */
  readonly basePrecision?: number;
  /** c > 0, how many independent copies of the field there are: features (MEU) or latent dimensions (MPME); default 1. */
  readonly copies?: number;
  /** C > 0: weights are at most 4C; default Infinity, 25 where the distances are the latents' own. */
  readonly slackPenalty?: number;
  /**
   * The weights w, one of each edge, as parameters. Unless given they are free and start at 0 where distances are given, and are no parameters but
   * those of the maximum given the latents where the distances are the latents' own.
   */
  readonly weights?: ParameterLike;
}

interface LayerData extends FieldNumbers {
  readonly squaredDistances: Float64Array | undefined;
  /** Whether the weights are those of the maximum given the latents. */
  readonly profiled: boolean;
}

/** The state that a layer keeps for its graph: its factor, or the solver for the weights. */
interface LayerConstants {
  readonly factor: FieldFactor;
  readonly learn: (problem: FieldProblem) => FieldPoint;
  readonly edges: () => EdgeFactor;
}

/** C where distances are the latents' own: with c = 2, weights stop to grow where points are nearer than 0.14. */
const OWN_SLACK_PENALTY = 25;

const aboveZero = 'a number above 0';
const schema = v.strictObject({
  graph: v.any(),
  squaredDistances: v.optional(v.any()),
  basePrecision: v.optional(numberAboveZero, 1),
  copies: v.optional(numberAboveZero, 1),
  slackPenalty: v.optional(v.pipe(v.number(aboveZero), v.gtValue(0, aboveZero))),
  weights: v.optional(v.any()),
});

/** A maximum-entropy constraint layer: a prior whose own parameters are the multipliers of its constraints. */
export interface ConstraintLayer extends Prior<'field'> {
  /** The dual problem of constraints on given distances; undefined when they are the latents' own. */
  readonly problem: FieldProblem | undefined;
}

/** The layer with these settings. */
function layerOf(data: LayerData, overrides: Readonly<Record<string, ParameterLike>>): Prior<'field'> {
  const { graph, squaredDistances, basePrecision, copies, profiled } = data;
  const layer: Prior<'field'> = definePrior<string, LayerConstants, FieldMember>({
    name: 'field',
    parameters: profiled ? {} : { weights: weightsOf(data) },
    independent: false,
    prepare: ({ rows }) => {
      checkGraph(graph, 'maxEntropy', rows);
      return { factor: fieldFactor(graph), learn: weightsLearner(graph), edges: lazily(() => edgeFactor(graph)) };
    },
    // At the weights of the maximum given X it is not quadratic.
    isSparse: true,
    precision: (p, { rows }, { constants: { edges } }) => {
      if (profiled) return undefined;
      const weights = p.weights as Tensor1D;
      if (squaredDistances !== undefined) {
        return sparsePrecision({ diagonal: op.zeros([rows]), edges: op.zeros([weights.size]) }, graph, edges);
      }
      const ofEnds = (ends: Int32Array) => op.segmentSum(op.reshape<Tensor2D>(weights, [weights.size, 1]), ends, rows);
      const diagonal = op.reshape(op.add(ofEnds(graph.sources), ofEnds(graph.targets)), [rows]);
      return sparsePrecision({ diagonal, edges: op.neg(weights) }, graph, edges);
    },
    logDensity: (p, X, { constants: { factor, learn } }) => {
      const phi = squaredDistances ?? (edgeSquaredDistances(X, graph) as Tensor1D);
      if (profiled) return profiledDensity(phi as Tensor1D, (own) => learn(fieldProblem(data, own)));
      return fieldDensity(p.weights as Tensor1D, phi, factor, basePrecision, copies);
    },
    graph: squaredDistances === undefined ? graph : undefined,
    ...(profiled && {
      hessian: (_: unknown, X: Matrix, { learn }: LayerConstants) => {
        const problem = fieldProblem(data, edgeDistances(X, graph));
        return distanceHessian(problem, learn(problem).weights, X);
      },
    }),
    field: (p, X, { factor, learn }) => {
      const problem = fieldProblem(data, squaredDistances ?? edgeDistances(X, graph));
      const shown = (weights: Float64Array) => {
        const learned = supportOf(graph, weights);
        return { graph: learned, field: laplacianField(learned, basePrecision) };
      };
      if (profiled) {
        const { weights, kktResidual } = learn(problem);
        return { ...shown(weights), kktResidual };
      }
      const weights = Float64Array.from(p.weights as readonly number[]);
      if (!layer.parameters.weights!.free) return shown(weights);
      const { resistances } = factor.evaluate(weights, basePrecision);
      return { ...shown(weights), kktResidual: kktResidual(problem, weights, resistances) };
    },
  })(overrides);
  return layer;
}

/**
 * A maximum-entropy constraint layer: the Gaussian Markov random field over points that has the largest entropy among those whose
 * expected squared distances are φ_e at the edges e of a graph, and no more between them than λ lets them have. Its precision is
 * Q = L(w) + λI, w ≥ 0 the multipliers of the constraints, and its term the concave dual
 *
 * field = c/2·log|L(w) + λI| − ½·Σ_e w_e·φ_e, 0 ≤ w_e ≤ 4C,
 *
 * without constants. At its maximum over w, c·R_e = φ_e where 0 < w_e < 4C, c·R_e ≤ φ_e where w_e = 0 and c·R_e ≥ φ_e where
 * w_e = 4C, with R_e = U_ii + U_jj − 2U_ij and U = Q⁻¹.
 *
 * As a prior on latents (no `squaredDistances`) φ_e = ‖x_i − x_j‖²: with c = q the term is log N(X; 0, Q⁻¹) without its constant and
 * without −λ/2·tr(XᵀX), so X and the graph are fitted together. The weights are then those of the maximum given X,
 * field(X) = max_w field(X, w), found anew at every X; the gradient is that at these weights. Two points that meet would raise the weight between them
 * without end, so C is finite. Fits show `graph`, `precision()` and `covariance()`, and `diagnostics.kktResidual`, the largest relative violation
 * of these conditions at their latents.
 *
 * With `expect` it is the field of any sets of quadratic statistics together, of precision Q = base·I + Σ_k w_k·A_k, as the density of a variable: the
 * multipliers w of each set are parameters under its name, and at the maximum c·tr(A_k·Q⁻¹) is what is expected wherever w_k is not 0 (or at its bound).
 *
 * @param options - see {@link MaxEntropyOptions}, or {@link ConstraintFieldOptions} for sets of constraints
 * @returns a prior named `field`; its parameter `weights`, unless the weights are found given X, has bounds [0, 4C] and scale min(c/φ_e, 4C)
 * @throws InvalidInputError for a graph without edges, distances that are negative or not finite or not one an edge, a distance of 0
 * together with C = ∞ (nothing would bound that weight), C = ∞ for the latents' own distances, and numbers that are not above 0; NumericalError when
 * the weights given X are not found
 * @see Lawrence 2012, eq. 3; Mao et al. 2017, eqs. 10 and 13
 * @example
 * ```ts
 * const layer = maxEntropy({ graph: knnGraph(Y, 6), basePrecision: 0.1, copies: 2 });
 * const result = await fit(gplvm(Y, { latentDim: 2, priors: [layer, standardNormal({ precision: 0.1 })] }));
 * result.graph.weights;
 *
 * const both = maxEntropy({ base: 0.1, expect: { near: squaredDifferences(knnGraph(Y, 6)), gram: products([[0, 1]]) } });
 * const field = defineModel({
 *   name: 'twoSets',
 *   variables: ({ y }: { y: Matrix }) => {
 *     const own = observed(y, { density: both });
 *     return { y: own, x: embedded(own, { dim: 2 }) };
 *   },
 * });
 * ```
 */
export function maxEntropy(options: MaxEntropyOptions): ConstraintLayer;
export function maxEntropy(options: ConstraintFieldOptions): ReturnType<typeof constraintField>;
export function maxEntropy(
  options: MaxEntropyOptions | ConstraintFieldOptions,
): ConstraintLayer | ReturnType<typeof constraintField> {
  if (typeof options === 'object' && options !== null && 'expect' in options) return constraintField(options);
  const {
    graph: given,
    squaredDistances,
    weights,
    slackPenalty,
    ...rest
  } = checkOptions(schema, options, 'maxEntropy');
  const graph = constrainedGraph(given);
  const own = squaredDistances === undefined;
  const upper = slackPenalty ?? (own ? OWN_SLACK_PENALTY : Infinity);
  const data: LayerData = {
    graph,
    squaredDistances: own
      ? undefined
      : checkDistances(squaredDistances as ArrayLike<number>, graph, 'maxEntropy', upper === Infinity),
    ...rest,
    slackPenalty: upper,
    profiled: own && weights === undefined,
  };
  const prior = layerOf(data, weights === undefined ? {} : { weights: weights as ParameterLike });
  if (own && upper === Infinity && prior.parameters.weights?.free !== false) {
    throw new InvalidInputError(
      "With slackPenalty Infinity and the latents' own distances the objective has no bound: two latents that meet raise the weight between them " +
        `without end. Give a finite slackPenalty, such as ${OWN_SLACK_PENALTY} (the default), or hold the weights with fixed(…).`,
    );
  }
  return calledBy({ ...prior, problem: own ? undefined : fieldProblem(data, data.squaredDistances!) }, options);
}

function weightsOf(data: LayerData) {
  const { graph, squaredDistances, slackPenalty } = data;
  if (squaredDistances !== undefined) return fieldWeights(fieldProblem(data, squaredDistances));
  return box(0, 4 * slackPenalty, new Array<number>(graph.sources.length).fill(0));
}

/** The value of a density at its maximum over weights, and these. */
interface Maximum {
  readonly value: number;
  readonly weights: Float64Array;
}

/**
 * max_w c/2·log|L(w) + λI| − ½·Σ_e w_e·φ_e as a function of φ; the gradient is −w/2 at the maximum: what φ changes of w changes the value in the second
 * order only.
 *
 * @param squaredDistances - φ, one of each edge
 * @param maximum - over the weights, for these distances
 * @see Danskin, The Theory of Max-Min (1967), on the envelope theorem
 */
function profiledDensity(squaredDistances: Tensor1D, maximum: (phi: Float64Array) => Maximum): Scalar {
  return tf.customGrad((...args: unknown[]) => {
    const [phi, save] = args as [Tensor, Save];
    const { value, weights } = maximum(doublesOf(phi).slice());
    save([op.tensor(weights)]);
    const gradFunc = (dy: Tensor, [w]: Tensor[]) => op.mul(op.mul(-0.5, w!), dy);
    return { value: op.scalar(value), gradFunc };
  })(squaredDistances) as Scalar;
}
