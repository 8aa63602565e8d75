import { InvalidInputError } from '../../core/errors.ts';
import { lazily } from '../../core/progressiveWork.ts';
import { counted, countGiven } from '../../core/wording.ts';
import { type Front, frontReader, invertOnBlocks, selectedInverse } from './selectedInverse.ts';
import { eliminate, factorize, logDeterminant, type SparseFactor, solve } from './sparseCholesky.ts';
import { type EdgeList, patternOfGraph } from './sparseSymmetric.ts';
import { analyze, numbersFor, type SymbolicFactor } from './symbolicFactor.ts';

/** The entries of a symmetric matrix on its diagonal, N numbers, and at the edges of a graph, one per edge. */
export interface EdgeEntries {
  readonly diagonal: Float64Array;
  readonly edges: Float64Array;
}

/** Factors of symmetric positive definite matrices that are 0 except on the diagonal and at the edges of one graph. */
export interface EdgeFactor {
  /** log|A|, and the entries of A⁻¹ at the positions of A's entries. */
  inverse(A: EdgeEntries): EdgeEntries & { readonly logDeterminant: number };
  /** The entries of A⁻¹·diag(g)·A⁻¹ at these positions, with the diagonal of A⁻¹ as input. */
  product(A: EdgeEntries, g: Float64Array, variances: Float64Array): EdgeEntries;
}

/** A step so small that 1 + STEP² = 1. */
const STEP = 2 ** -60;

/**
 * Prepares the factorization of all matrices with the entries of one graph.
 *
 * A⁻¹·diag(g)·A⁻¹ is minus the derivative of A⁻¹ along diag(g). For a small ε, the off-diagonal blocks of the inverse of [[A, εG], [εG, A]] are
 * −ε·A⁻¹GA⁻¹ + O(ε³). As in a complex step, each of their entries is a sum of products with an odd number of small factors, so that no digits are
 * lost for any small ε, and the factor of this matrix is as sparse as the factor of A.
 *
 * @param graph - without duplicate edges
 * @throws InvalidInputError if an edge is not a pair of different nodes, or occurs twice
 * @see Squire & Trapp, SIAM Review 40 (1998), on complex steps
 */
export function edgeFactor(graph: EdgeList): EdgeFactor {
  const once = lazily(() => structureOf(graph));
  const twice = lazily(() => structureOf(doubled(graph), pairwise(once().symbolic.order)));
  const { size } = graph;
  return Object.freeze<EdgeFactor>({
    inverse: ({ diagonal, edges }) => {
      const { symbolic, diagonalEntries, edgeEntries } = once();
      const values = new Float64Array(size + edges.length);
      diagonalEntries.forEach((p, i) => {
        values[p] = diagonal[i]!;
      });
      edgeEntries.forEach((p, e) => {
        values[p] = edges[e]!;
      });
      const factor = factorize(symbolic, values);
      const inverse = selectedInverse(factor);
      return {
        logDeterminant: logDeterminant(factor),
        diagonal: Float64Array.from(diagonalEntries, (p) => inverse[p]!),
        edges: Float64Array.from(edgeEntries, (p) => inverse[p]!),
      };
    },
    product: ({ diagonal, edges }, g, variances) => {
      const largest = g.reduce((most, entry, i) => Math.max(most, Math.abs(entry) * variances[i]!), 0);
      if (largest === 0) return { diagonal: new Float64Array(size), edges: new Float64Array(edges.length) };
      const step = STEP / largest;
      const { symbolic, diagonalEntries, edgeEntries } = twice();
      const values = new Float64Array(diagonalEntries.length + edgeEntries.length);
      diagonalEntries.forEach((p, i) => {
        values[p] = diagonal[i % size]!;
      });
      edges.forEach((entry, e) => {
        values[edgeEntries[e]!] = entry;
        values[edgeEntries[edges.length + e]!] = entry;
      });
      const across = 2 * edges.length;
      for (let i = 0; i < size; i++) values[edgeEntries[across + i]!] = step * g[i]!;
      const inverse = selectedInverse(factorize(symbolic, values));
      const at = (from: number, count: number) =>
        Float64Array.from({ length: count }, (_, k) => -inverse[edgeEntries[from + k]!]! / step);
      return { diagonal: at(across, size), edges: at(across + size, edges.length) };
    },
  });
}

interface Structure {
  readonly symbolic: SymbolicFactor;
  readonly diagonalEntries: Int32Array;
  readonly edgeEntries: Int32Array;
}

