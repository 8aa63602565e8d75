import * as v from 'valibot';
import { InvalidInputError } from '../../core/errors.ts';
import { describe, type Matrix } from '../../core/matrix.ts';
import { checkOptions, numberAboveZero, numberFromZero } from '../../core/options.ts';
import { checkGraph, type Graph } from '../../engine/graph/graph.ts';
import * as op from '../../engine/tensors/ops.ts';
import type { Tensor1D } from '../../engine/tensors/tensorflow.ts';
import { calledBy, type FieldMember } from '../../model/language/defineDensity.ts';
import type { Prior } from '../../model/language/density.ts';
import { box, type ParameterLike } from '../../model/parameter.ts';
import { definePrior } from '../../priors/definePrior.ts';
import {
  latentMoments,
  type MomentTensors,
  momentDensity,
  pointMoments,
  profiledMoments,
} from '../density/momentDensity.ts';
import { momentsHessian } from '../density/profiledHessian.ts';
import { momentField } from '../embedding/fieldEmbedding.ts';
import { latest } from '../solvers/latest.ts';
import { learnedMoments } from '../solvers/learnedMoments.ts';
import { excessOf, layerResidual, type MomentProblem } from '../solvers/momentProblem.ts';
import type { MomentPoint } from '../solvers/penalizedNewton.ts';

/** Second moments S of points: those that constraints are about. */
export interface SecondMoments {
  /** S_ii > 0, one of each point. */
  readonly variances: ArrayLike<number>;
  /** S_ij, one of each edge in the graph's order. */
  readonly covariances: ArrayLike<number>;
}

export interface ExpectedMomentsOptions {
  /** Which pairs of points have a constraint; each point has one of its own. */
  readonly graph: Graph;
  /** S; the latents' own, XXᵀ/c, unless given. */
  readonly secondMoments?: SecondMoments;
  /**
   * ρ, how far the moment of a pair may be from S_ij: from 0, a hundredth of the mean of S's diagonal unless given; for the latents' own moments above
   * 0, 0.01 unless given.
   */
  readonly penalty?: number;
  /** c > 0, how many independent copies of the field there are: features or latent dimensions; default 1. */
  readonly copies?: number;
  /**
   * Θ_ii > 0, one of each point, as parameters. Unless given they are free and start at 1/S_ii where moments are given. For the latents' own they and the
   * other entries are no parameters, unless one of these three is given, but those of the maximum given the latents.
   */
  readonly diagonal?: ParameterLike;
  /** a ≥ 0, one of each edge: free, starting at 0, unless given. */
  readonly attraction?: ParameterLike;
  /** b ≥ 0, one of each edge: free, starting at 0, unless given. */
  readonly repulsion?: ParameterLike;
}

interface LayerData {
  readonly graph: Graph;
  readonly variances: Float64Array | undefined;
  readonly covariances: Float64Array | undefined;
  readonly penalty: number;
  readonly copies: number;
  /** Whether the precision is that of the maximum given the latents. */
  readonly profiled: boolean;
}

const schema = v.strictObject({
  graph: v.any(),
  secondMoments: v.optional(v.any()),
  penalty: v.optional(numberFromZero),
  copies: v.optional(numberAboveZero, 1),
  diagonal: v.optional(v.any()),
  attraction: v.optional(v.any()),
  repulsion: v.optional(v.any()),
});

/** The penalty unless one is given, of the mean of S's diagonal. */
const USUAL_PENALTY = 0.01;

/** A constraint layer on second moments: a prior whose own parameters are the entries of the field's precision. */
export interface MomentLayer extends Prior<'field'> {
  /** What is maximized for constraints on given moments; undefined when they are the latents' own. */
  readonly problem: MomentProblem | undefined;
}

/** Finds the precision given the latents' moments. */
interface LayerConstants {
  readonly learn: (problem: MomentProblem) => MomentPoint;
}

