import { InvalidInputError } from '../../../core/errors.ts';
import { Matrix } from '../../../core/matrix.ts';
import { completed } from '../../../core/progressiveWork.ts';
import { counted } from '../../../core/wording.ts';
import { symmetricEigenpairs } from '../../../engine/dense/eigenpairs.ts';
import { connectedComponents } from '../../../engine/graph/connectedComponents.ts';
import { edgesOfPairs, type Graph, pairKey } from '../../../engine/graph/graph.ts';
import { damagedMemory } from '../../../fields/solvers/fieldSearch.ts';
import type { ComputationContext, ComputationStep } from '../../../model/computation.ts';
import type { SpectralEmbedding } from '../embedding/options.ts';
import {
  type Disconnected,
  inputNote,
  type NeighborhoodOptions,
  type NeighborInput,
  neighborLengths,
  shownComponent,
  sizeOf,
  subgraph,
  withCommonNeighbors,
} from '../neighborhood/neighborhood.ts';
import { principalColumns, type Unfolding, unfold } from './unfold.ts';
import { largestModulus, stressBottom } from './unfoldingCertificate.ts';
import { squaredNorm, type UnfoldingConstraints, type UnfoldingProblem, unfoldingProblem } from './unfoldingProblem.ts';

/** Checked options of an unfolding. */
export interface UnfoldingChoices {
  readonly latentDim: number;
  readonly constraints: UnfoldingConstraints;
  readonly slackPenalty?: number | undefined;
  readonly commonNeighbors: boolean;
  readonly rank?: number | undefined;
  readonly disconnected: Disconnected;
  /** Sentence about the number of neighbors. */
  readonly few?: string;
}

/** Largest violation of the optimality conditions at an optimum. */
const CONVERGED = 1e-6;

/** Eigenvalue relative to the largest above which it counts as a dimension of the embedding. */
const NEGLIGIBLE = 1e-6;

/** Default number of columns, enough for most optima with some to spare for the solver: the same for any latentDim, so that a flat optimum does not depend on it. */
const USUAL_RANK = 6;

/** Graph to unfold, with distinct points. */
interface UnfoldedGraph {
  /** Constrained edges between nodes, with lengths as weights. */
  readonly graph: Graph;
  /** Node of each shown point. */
  readonly nodes: Int32Array;
  /** Shown points, ascending. */
  readonly shown: Int32Array;
  /** Sentences about adjustments of the graph. */
  readonly note: string;
}

const FLAT =
  ' The optimum is flat: other embeddings have the same lengths and the same variance. This is the one that the search reaches from its start; ' +
  'another solver may reach another.';

/** Constrained edges: points connected by edges of length 0 are merged into one node, and components are connected or left out. */
export function unfoldingGraph(
  given: NeighborInput,
  neighborhood: NeighborhoodOptions,
  { commonNeighbors, disconnected, few = '' }: Pick<UnfoldingChoices, 'commonNeighbors' | 'disconnected' | 'few'>,
): UnfoldedGraph {
  const near = completed(neighborLengths(given, neighborhood, 'mvu'));
  const whole = commonNeighbors ? withCommonNeighbors(near, given) : near;
  const { graph, points: shown, note } = shownComponent(whole, given, disconnected, 'mvu');
  const tied = tiedNodes(shown.length === graph.size ? graph : subgraph(graph, shown));
  const { size } = tied.graph;
  const equal = shown.length - size;
  const ties =
    equal === 0
      ? ''
      : ` ${equal === 1 ? '1 point equals another and shares its' : `${equal} points equal others and share their`} latents.`;
  return { ...tied, shown, note: few + note + ties + inputNote(given) };
}