function structureOf(graph: EdgeList, order?: Int32Array): Structure {
  const { pattern, edgeEntries } = patternOfGraph(graph);
  return {
    symbolic: analyze(pattern, order && { order }),
    diagonalEntries: pattern.starts.subarray(0, graph.size),
    edgeEntries,
  };
}

/** Two copies of a graph, followed by the edges between them: from each node to its copy, and from the first end of each edge to the copy of the second. */
function doubled({ size, sources, targets }: EdgeList): EdgeList {
  const nodes = Int32Array.from({ length: size }, (_, i) => i);
  const other = (ends: Int32Array) => ends.map((i) => size + i);
  return {
    size: 2 * size,
    sources: joined(sources, other(sources), nodes, sources),
    targets: joined(targets, other(targets), other(nodes), other(targets)),
  };
}

function joined(...parts: readonly Int32Array[]): Int32Array {
  const result = new Int32Array(parts.reduce((sum, { length }) => sum + length, 0));
  let from = 0;
  for (const part of parts) {
    result.set(part, from);
    from += part.length;
  }
  return result;
}

/** Elimination order of pairs of a node and its copy. */
const pairwise = (order: Int32Array) =>
  Int32Array.from({ length: 2 * order.length }, (_, k) => order[k >> 1]! + (k & 1) * order.length);

/** Size of a finite difference, as the largest relative change of a weight times its resistance. */
const REACH = 1e-6;

/** The factor of Q = L(w) + λI for one graph and any weights, with U = Q⁻¹. */
export interface LaplacianFactor {
  /**
   * Factorizes for new weights.
   *
   * @param weights - w ≥ 0, one per edge
   * @param base - λ, > 0
   * @throws InvalidInputError if a weight is negative or not finite, or λ is not positive and finite
   */
  update(weights: Float64Array, base: number): void;
  /** log|L(w) + λI|. */
  readonly logDeterminant: number;
  /** R_e = U_ii + U_jj − 2U_ij for each edge e = (i, j). */
  resistances(): Float64Array;
  /**
   * −d/dt R(w + t·v) at t = 0, by a finite difference: (a_eᵀU L(v) U a_e), for each edge e. The difference changes no w_e·R_e by more than one part
   * in 10⁶, and its error is a few such parts.
   *
   * @param direction - v, one per edge, of any sign
   */
  resistanceDecrease(direction: Float64Array): Float64Array;
  /** Visits sets of nodes with the resistances between them, such that every edge is within at least one set. */
  eachFront(visit: (front: Front) => void): void;
  /** U_ii, N numbers. */
  variances(): Float64Array;
  /** U_ij for each edge. */
  covariances(): Float64Array;
  /** U·b; `x` receives the result (may be b). */
  solve(b: Float64Array, x?: Float64Array): Float64Array;
  /** Number of entries stored for the factor, including zeros of the blocks. */
  readonly storedEntries: number;
}

/**
 * Prepares the factorization of L(w) + λI on a graph: ordering, structure and storage are determined once for all weights.
 *
 * λ acts as a conductance from every node to a ground. With the ground as an additional node all rows sum to 0, and neither pivots nor resistances
 * lose digits in differences of large numbers, however small λ is. R_e has a relative error of a small multiple of the working precision, even if U
 * is larger by a factor 1/(λN·R_e).
 *
 * @param graph - `{ size, sources, targets }`, without duplicate edges
 * @throws InvalidInputError if an edge is not a pair of different nodes, or occurs twice
 * @throws NumericalError if memory for the factor is lacking, or it has 2³¹ numbers or more
 * @example
 * ```ts
 * const factor = laplacianFactor({ size: 3, sources: Int32Array.of(0, 1), targets: Int32Array.of(1, 2) });
 * factor.update(Float64Array.of(1, 2), 0.1);
 * factor.logDeterminant; // log det of the 3×3 matrix L + 0.1·I
 * factor.resistances(); // one number an edge, below 1/w
 * ```
 */
