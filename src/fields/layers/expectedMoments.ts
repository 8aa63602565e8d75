import * as v from 'valibot';
import { InvalidInputError } from '../../core/errors.ts';
import type { Matrix } from '../../core/matrix.ts';
import {
  checkOptions,
  givenNumbers,
  numberAboveZero,
  numberFromZero,
  type OptionsIn,
  readGiven,
  typed,
} from '../../core/options.ts';
import { latest } from '../../core/progressiveWork.ts';
import { checkGraph, type Graph } from '../../engine/graph/graph.ts';
import { ownGraph } from '../../engine/graph/labelGraph.ts';
import * as op from '../../engine/tensors/ops.ts';
import type { Tensor1D } from '../../engine/tensors/tensorflow.ts';
import { meanOf } from '../../engine/vectors.ts';
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
import { learnedMoments } from '../solvers/learnedMoments.ts';
import { excessOf, layerResidual, type MomentProblem } from '../solvers/momentProblem.ts';
import type { MomentPoint } from '../solvers/penalizedNewton.ts';

/** Second moments S of points at the positions of the constraints. */
export interface SecondMoments {
  /** S_ii > 0, one per point. */
  readonly variances: ArrayLike<number>;
  /** S_ij, one per edge in the graph's order. */
  readonly covariances: ArrayLike<number>;
}

export interface ExpectedMomentsOptions extends OptionsIn<typeof schema> {}

interface LayerData {
  readonly graph: Graph;
  readonly variances: Float64Array | undefined;
  readonly covariances: Float64Array | undefined;
  readonly penalty: number;
  readonly copies: number;
  /** Whether the precision is optimized for the current latents instead of being a parameter. */
  readonly profiled: boolean;
}

const schema = v.strictObject({
  /** Pairs of points with a constraint; in addition, each single point has one. */
  graph: typed<Graph>(),
  /** S; default XXᵀ/c of the latents. */
  secondMoments: v.optional(typed<SecondMoments>()),
  /**
   * ρ ≥ 0, the tolerance of a pair's moment around S_ij. Default a hundredth of the mean of S's diagonal; for the latents' moments ρ > 0, default
   * 0.01.
   */
  penalty: v.optional(numberFromZero),
  /** c > 0, the number of independent copies of the field (features or latent dimensions); default 1. */
  copies: v.optional(numberAboveZero, 1),
  /**
   * Θ_ii > 0, one per point, as parameters. By default they are free and start at 1/S_ii for known moments. For the latents' moments, Θ is optimized
   * for the current latents and has no parameters, unless one of these three options is set.
   */
  diagonal: v.optional(typed<ParameterLike>()),
  /** a ≥ 0, one per edge; default free, starting at 0. */
  attraction: v.optional(typed<ParameterLike>()),
  /** b ≥ 0, one per edge; default free, starting at 0. */
  repulsion: v.optional(typed<ParameterLike>()),
});

/** Default penalty, relative to the mean of S's diagonal. */
const USUAL_PENALTY = 0.01;

/** A constraint layer on second moments: a prior whose parameters are the entries of the field's precision. */
export interface MomentLayer extends Prior<'field'> {
  /** The maximization problem for known moments; undefined for the latents' moments. */
  readonly problem: MomentProblem | undefined;
}

/** Finds the optimal precision for the latents' moments. */
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
 * expected second moments are S_ii for every point and within ρ of S_ij at the edges of a graph. Its precision Θ is nonzero only on the diagonal and
 * at the edges. These entries are the multipliers of the constraints, and the term is the concave dual
 *
 * moments = c/2·[log|Θ| − tr(SΘ) − ρ·Σ_{i≠j}|Θ_ij|],
 *
 * without constants: the graphical lasso across points. Θ_ij = b_e − a_e with a, b ≥ 0, and a_e or b_e is 0 at the maximum. There, (Θ⁻¹)_ii = S_ii,
 * (Θ⁻¹)_ij = S_ij + ρ·sign(Θ_ij) where Θ_ij ≠ 0, and |(Θ⁻¹)_ij − S_ij| ≤ ρ where Θ_ij = 0.
 *
 * As a prior on latents (without `secondMoments`), S = XXᵀ/c, and the penalty includes the diagonal, ρ·Σ_ij|Θ_ij|: otherwise the precision of a
 * latent that goes to 0 would be unbounded. Hence (Θ⁻¹)_ii = S_ii + ρ. With c = q the term is log N(X; 0, Θ⁻¹) without its constant, minus the
 * penalty. X and the precision are fitted together: in every evaluation Θ is optimized for the current X, moments(X) = max_Θ moments(X, Θ), and the
 * gradient is taken at this Θ. Fits have `graph`, `precision()` and `covariance()`, and `diagnostics.kktResidual`, the largest violation of these
 * conditions at the fitted latents, relative to the variances √((S_ii + ρ)(S_jj + ρ)). {@link drill} is this layer for the observations alone, with c
 * = 2.
 *
 * @param options - see {@link ExpectedMomentsOptions}
 * @returns a prior named `moments`; its parameters `diagonal`, `attraction` and `repulsion`, unless Θ is optimized for the current X, have bounds [0,
 *   ∞) and scale 1/√(S_ii·S_jj)
 * @throws InvalidInputError for an invalid graph, moments that are not finite or not one per point and one per edge, variances that are not above 0
 *   (the precision of that point would be unbounded), penalty 0 for the latents' moments, and negative numbers; on evaluation, for a graph on a
 *   different number of points, and NumericalError for a precision that is not positive definite
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
  const graph = ownGraph(checked.graph, 'expectedMoments');
  const moments = checked.secondMoments === undefined ? undefined : checkMoments(checked.secondMoments, graph);
  const penalty = checked.penalty ?? USUAL_PENALTY * (moments === undefined ? 1 : meanOf(moments.variances));
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
        `penalty above 0, such as ${USUAL_PENALTY} (the default), or fix the diagonal with fixed(…).`,
    );
  }
  const { size, sources, targets } = graph;
  const problem = moments && { size, sources, targets, ...moments, penalty };
  return calledBy({ ...prior, problem }, { ...options, graph });
}

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
  const own = readGiven('secondMoments of expectedMoments', () => ({ ...(given as Partial<SecondMoments>) }));
  const listOf = (name: keyof SecondMoments, count: number, of: string) => {
    const expected = `secondMoments with ${name}, a list of one number for each of the ${count} ${of}`;
    return givenNumbers(own[name], count, 'expectedMoments', expected);
  };
  const moments = {
    variances: listOf('variances', size, 'points'),
    covariances: listOf('covariances', sources.length, 'edges'),
  };
  const flat = moments.variances.findIndex((variance) => !(variance > 0 && variance < Infinity));
  if (flat >= 0) {
    throw new InvalidInputError(
      `The variances of expectedMoments are finite numbers above 0, but the one of point index ${flat} is ${moments.variances[flat]}, so nothing bounds its ` +
        'precision. Leave that point out, or measure it from elsewhere than the mean.',
    );
  }
  const bad = moments.covariances.findIndex((covariance) => !Number.isFinite(covariance));
  if (bad >= 0) {
    throw new InvalidInputError(
      `The covariances of expectedMoments are finite numbers, but the one of edge ${bad}, between points ${sources[bad]} and ${targets[bad]}, is ` +
        `${moments.covariances[bad]}.`,
    );
  }
  return moments;
}
