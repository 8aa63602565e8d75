import { InvalidInputError } from '../../../core/errors.ts';
import { Matrix } from '../../../core/matrix.ts';
import type { EmbeddingSteps } from '../../../model/model.ts';
import type { Graph } from '../../../numerics/graph/graph.ts';
import { principalColumns } from '../embedding/principalColumns.ts';
import type { NeighbourhoodOptions } from '../neighbourhood/neighbourhood.ts';
import { type NeighbourInput, neighbourLengths, withCommonNeighbours } from '../neighbourhood/neighbourLengths.ts';
import { shownComponent } from '../neighbourhood/shownComponent.ts';
import { type Unfolding, unfold } from './unfold.ts';
import { largestModulus } from './unfoldingCertificate.ts';
import { squaredNorm, type UnfoldingConstraints, unfoldingProblem } from './unfoldingProblem.ts';

/** The checked options of an unfolding. */
export interface UnfoldingChoices {
  readonly latentDim: number;
  readonly constraints: UnfoldingConstraints;
  readonly slackPenalty?: number | undefined;
  readonly commonNeighbours: boolean;
  readonly rank?: number | undefined;
  readonly disconnected: 'error' | 'largest';
}

/** Largest violation of the optimality conditions at an optimum. */
const CONVERGED = 1e-6;

/** An eigenvalue above this part of the largest one counts as a dimension of the embedding. */
const NEGLIGIBLE = 1e-6;

/** Columns that most optima fit into, with room for the solver to turn round in. */
const USUAL_RANK = 6;

/** The edges with constraints, whose weights are lengths, on the points that are shown. */
export function unfoldingGraph(
  given: NeighbourInput,
  neighbourhood: NeighbourhoodOptions,
  { commonNeighbours, disconnected }: Pick<UnfoldingChoices, 'commonNeighbours' | 'disconnected'>,
): { graph: Graph; shown: Int32Array; components: number } {
  const near = neighbourLengths(given, neighbourhood, 'mvu');
  const whole = commonNeighbours ? withCommonNeighbours(near, given) : near;
  const { points: shown, components } = shownComponent(whole, disconnected, 'mvu');
  return { graph: components === 1 ? whole : subgraph(whole, shown), shown, components };
}

/** Finds the unfolding and reads its q leading dimensions off. */
export function* unfoldedEmbedding(
  given: NeighbourInput,
  neighbourhood: NeighbourhoodOptions,
  choices: UnfoldingChoices,
): EmbeddingSteps {
  const { latentDim: q, constraints, slackPenalty, rank } = choices;
  const { graph, shown, components } = unfoldingGraph(given, neighbourhood, choices);
  const { size: N } = graph;
  checkGraph(graph, q, shown, constraints);
  const { problem, unit } = unfoldingProblem(graph, constraints, slackPenalty ?? N * N);
  const unfolding = yield* unfold(problem, Math.min(N - 1, rank ?? Math.max(USUAL_RANK, q + 2)));
  const { Y, multipliers, kktResidual, stationarity, attained, iterations, evaluations } = unfolding;
  const { columns, eigenvalues } = principalColumns(Y, unfolding.rank);
  const length = Math.sqrt(unit);
  const latents = Matrix.zeros(N, q);
  for (let i = 0; i < N; i++) for (let c = 0; c < q; c++) latents.data[i * q + c] = length * columns.at(i, c);
  const trace = unit * squaredNorm(Y);
  const objective = constraints === 'slack' ? unit * attained : trace;
  const converged = kktResidual <= CONVERGED;
  const dimensions = eigenvalues.filter((value) => value > NEGLIGIBLE * eigenvalues[0]!).length;
  return {
    latents,
    eigenvalues: eigenvalues.slice(0, q).map((value) => unit * value),
    parameters: {
      multipliers: Array.from(multipliers),
      ...(components > 1 && { points: Array.from(shown) }),
    },
    objective,
    terms: constraints === 'slack' ? { trace, slack: objective - trace } : { trace },
    message:
      described(unfolding, converged, constraints) +
      ` K has rank ${dimensions} (eigenvalues above ${NEGLIGIBLE} of the largest), and Y has ${unfolding.rank} columns.` +
      (components === 1
        ? ''
        : ` These are the ${N} of ${given.points.rows} points in the largest of ${components} components, listed in parameters.points.`),
    search: {
      converged,
      kktResidual,
      iterations,
      evaluations,
      gradientNorm: 2 * stationarity * largestModulus(Y),
    },
  };
}

function described(unfolding: Unfolding, converged: boolean, constraints: UnfoldingConstraints): string {
  const { kktResidual, feasibility, stationarity, bottom, bound, attained } = unfolding;
  const gap = (bound - attained) / attained;
  const proof = `The smallest eigenvalue of L(w) is 1 ${bottom < 1 ? '−' : '+'} ${Math.abs(bottom - 1).toExponential(1)}`;
  if (converged) {
    return (
      `The semidefinite program is solved: its optimality conditions hold to ${kktResidual.toExponential(1)} (relative). ${proof}, ` +
      `and the bound that the multipliers prove is within ${Math.max(0, gap).toExponential(1)} (relative) of what is attained.`
    );
  }
  const advice =
    constraints === 'equality'
      ? " Rigid neighbourhoods leave multipliers of 'equality' without a bound: take 'inequality' or 'slack', or fewer neighbours."
      : '';
  return (
    `The semidefinite program is not solved: its optimality conditions hold to ${kktResidual.toExponential(1)} (relative) only, the ` +
    `constraints to ${feasibility.toExponential(1)} and the balance of forces to ${stationarity.toExponential(1)}. ${proof}.${advice}`
  );
}

function checkGraph(graph: Graph, q: number, shown: Int32Array, constraints: UnfoldingConstraints): void {
  const { size: N, sources, targets, weights } = graph;
  if (q >= N) {
    throw new InvalidInputError(`mvu shows ${N} points in at most ${N - 1} dimensions, but latentDim is ${q}.`);
  }
  const same = weights.indexOf(0);
  if (same < 0 || (constraints === 'slack' && weights.some((length) => length > 0))) return;
  throw new InvalidInputError(
    `Points ${shown[sources[same]!]} and ${shown[targets[same]!]} are neighbours at distance 0, which leaves mvu no room to balance them. ` +
      "Remove duplicate points, or take constraints: 'slack'.",
  );
}

/** The edges between some points, numbered anew; the points are whole components. */
function subgraph({ size, sources, targets, weights }: Graph, points: Int32Array): Graph {
  const numbers = new Int32Array(size).fill(-1);
  points.forEach((i, number) => {
    numbers[i] = number;
  });
  const kept = Int32Array.from(sources.keys()).filter((e) => numbers[sources[e]!]! >= 0);
  return {
    size: points.length,
    sources: kept.map((e) => numbers[sources[e]!]!),
    targets: kept.map((e) => numbers[targets[e]!]!),
    weights: Float64Array.from(kept, (e) => weights[e]!),
  };
}
