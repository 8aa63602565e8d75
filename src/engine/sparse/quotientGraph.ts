import type { Adjacency } from './pattern.ts';

/**
 * A graph during elimination: eliminated nodes are elements, each the clique of its neighbours, whose edges are not stored. Nodes with the same
 * neighbours are merged into a weighted supervariable.
 * The list of a variable is `elementCount` elements followed by variables; lists only shrink, and a new element's list goes to the end of the pool.
 *
 * @see Amestoy, Davis & Duff, SIAM J. Matrix Anal. Appl. 17 (1996), section 2
 */
export class QuotientGraph {
  readonly size: number;
  /** Lists of variables and elements, one after the other. */
  pool: Int32Array;
  readonly start: Int32Array;
  /** Length of each list; 0 for merged or absorbed nodes. */
  readonly length: Int32Array;
  readonly elementCount: Int32Array;
  /** Number of nodes in a supervariable; 0 once it is merged or eliminated; negative during the elimination of its pivot. */
  readonly weight: Int32Array;
  /** An element is alive from its elimination until a larger one absorbs it. */
  readonly alive: Uint8Array;
  /** Nodes that were merged into a supervariable, or eliminated with it: a chain from each node. */
  readonly #nextMerged: Int32Array;
  readonly #lastMerged: Int32Array;
  #end: number;

  /** The graph without the nodes that `leftOut` marks. */
  constructor({ size, starts, neighbours }: Adjacency, leftOut: Uint8Array) {
    this.size = size;
    this.pool = new Int32Array(Math.ceil(1.2 * neighbours.length) + size);
    this.start = new Int32Array(size);
    this.length = new Int32Array(size);
    this.elementCount = new Int32Array(size);
    this.weight = new Int32Array(size);
    this.alive = new Uint8Array(size);
    this.#nextMerged = new Int32Array(size).fill(-1);
    this.#lastMerged = Int32Array.from({ length: size }, (_, i) => i);
    let end = 0;
    for (let i = 0; i < size; i++) {
      this.start[i] = end;
      if (leftOut[i] === 1) continue;
      this.weight[i] = 1;
      for (let p = starts[i]!; p < starts[i + 1]!; p++) {
        if (leftOut[neighbours[p]!] === 0) this.pool[end++] = neighbours[p]!;
      }
      this.length[i] = end - this.start[i]!;
    }
    this.#end = end;
  }

  /** Merges node i, with all nodes merged into it, into j. */
  merge(i: number, j: number): void {
    this.#nextMerged[this.#lastMerged[j]!] = i;
    this.#lastMerged[j] = this.#lastMerged[i]!;
    this.weight[i] = 0;
    this.length[i] = 0;
  }

  /** Writes node i and all nodes merged into it to `order` from `place` on; returns the next index. */
  unfold(i: number, order: Int32Array, place: number): number {
    let next = place;
    for (let node = i; node !== -1; node = this.#nextMerged[node]!) order[next++] = node;
    return next;
  }

  /**
   * Turns variable p into an element: the variables adjacent to it, directly or through its elements, which it absorbs. Their weights become
   * negative, its own 0; `onMember` is called for each. Returns the sum of their weights.
   */
  eliminate(p: number, onMember: (i: number) => void): number {
    const { start, length, elementCount, weight, alive } = this;
    this.#reserve(p);
    const { pool } = this;
    const begin = this.#end;
    let end = begin;
    let degree = 0;
    const gather = (from: number, to: number) => {
      for (let q = from; q < to; q++) {
        const i = pool[q]!;
        const size = weight[i]!;
        if (size <= 0) continue;
        degree += size;
        weight[i] = -size;
        pool[end++] = i;
        onMember(i);
      }
    };
    weight[p] = 0;
    const variables = start[p]! + elementCount[p]!;
    for (let q = start[p]!; q < variables; q++) {
      const e = pool[q]!;
      if (alive[e] === 0) continue;
      gather(start[e]!, start[e]! + length[e]!);
      this.absorb(e);
    }
    gather(variables, start[p]! + length[p]!);
    start[p] = begin;
    length[p] = end - begin;
    elementCount[p] = 0;
    alive[p] = 1;
    this.#end = end;
    return degree;
  }

  absorb(e: number): void {
    this.alive[e] = 0;
    this.length[e] = 0;
  }

  /** Reserves space for the list of the element that p becomes. */
  #reserve(p: number): void {
    const { start, length, elementCount, alive } = this;
    let most = length[p]!;
    for (let q = start[p]!; q < start[p]! + elementCount[p]!; q++) {
      if (alive[this.pool[q]!] === 1) most += length[this.pool[q]!]!;
    }
    if (this.#end + most <= this.pool.length) return;
    const larger = new Int32Array(Math.max(2 * this.pool.length, this.#end + most));
    larger.set(this.pool);
    this.pool = larger;
  }
}