/** The layer with these settings. */
function layerOf(data: LayerData, overrides: Readonly<Record<string, ParameterLike>>): Prior<'field'> {
  const { graph, penalty, copies, profiled } = data;
  const given = momentsIn(data);
  const layer: Prior<'field'> = definePrior<string, LayerConstants, FieldMember>({
    name: 'moments',
    parameters: profiled ? {} : precisionOf(data),
    independent: false,
    prepare: ({ rows }) => {
      checkGraph(graph, 'expectedMoments', rows);
      return { learn: latest(learnedMoments, (problem) => [problem.variances, problem.covariances]) };
    },
    logDensity: (p, X, { constants: { learn } }) => {
      const moments: MomentTensors =
        given === undefined
          ? latentMoments(X, graph, copies, penalty)
          : {
              variances: op.tensor(given.variances) as Tensor1D,
              covariances: op.tensor(given.covariances) as Tensor1D,
            };
      if (profiled) return profiledMoments(moments, (own) => learn({ ...graph, ...own, penalty }), copies);
      const precision = {
        diagonal: p.diagonal as Tensor1D,
        attraction: p.attraction as Tensor1D,
        repulsion: p.repulsion as Tensor1D,
      };
      return momentDensity(precision, moments, graph, penalty, copies);
    },
    search: {
      graph: given === undefined ? graph : undefined,
      ...(profiled && {
        hessian: (_: unknown, X: Matrix, { learn }: LayerConstants) => {
          const problem = { ...graph, ...pointMoments(X, graph, copies, penalty), penalty };
          return momentsHessian(problem, learn(problem).entries, copies, X);
        },
      }),
    },
    field: {
      learned: (p, X, { learn }) => {
        const moments = given ?? pointMoments(X, graph, copies, penalty);
        if (profiled) {
          const { entries, kktResidual } = learn({ ...graph, ...moments, penalty });
          return { ...momentField(graph, entries), kktResidual: () => kktResidual };
        }
        const list = (name: string) => Float64Array.from(p[name] as readonly number[]);
        const [attraction, repulsion] = [list('attraction'), list('repulsion')];
        const entries = { diagonal: list('diagonal'), edges: repulsion.map((entry, e) => entry - attraction[e]!) };
        const isFree = (name: string) => layer.parameters[name]!.free;
        const precision = {
          ...(isFree('diagonal') && { diagonal: entries.diagonal }),
          ...(isFree('attraction') && { attraction }),
          ...(isFree('repulsion') && { repulsion }),
        };
        const residual = () =>
          layerResidual({ ...graph, ...moments, penalty }, precision, excessOf({ ...graph, ...moments }, entries));
        return {
          ...momentField(graph, entries),
          ...(Object.keys(precision).length > 0 && { kktResidual: residual }),
        };
      },
    },
  })(overrides);
  return layer;
}

function momentsIn({ variances, covariances }: LayerData) {
  return variances === undefined || covariances === undefined ? undefined : { variances, covariances };
}

/**
 * A constraint layer on expected second moments: the Gaussian random field over points that has the largest entropy among those whose
 * expected second moments are S_ii for every point and within ρ of S_ij at the edges of a graph. Its precision Θ has entries on the
 * diagonal and at the edges only, multipliers of the constraints, and its term is the concave dual
 *
 * moments = c/2·[log|Θ| − tr(SΘ) − ρ·Σ_{i≠j}|Θ_ij|],
 *
 * without constants: the graphical lasso across points. Θ_ij = b_e − a_e with a, b ≥ 0, of which one is 0 at the maximum. There,
 * (Θ⁻¹)_ii = S_ii, (Θ⁻¹)_ij = S_ij + ρ·sign(Θ_ij) where Θ_ij is not 0, and |(Θ⁻¹)_ij − S_ij| ≤ ρ where it is.
 *
 * As a prior on latents (no `secondMoments`) S = XXᵀ/c, and the penalty counts the diagonal too, ρ·Σ_ij|Θ_ij|: without that, a latent that goes to 0
 * would raise its precision without end. So (Θ⁻¹)_ii = S_ii + ρ. With c = q the term is log N(X; 0, Θ⁻¹) without its constant, less the penalty.
 * X and the precision are fitted together: Θ is that of the maximum given X, moments(X) = max_Θ moments(X, Θ), found anew at every X; the gradient
 * is that at this Θ. Fits show `graph`, `precision()` and `covariance()`, and `diagnostics.kktResidual`, the largest violation of these conditions
 * at their latents, relative to the variances √((S_ii + ρ)(S_jj + ρ)). {@link drill} is this layer of the observations alone, with c = 2.
 *
 * @param options - see {@link ExpectedMomentsOptions}
 * @returns a prior named `moments`; its parameters `diagonal`, `attraction` and `repulsion`, unless they are found given X, have bounds [0, ∞) and
 * the scale of 1/√(S_ii·S_jj)
 * @throws InvalidInputError for a graph that is none, moments that are not finite or not one a point and one an edge, variances that
 * are not above 0 (nothing would bound the precision of that point), penalty 0 for the latents' own moments, and numbers that are below 0; when it is evaluated, for a graph on
 * another number of points, and NumericalError for a precision that is not positive definite
 * @see Lawrence 2012, §3; Friedman, Hastie & Tibshirani 2008
 * @example
 * ```ts
 * const layer = expectedMoments({ graph: knnGraph(Y, 6), penalty: 0.05, copies: 2 });
 * const result = await fit(gplvm(Y, { latentDim: 2, priors: [layer] }));
 * result.precision();
 * ```
 */