/** Solves the unfolding and reads off its q leading dimensions, at the end and, on request, at intermediate steps. */
export function* unfoldedEmbedding(
  given: NeighborInput,
  neighborhood: NeighborhoodOptions,
  choices: UnfoldingChoices,
  { tolerance, memory }: ComputationContext,
): Generator<ComputationStep, SpectralEmbedding, void> {
  const { latentDim: q, constraints, slackPenalty, rank } = choices;
  const unfolded = unfoldingGraph(given, neighborhood, choices);
  const { size: N } = unfolded.graph;
  checkSize(N, q);
  const { problem, unit } = unfoldingProblem(unfolded.graph, constraints, slackPenalty ?? N * N);
  if (memory !== undefined && memory.unit !== unit) throw damagedMemory('unit');
  const isLeft = unfolded.shown.length < sizeOf(given);
  const read = (unfolding: Unfolding) => embeddingOf(unfolding, unfolded, problem, unit, choices, isLeft, tolerance);
  const search = unfold(problem, Math.min(N - 1, rank ?? USUAL_RANK), tolerance, memory);
  let [iterations, evaluations] = [0, 0];
  let step = search.next();
  for (; !step.done; step = search.next()) {
    const { reached, unfolding, memory: own, ...counts } = step.value;
    const standing = {
      evaluations: counts.evaluations - evaluations,
      ...(unfolding !== undefined && { embedding: () => read(unfolding()) }),
      ...(own !== undefined && { memory: { ...own, unit } }),
    };
    yield counts.iterations > iterations && reached !== undefined
      ? { kind: 'iteration', objective: unit * reached.norm, gradientNorm: reached.gradientNorm, ...standing }
      : { kind: 'pause', stage: 'unfolding', ...standing };
    ({ iterations, evaluations } = counts);
  }
  return read(step.value);
}

function embeddingOf(
  unfolding: Unfolding,
  { nodes, shown, note }: UnfoldedGraph,
  problem: UnfoldingProblem,
  unit: number,
  { latentDim: q, constraints }: UnfoldingChoices,
  isLeft: boolean,
  tolerance = CONVERGED,
): SpectralEmbedding {
  const { Y, multipliers, kktResidual, stationarity, attained } = unfolding;
  const { columns, eigenvalues } = principalColumns(Y, unfolding.rank);
  const length = Math.sqrt(unit);
  const latents = Matrix.zeros(nodes.length, q);
  nodes.forEach((node, i) => {
    for (let c = 0; c < Math.min(q, unfolding.rank); c++) latents.data[i * q + c] = length * columns.at(node, c);
  });
  const trace = unit * squaredNorm(Y);
  const objective = constraints === 'slack' ? unit * attained : trace;
  const converged = kktResidual <= tolerance;
  const dimensions = eigenvalues.filter((value) => value > NEGLIGIBLE * eigenvalues[0]!).length;
  const isFlat = converged && constraints !== 'slack' && !isOnlyOptimum(problem, dimensions, multipliers);
  return {
    latents,
    // K has no more than these.
    eigenvalues: Float64Array.from({ length: q }, (_, c) => unit * (eigenvalues[c] ?? 0)),
    parameters: {
      multipliers: Array.from(multipliers),
      ...(isLeft && { points: Array.from(shown) }),
    },
    objective,
    terms: constraints === 'slack' ? { trace, slack: objective - trace } : { trace },
    message:
      described(unfolding, converged, constraints) +
      ` The unfolding has ${dimensions} dimension${dimensions === 1 ? '' : 's'}.` +
      (isFlat ? FLAT : '') +
      note,
    optimality: { converged, kktResidual, gradientNorm: 2 * stationarity * largestModulus(Y) },
  };
}

function described(unfolding: Unfolding, converged: boolean, constraints: UnfoldingConstraints): string {
  const { kktResidual, feasibility, stationarity, bound, attained } = unfolding;
  const gap = (bound - attained) / attained;
  if (converged) {
    return (
      `The semidefinite program is solved: its optimality conditions are met to ${kktResidual.toExponential(1)} (relative), ` +
      `and the duality gap is ${Math.max(0, gap).toExponential(1)} (relative).`
    );
  }
  const advice =
    constraints === 'equality'
      ? " Rigid neighborhoods leave multipliers of 'equality' without a bound: take 'inequality' or 'slack', or fewer neighbors."
      : '';
  return (
    `The semidefinite program is not solved: its optimality conditions are met to ${kktResidual.toExponential(1)} (relative) only, the ` +
    `constraints to ${feasibility.toExponential(1)} and their balance (stationarity) to ${stationarity.toExponential(1)}.${advice}`
  );
}

