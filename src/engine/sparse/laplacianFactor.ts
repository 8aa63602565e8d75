import { counted, countGiven } from '../../core/counted.ts';
import { InvalidInputError } from '../../core/errors.ts';
import { numbersFor } from './factorStorage.ts';
import { type EdgeList, patternOfGraph } from './pattern.ts';
import { type Front, frontReader, invertOnBlocks } from './selectedInverse.ts';
import { eliminate, logDeterminant, type SparseFactor, solve } from './sparseCholesky.ts';
import { analyse } from './symbolicFactor.ts';

/** Size of a finite difference, as the largest relative change of a weight times its resistance. */
const REACH = 1e-6;

/** The factor of Q = L(w) + λI for one graph and any weights, with U = Q⁻¹. */
export interface LaplacianFactor {
  /**
   * Factorises for new weights.
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
  /** Numbers stored for the factor, including zeros of the blocks. */
  readonly storedEntries: number;
}

/**
 * Prepares the factorisation of L(w) + λI on a graph: order, structure and storage are found once and serve all weights.
 *
 * λ ties every node to a ground with conductance λ; with the ground as one more node all rows add up to 0, and neither
 * the pivots nor the resistances ever lose digits in a difference of large numbers, however small λ is. R_e has a relative error of
 * a small multiple of working precision where U itself is larger by 1/(λN·R_e).
 *
 * @param graph - `{ size, sources, targets }`, every pair once
 * @throws InvalidInputError when an edge is not a pair of different nodes, or comes twice
 * @throws NumericalError when there is no memory for the factor, or it has 2³¹ numbers or more
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
  const symbolic = analyse(pattern, { grounded: true });
  const { entries, groundEntries, panelStarts, supernodes } = symbolic;
  const edges = edgeEntries.map((p) => entries[p]!);
  const blocks = numbersFor(panelStarts[supernodes]!, symbolic);
  const stack = numbersFor(symbolic.stackSize, symbolic);
  const factor: SparseFactor = { symbolic, blocks };
  /** Resistances on the blocks, including those to the ground; filled when needed. */
  const resistance = numbersFor(blocks.length, symbolic);
  const weightsNow = new Float64Array(edges.length);
  let baseNow = Number.NaN;
  let state: 'empty' | 'set' | 'factorised' | 'inverted' = 'empty';
  let determinant = Number.NaN;
  /** R at the weights, kept while differences overwrite the blocks. */
  let edgeResistances: Float64Array | undefined;

  const factoriseAt = (weights: Float64Array) => {
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
    factoriseAt(weightsNow);
    state = 'factorised';
  };
  const inverted = () => {
    ready();
    if (state === 'factorised') invertOnBlocks(symbolic, blocks, resistance, stack, 'resistance');
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
      factoriseAt(weights);
      determinant = logDeterminant(factor);
      state = 'factorised';
    },
    resistances: () => here().slice(),
    resistanceDecrease(direction) {
      const R = here();
      let largest = 0;
      for (let e = 0; e < R.length; e++) largest = Math.max(largest, Math.abs(direction[e]! * R[e]!));
      if (largest === 0) return new Float64Array(R.length);
      const reach = REACH / largest;
      state = 'set';
      factoriseAt(weightsNow.map((weight, e) => weight + reach * direction[e]!));
      invertOnBlocks(symbolic, blocks, resistance, stack, 'resistance');
      const ahead = onEdges();
      for (let e = 0; e < R.length; e++) ahead[e] = (R[e]! - ahead[e]!) / reach;
      return ahead;
    },
    eachFront(visit) {
      ready();
      const read = frontReader(symbolic, resistance);
      state = 'factorised';
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