export function expectedMoments(options: ExpectedMomentsOptions): MomentLayer {
  const checked = checkOptions(schema, options, 'expectedMoments');
  const { copies, diagonal, attraction, repulsion } = checked;
  const graph = checkGraph(checked.graph, 'expectedMoments');
  const moments = checked.secondMoments === undefined ? undefined : checkMoments(checked.secondMoments, graph);
  const penalty = checked.penalty ?? USUAL_PENALTY * (moments === undefined ? 1 : mean(moments.variances));
  const given = Object.entries({ diagonal, attraction, repulsion }).filter(([, value]) => value !== undefined);
  const data: LayerData = {
    graph,
    variances: moments?.variances,
    covariances: moments?.covariances,
    penalty,
    copies,
    profiled: moments === undefined && given.length === 0,
  };
  const prior = layerOf(data, Object.fromEntries(given) as Record<string, ParameterLike>);
  if (moments === undefined && penalty === 0 && prior.parameters.diagonal?.free !== false) {
    throw new InvalidInputError(
      "With penalty 0 and the latents' own moments the objective has no bound: a latent that goes to 0 raises its precision without end. Give a " +
        `penalty above 0, such as ${USUAL_PENALTY} (the default), or hold the diagonal with fixed(…).`,
    );
  }
  const { size, sources, targets } = graph;
  const problem = moments && { size, sources, targets, ...moments, penalty };
  return calledBy({ ...prior, problem }, options);
}

const mean = (values: Float64Array) => values.reduce((sum, value) => sum + value, 0) / values.length;

function precisionOf({ graph, variances }: LayerData) {
  const { size, sources, targets } = graph;
  const start = variances?.map((variance) => 1 / variance) ?? new Float64Array(size).fill(1);
  const scale = Float64Array.from(sources, (i, e) => Math.sqrt(start[i]! * start[targets[e]!]!));
  const none = new Array<number>(sources.length).fill(0);
  return {
    diagonal: box(0, Infinity, Array.from(start), { scale: start }),
    attraction: box(0, Infinity, none, { scale }),
    repulsion: box(0, Infinity, none, { scale }),
  };
}

function checkMoments(given: unknown, { size, sources, targets }: Graph) {
  const { variances, covariances } = (given ?? {}) as Partial<Record<keyof SecondMoments, unknown>>;
  const moments = {
    variances: listOf(variances, 'variances', size, 'points'),
    covariances: listOf(covariances, 'covariances', sources.length, 'edges'),
  };
  const flat = moments.variances.findIndex((variance) => !(variance > 0 && variance < Infinity));
  if (flat >= 0) {
    throw new InvalidInputError(
      `The variances of expectedMoments are finite numbers above 0, but that of point ${flat} is ${moments.variances[flat]}, so nothing bounds its ` +
        'precision. Leave that point out, or measure it from elsewhere than the mean.',
    );
  }
  const bad = moments.covariances.findIndex((covariance) => !Number.isFinite(covariance));
  if (bad >= 0) {
    throw new InvalidInputError(
      `The covariances of expectedMoments are finite numbers, but that of edge ${bad}, between points ${sources[bad]} and ${targets[bad]}, is ` +
        `${moments.covariances[bad]}.`,
    );
  }
  return moments;
}

function listOf(values: unknown, name: string, count: number, of: string): Float64Array {
  const list = values as ArrayLike<number> | null;
  if (typeof values === 'object' && list !== null && list.length === count) return Float64Array.from(list);
  const was = typeof values === 'object' && list !== null ? `${list.length} were` : `${describe(values)} was`;
  throw new InvalidInputError(
    `expectedMoments takes secondMoments with ${name}, a list of one number for each of the ${count} ${of}, but ${was} given.`,
  );
}
