import { InvalidInputError } from '../../core/errors.ts';
import { connectedComponents, spanningTree } from '../../engine/graph/connectedComponents.ts';
import { type Edges, type Graph, supportGraph } from '../../engine/graph/graph.ts';
import type { Findings, ParameterValues } from '../../model/model.ts';
import type { Solver } from '../../model/solver.ts';
import { CONVERGED } from '../solvers/denseWeights.ts';
import { type SearchPoint, searchSolver } from '../solvers/fieldSearch.ts';
import type { MomentProblem, PrecisionEntries } from '../solvers/momentProblem.ts';
import {
  MOST_ENTRIES,
  type MomentProgress,
  type MomentStep,
  measuredMoments,
  newtonDecrement,
} from '../solvers/penalizedNewton.ts';
import { penaltyPath } from '../solvers/penaltyPath.ts';

/** Extracts the entries of a precision from the values of a layer's parameters. */
export function entriesIn({ diagonal, attraction, repulsion }: ParameterValues): PrecisionEntries {
  const list = (values: unknown) => Float64Array.from(values as readonly number[]);
  const attracting = list(attraction);
  return { diagonal: list(diagonal), edges: list(repulsion).map((entry, e) => entry - attracting[e]!) };
}

/** Solver for diagonal, attraction and repulsion along a path of penalties, in this order and in units of `scale`. */
export function momentsSolver(problem: MomentProblem, scale: Float64Array): Solver {
  const { size: N, covariances } = problem;
  return searchSolver<MomentStep, MomentProgress>({
    name: 'penaltyPath',
    scale,
    begin: (x, memory) => {
      const attraction = x.subarray(N, N + covariances.length);
      const edges = x.slice(N + covariances.length).map((entry, e) => entry - attraction[e]!);
      return penaltyPath(problem, { diagonal: x.slice(0, N), edges }, memory);
    },
    pointAt: (at) => pointOf(problem, at),
    ending: ({ entries, kktResidual }) => {
      if (seemsUnbounded(problem, entries, kktResidual)) {
        return { status: 'failed', reason: 'the density seems to have no maximum' };
      }
      return kktResidual <= CONVERGED
        ? { status: 'converged', reason: 'no entry of the precision can be moved any further' }
        : { status: 'failed', reason: 'rounding lets no entry of the precision be moved any further' };
    },
  });
}

function pointOf({ penalty }: MomentProblem, { entries, value, excess }: MomentProgress): SearchPoint {
  const { diagonal, edges } = entries;
  const joined = (...parts: Float64Array[]) => Float64Array.from(parts.flatMap((part) => Array.from(part)));
  return {
    x: joined(
      diagonal,
      edges.map((entry) => Math.max(0, -entry)),
      edges.map((entry) => Math.max(0, entry)),
    ),
    value,
    gradient: joined(
      excess.diagonal,
      excess.edges.map((entry) => -2 * (entry + penalty)),
      excess.edges.map((entry) => 2 * (entry - penalty)),
    ),
  };
}

/** Findings about the entries of a learned precision. With several components the embedding is degenerate, as their relative positions are arbitrary. */
export function momentFindings(problem: MomentProblem, entries: PrecisionEntries): Findings {
  const { kktResidual } = measuredMoments(problem, entries);
  const learned = supportGraph(problem, entries.edges);
  const { sizes } = connectedComponents(learned);
  const grown = seemsUnbounded(problem, entries, kktResidual) ? endless(problem, entries) : '';
  return {
    message:
      `The optimality conditions are met to ${kktResidual.toExponential(1)} (relative). ` +
      `${described(learned, sizes, problem)}${grown}`,
    kktResidual,
    isDegenerate: sizes.length > 1,
  };
}

/** Newton decrement below which a maximum exists: the decrement goes to 0 on the way to one, and stays at 1 or above without one. */
const ENDLESS = 0.5;

/** Violation below which the decrement is checked: without a maximum, rounding may leave more than {@link CONVERGED}. */
const ASKED = 1e-6;

/**
 * Whether the density seems unbounded, which is possible only with penalty 0: its gradient then goes to 0 while the precision grows without limit.
 */
function seemsUnbounded(problem: MomentProblem, entries: PrecisionEntries, kktResidual: number): boolean {
  return problem.penalty === 0 && kktResidual <= ASKED && newtonDecrement(problem, entries) >= ENDLESS;
}

function endless({ variances }: MomentProblem, entries: PrecisionEntries): string {
  const largest = entries.diagonal.reduce((most, entry, i) => Math.max(most, entry * variances[i]!), 0);
  return (
    ` The precision has grown to ${largest.toExponential(1)} times the precision of separate points, without bound: with penalty 0 the density ` +
    'seems to have no maximum. Give a penalty above 0, or fewer neighbors.'
  );
}