function checkSize(N: number, q: number): void {
  if (q < N) return;
  throw new InvalidInputError(
    `mvu shows ${N} points in at most ${counted(N - 1, 'dimension')}, but latentDim is ${q}. Choose a smaller \`latentDim\`, or give at least ${q + 1} points.`,
  );
}

/** Graph with the ends of every edge of length 0 merged into one node; parallel edges are replaced by the shortest. */
function tiedNodes(graph: Graph): { readonly graph: Graph; readonly nodes: Int32Array } {
  const { size, sources, targets, weights } = graph;
  const edges = (isKept: (e: number) => boolean) => Int32Array.from(sources.keys()).filter(isKept);
  const zero = edges((e) => weights[e] === 0);
  const { labels: nodes, sizes } = connectedComponents({
    size,
    sources: zero.map((e) => sources[e]!),
    targets: zero.map((e) => targets[e]!),
  });
  const count = sizes.length;
  if (count === size) return { graph, nodes };
  const lengths = new Map<number, number>();
  for (const e of edges((edge) => nodes[sources[edge]!] !== nodes[targets[edge]!])) {
    const key = pairKey(nodes[sources[e]!]!, nodes[targets[e]!]!, count);
    lengths.set(key, Math.min(weights[e]!, lengths.get(key) ?? Infinity));
  }
  const between = edgesOfPairs(Float64Array.from(lengths.keys()), count, (i, j) => lengths.get(pairKey(i, j, count))!);
  return { graph: { size: count, ...between }, nodes };
}

/** Eigenvalues of L(w) up to this much above 1 count as 1, for multipliers that meet the conditions to 1e-6. */
const NEAR = 1e-5;

/** Multiplier relative to the largest above which its constraint counts as active. */
const ACTIVE = 1e-6;

/** Changes of K count as free if their effect on the constraints is below this fraction of the effect of other changes. */
const FREE = 1e-9;

/** Number of further eigenvectors that are examined, beyond the rank of K. */
const MORE = 3;

/**
 * True if the optimum of an unfolding is unique. Every optimum is K = V·M·Vᵀ, with V the eigenvectors of L(w) for eigenvalue 1, and has the same
 * distances along edges with active constraints; it is therefore unique if no symmetric M ≠ 0 leaves all of these distances unchanged. A rhombus is
 * not unique: its angle changes no edge and, since the squares of its diagonals add up to 4 times the square of its sides, no variance.
 *
 * @param rank - rank of K
 * @param multipliers - multipliers at an optimum
 * @see Alfakih, Anjos, Piccialli & Wolkowicz 2011, on uniqueness and dual nondegeneracy
 */
function isOnlyOptimum(problem: UnfoldingProblem, rank: number, multipliers: Float64Array): boolean {
  const { size: N, sources, targets, mayShrink } = problem;
  const { values, vectors } = stressBottom(problem)(multipliers, Math.min(N - 1, rank + MORE));
  const p = values.filter((value) => value <= 1 + NEAR).length;
  if (p === 0) return true;
  const unknowns = (p * (p + 1)) / 2;
  const largest = multipliers.reduce((most, w) => Math.max(most, Math.abs(w)), 0);
  const seen = Matrix.zeros(unknowns, unknowns);
  const row = new Float64Array(unknowns);
  multipliers.forEach((w, e) => {
    if (mayShrink && w <= ACTIVE * largest) return;
    const apart = Float64Array.from({ length: p }, (_, a) => vectors.at(sources[e]!, a) - vectors.at(targets[e]!, a));
    let place = 0;
    for (let a = 0; a < p; a++) {
      for (let b = 0; b <= a; b++) row[place++] = apart[a]! * apart[b]! * (a === b ? 1 : Math.SQRT2);
    }
    for (let s = 0; s < unknowns; s++)
      for (let t = 0; t < unknowns; t++) seen.data[s * unknowns + t]! += row[s]! * row[t]!;
  });
  const eigenvalues = symmetricEigenpairs(seen).values;
  return eigenvalues[0]! > FREE * eigenvalues[unknowns - 1]!;
}