export function laplacianFactor(graph: EdgeList): LaplacianFactor {
  const { size } = graph;
  const { pattern, edgeEntries } = patternOfGraph(graph);
  const symbolic = analyze(pattern, { grounded: true });
  const { entries, groundEntries, panelStarts, supernodes } = symbolic;
  const edges = edgeEntries.map((p) => entries[p]!);
  const blocks = numbersFor(panelStarts[supernodes]!, symbolic);
  const stack = numbersFor(symbolic.stackSize, symbolic);
  const factor: SparseFactor = { symbolic, blocks };
  /** Resistances on the blocks, including resistances to the ground; filled when needed. */
  const resistance = numbersFor(blocks.length, symbolic);
  const weightsNow = new Float64Array(edges.length);
  let baseNow = Number.NaN;
  let state: 'empty' | 'set' | 'factorized' | 'inverted' = 'empty';
  let determinant = Number.NaN;
  /** R at the weights, stored while differences overwrite the blocks. */
  let edgeResistances: Float64Array | undefined;

  const factorizeAt = (weights: Float64Array) => {
    blocks.fill(0);
    for (let e = 0; e < edges.length; e++) blocks[edges[e]!] = -weights[e]!;
    for (let i = 0; i < size; i++) blocks[groundEntries[i]!] = -baseNow;
    eliminate(symbolic, blocks, stack, 'rowSums');
  };
  const ready = () => {
    if (state === 'empty') {
      throw new InvalidInputError('The Laplacian has no weights yet: call update(weights, base) first.');
    }
    if (state !== 'set') return;
    factorizeAt(weightsNow);
    state = 'factorized';
  };
  const inverted = () => {
    ready();
    if (state === 'factorized') invertOnBlocks(symbolic, blocks, resistance, stack, 'resistance');
    state = 'inverted';
    return resistance;
  };
  const onEdges = () => {
    const R = new Float64Array(edges.length);
    for (let e = 0; e < R.length; e++) R[e] = resistance[edges[e]!]!;
    return R;
  };

  const here = () => {
    if (edgeResistances === undefined) {
      inverted();
      edgeResistances = onEdges();
    }
    return edgeResistances;
  };

  return Object.freeze<LaplacianFactor>({
    storedEntries: blocks.length,
    get logDeterminant() {
      ready();
      return determinant;
    },
    update(weights, base) {
      checkWeights(weights, edges.length, base);
      weightsNow.set(weights);
      baseNow = base;
      edgeResistances = undefined;
      state = 'empty';
      factorizeAt(weights);
      determinant = logDeterminant(factor);
      state = 'factorized';
    },
    resistances: () => here().slice(),
    resistanceDecrease(direction) {
      const R = here();
      let largest = 0;
      for (let e = 0; e < R.length; e++) largest = Math.max(largest, Math.abs(direction[e]! * R[e]!));
      if (largest === 0) return new Float64Array(R.length);
      const reach = REACH / largest;
      state = 'set';
      factorizeAt(weightsNow.map((weight, e) => weight + reach * direction[e]!));
      invertOnBlocks(symbolic, blocks, resistance, stack, 'resistance');
      const ahead = onEdges();
      for (let e = 0; e < R.length; e++) ahead[e] = (R[e]! - ahead[e]!) / reach;
      return ahead;
    },
    eachFront(visit) {
      ready();
      const read = frontReader(symbolic, resistance);
      state = 'factorized';
      invertOnBlocks(symbolic, blocks, resistance, stack, 'resistance', (s, outer) => visit(read(s, outer)));
      state = 'inverted';
    },
    variances() {
      const R = inverted();
      return Float64Array.from(groundEntries, (p) => R[p]!);
    },
    covariances() {
      const R = inverted();
      return Float64Array.from(edges, (p, e) => {
        const i = groundEntries[graph.sources[e]!]!;
        const j = groundEntries[graph.targets[e]!]!;
        return 0.5 * (R[i]! + R[j]! - R[p]!);
      });
    },
    solve(b, x) {
      ready();
      return solve(factor, b, x);
    },
  });
}

function checkWeights(weights: Float64Array, edges: number, base: number): void {
  if (weights.length !== edges) {
    throw new InvalidInputError(
      `The graph has ${counted(edges, 'edge')}, but ${countGiven(weights.length, 'weight')}: give one an edge.`,
    );
  }
  if (!(base > 0 && base < Infinity)) {
    throw new InvalidInputError(
      `The base precision is ${base}: give a finite number above 0, without which L(w) has no inverse.`,
    );
  }
  const bad = weights.findIndex((weight) => !(weight >= 0 && weight < Infinity));
  if (bad >= 0) {
    throw new InvalidInputError(`Weight ${bad} of the graph is ${weights[bad]}: weights are finite numbers ≥ 0.`);
  }
}