/** Description of the learned graph, and its effect on the embedding. */
function described(learned: Graph, sizes: ArrayLike<number>, problem: MomentProblem): string {
  const has = `The learned graph has ${learned.sources.length} of ${problem.sources.length} edges`;
  if (sizes.length === 1) return `${has} and is connected.`;
  return (
    `${has} and ${sizes.length} components, the largest of ${Math.max(...Array.from(sizes))} points. ` +
    `Each column of the embedding shows one of them, not where they lie to each other.${remedy(problem)}`
  );
}

/** The remedy for several components: more candidate edges, or a smaller penalty. */
function remedy(problem: MomentProblem): string {
  if (connectedComponents(problem).sizes.length > 1) return ' More neighbors connect them.';
  const connecting = connectingPenalty(problem, problem.covariances);
  return problem.penalty > connecting ? ` A penalty of ${Number(connecting.toPrecision(4))} connects them.` : '';
}

/**
 * A penalty at which the graphical lasso's learned graph connects all points that its candidate edges connect: ρ = s/2, with s the smallest |S_ij| in
 * the maximum spanning tree.
 *
 * Proof. Suppose Θ has no entry between some points and the others. Then W = Θ⁻¹ has none either, and the condition |W_ij − S_ij| ≤ ρ implies |S_ij|
 * ≤ ρ for an edge across. But some edge of the tree leads across, with |S_ij| ≥ s > ρ.
 *
 * @param edges - pairs whose entries of Θ may differ from 0
 * @param covariances - S_ij, one per edge
 * @see Witten, Friedman & Simon 2011; Mazumder & Hastie 2012
 */
export function connectingPenalty(
  edges: Pick<Edges, 'sources' | 'targets'> & { readonly size: number },
  covariances: Float64Array,
): number {
  const sizes = covariances.map(Math.abs);
  let smallest = Infinity;
  for (const e of spanningTree(
    edges,
    sizes.map((size) => -size),
  ))
    smallest = Math.min(smallest, sizes[e]!);
  return smallest / 2;
}

/** Throws if the Hessian would be too large. Without a penalty no entry between neighbors is 0; with one, the steps determine the zeros. */
export function checkSize({
  size,
  covariances,
  penalty,
}: Pick<MomentProblem, 'size' | 'covariances' | 'penalty'>): void {
  const edges = penalty === 0 ? covariances.length : 0;
  if (size + edges <= MOST_ENTRIES) return;
  throw new InvalidInputError(
    `drill takes up to ${MOST_ENTRIES} entries of the precision that are not 0, but ${size} points ` +
      `${edges === 0 ? '' : `and, at penalty 0, ${edges} pairs of neighbors `}have ${size + edges} or more. ` +
      `Give fewer points${edges === 0 ? '' : ', fewer neighbors or a penalty above 0'}; meu takes more points.`,
  );
}

/**
 * Throws for a graph on which log|Θ| − tr(SΘ) is unbounded: S has rank D at most and its rows sum to 0, so it vanishes in some direction over any D +
 * 1 points that are all joined to each other, and over all N.
 */
export function checkBounded({ size, sources, targets }: Graph, columns: number): void {
  const clique = cliqueAbove(Math.min(columns, size - 1), { size, sources, targets });
  if (clique === undefined) return;
  const joined =
    clique.length === size
      ? `all ${size} points are joined to each other, and columns whose mean is taken off contain no information about the sum of all points`
      : `${clique.length} points that are all joined to each other (${clique.slice(0, 5).join(', ')}${clique.length > 5 ? ', …' : ''}) ` +
        `are more than the ${columns} columns of Y determine`;
  throw new InvalidInputError(
    `With penalty 0 the density of drill has no maximum on this graph: ${joined}. Give a penalty above 0, or fewer neighbors.`,
  );
}

/** More than `count` nodes that are all joined to each other, from a greedy search at each node, which may miss some. */
function cliqueAbove(
  count: number,
  { size, sources, targets }: Pick<Edges, 'sources' | 'targets'> & { readonly size: number },
): number[] | undefined {
  const joined = Array.from({ length: size }, () => new Set<number>());
  for (let e = 0; e < sources.length; e++) {
    joined[sources[e]!]!.add(targets[e]!);
    joined[targets[e]!]!.add(sources[e]!);
  }
  for (let first = 0; first < size; first++) {
    if (joined[first]!.size < count) continue;
    for (const second of joined[first]!) {
      const clique = [first, second];
      for (const next of joined[first]!) {
        if (clique.length <= count && clique.every((node) => node !== next && joined[node]!.has(next)))
          clique.push(next);
      }
      if (clique.length > count) return clique.sort((a, b) => a - b);
    }
  }
  return undefined;
}
