import type { Adjacency } from './sparseSymmetric.ts';

/**
 * A graph during elimination: eliminated nodes are elements, each the clique of its neighbors, whose edges are not stored. Nodes with the same
 * neighbors are merged into a weighted supervariable.
 * The list of a variable is `elementCount` elements followed by variables; lists only shrink, and a new element's list goes to the end of the pool.
 *
 * @see Amestoy, Davis & Duff, SIAM J. Matrix Anal. Appl. 17 (1996), section 2
 */
class QuotientGraph {
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

  /** The graph without the nodes marked by `leftOut`. */
  constructor({ size, starts, neighbors }: Adjacency, leftOut: Uint8Array) {
    this.size = size;
    this.pool = new Int32Array(Math.ceil(1.2 * neighbors.length) + size);
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
        if (leftOut[neighbors[p]!] === 0) this.pool[end++] = neighbors[p]!;
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

/**
 * An elimination order with little fill: a node of least approximate degree comes next.
 *
 * Approximate minimum degree on the quotient graph, with element absorption (also aggressive), mass elimination and merging of
 * indistinguishable nodes. Nodes with more than max(16, 10√n) neighbors come last, as they touch nearly everything anyway.
 *
 * @param adjacency - neighbors of every node
 * @returns `order[k]` is the k-th node to be eliminated
 * @see Amestoy, Davis & Duff, "An approximate minimum degree ordering algorithm", SIAM J. Matrix Anal. Appl. 17 (1996)
 */
export function minimumDegreeOrder(adjacency: Adjacency): Int32Array {
  const { size, starts } = adjacency;
  const most = Math.max(16, 10 * Math.sqrt(size));
  const dense = Uint8Array.from({ length: size }, (_, i) => (starts[i + 1]! - starts[i]! > most ? 1 : 0));
  const elimination = new Elimination(new QuotientGraph(adjacency, dense));
  const order = new Int32Array(size);
  let place = 0;
  while (elimination.left > 0) place = elimination.graph.unfold(elimination.step(), order, place);
  for (let i = 0; i < size; i++) if (dense[i] === 1) order[place++] = i;
  return order;
}

/** Steps of the elimination, with the state they share. */
class Elimination {
  /** Number of nodes that are not eliminated yet. */
  left = 0;
  readonly #lists: DegreeLists;
  /** An upper bound of the degree of a variable; the weight of the variables of an element. */
  readonly #degree: Int32Array;
  /** `mark[e] − #stamp` is the weight of element e outside of the newest one, where mark[e] ≥ #stamp. */
  readonly #mark: Int32Array;
  #stamp = 1;
  /** Largest weight of an element so far, which bounds the marks of a step. */
  #heaviest = 0;
  /** Members of the newest element by the hash of their lists: first in each bucket, the next one, the hash itself. */
  readonly #bucket: Int32Array;
  readonly #nextInBucket: Int32Array;
  readonly #hash: Int32Array;

  constructor(readonly graph: QuotientGraph) {
    const { size, weight, length } = graph;
    this.#lists = new DegreeLists(size);
    this.#degree = length.slice();
    this.#mark = new Int32Array(size);
    this.#bucket = new Int32Array(size).fill(-1);
    this.#nextInBucket = new Int32Array(size);
    this.#hash = new Int32Array(size);
    for (let i = 0; i < size; i++) {
      if (weight[i] === 0) continue;
      this.#lists.add(i, length[i]!);
      this.left++;
    }
  }

  /** Eliminates a node of least degree together with its indistinguishable nodes; returns it. */
  step(): number {
    const { graph } = this;
    const lists = this.#lists;
    const p = lists.takeLeast();
    this.left -= graph.weight[p]!;
    const degree = graph.eliminate(p, (i) => lists.remove(i));
    this.#weighElements(p);
    const remaining = this.#shortenLists(p, degree);
    this.#mergeIndistinguishable(p);
    this.#settle(p, remaining);
    return p;
  }

  /** Computes, for every element that shares variables with the newest one, the weight of those it does not share. */
  #weighElements(p: number): void {
    const { pool, start, length, elementCount, weight, alive } = this.graph;
    const mark = this.#mark;
    if (this.#stamp > 2 ** 30) {
      mark.fill(0);
      this.#stamp = 1;
    }
    const stamp = this.#stamp;
    for (let q = start[p]!; q < start[p]! + length[p]!; q++) {
      const i = pool[q]!;
      for (let r = start[i]!; r < start[i]! + elementCount[i]!; r++) {
        const e = pool[r]!;
        if (alive[e] === 0) continue;
        mark[e] = (mark[e]! >= stamp ? mark[e]! : this.#degree[e]! + stamp) + weight[i]!;
      }
    }
  }

  /**
   * Removes from the list of every member the parts covered by the newest element, inserts that element, and bounds the member's degree. A member
   * with nothing else is eliminated at once. Returns the weight of the remaining members.
   */
  #shortenLists(p: number, total: number): number {
    const { graph } = this;
    const { pool, start, length, elementCount, weight, alive, size } = graph;
    const stamp = this.#stamp;
    let remaining = total;
    for (let q = start[p]!; q < start[p]! + length[p]!; q++) {
      const i = pool[q]!;
      const from = start[i]!;
      const variables = from + elementCount[i]!;
      const to = from + length[i]!;
      let end = from;
      let degree = 0;
      let hash = 0;
      for (let r = from; r < variables; r++) {
        const e = pool[r]!;
        if (alive[e] === 0) continue;
        const outside = this.#mark[e]! - stamp;
        if (outside === 0) {
          graph.absorb(e);
          continue;
        }
        degree += outside;
        hash += e;
        pool[end++] = e;
      }
      // There is space for p: it was among i's variables, or an element that it absorbed was among i's elements.
      const elements = end + 1;
      const firstVariable = end;
      let kept = p;
      let hold = false;
      for (let r = variables; r < to; r++) {
        const j = pool[r]!;
        if (weight[j]! <= 0) continue;
        degree += weight[j]!;
        hash += j;
        // One entry is kept back, so that the first variable does not overwrite an unread one.
        if (hold) pool[++end] = kept;
        kept = j;
        hold = true;
      }
      if (hold) pool[++end] = kept;
      pool[firstVariable] = p;
      hash += p;
      if (degree === 0) {
        remaining += weight[i]!;
        this.left += weight[i]!;
        graph.merge(i, p);
        continue;
      }
      elementCount[i] = elements - from;
      length[i] = end + 1 - from;
      this.#degree[i] = Math.min(this.#degree[i]!, degree);
      const h = hash % size;
      this.#hash[i] = h;
      this.#nextInBucket[i] = this.#bucket[h]!;
      this.#bucket[h] = i;
    }
    this.#stamp = stamp + this.#heaviest + 1;
    return remaining;
  }

  /** Merges members with identical lists: they have the same degree until they are eliminated together. */
  #mergeIndistinguishable(p: number): void {
    const { graph } = this;
    const { pool, start, length, elementCount, weight } = graph;
    const mark = this.#mark;
    for (let q = start[p]!; q < start[p]! + length[p]!; q++) {
      const h = this.#hash[pool[q]!]!;
      if (weight[pool[q]!] === 0) continue;
      let i = this.#bucket[h]!;
      this.#bucket[h] = -1;
      for (; i !== -1; i = this.#nextInBucket[i]!) {
        if (this.#nextInBucket[i] === -1) break;
        const stamp = ++this.#stamp;
        const size = length[i]!;
        for (let r = start[i]!; r < start[i]! + size; r++) mark[pool[r]!] = stamp;
        let before = i;
        for (let j = this.#nextInBucket[i]!; j !== -1; j = this.#nextInBucket[j]!) {
          let same = length[j] === size && elementCount[j] === elementCount[i];
          for (let r = start[j]!; same && r < start[j]! + size; r++) same = mark[pool[r]!] === stamp;
          if (!same) {
            before = j;
            continue;
          }
          weight[i]! += weight[j]!;
          graph.merge(j, i);
          this.#nextInBucket[before] = this.#nextInBucket[j]!;
        }
      }
    }
    this.#stamp++;
  }

  /** Returns the members to the candidates, and drops those that no longer exist. */
  #settle(p: number, total: number): void {
    const { pool, start, length, weight } = this.graph;
    let end = start[p]!;
    for (let q = start[p]!, stop = end + length[p]!; q < stop; q++) {
      const i = pool[q]!;
      if (weight[i] === 0) continue;
      weight[i] = -weight[i]!;
      const outside = total - weight[i]!;
      this.#degree[i] = Math.min(this.#degree[i]! + outside, this.left - weight[i]!);
      this.#lists.add(i, this.#degree[i]!);
      pool[end++] = i;
    }
    length[p] = end - start[p]!;
    this.#degree[p] = total;
    this.#heaviest = Math.max(this.#heaviest, total);
    if (length[p] === 0) this.graph.alive[p] = 0;
  }
}

const NONE = -1;

/** Nodes by degree, with constant time for finding one of least degree and for changing a degree. */
class DegreeLists {
  readonly #first: Int32Array;
  readonly #next: Int32Array;
  readonly #previous: Int32Array;
  readonly #degree: Int32Array;
  #least: number;

  constructor(size: number) {
    this.#first = new Int32Array(size).fill(NONE);
    this.#next = new Int32Array(size).fill(NONE);
    this.#previous = new Int32Array(size).fill(NONE);
    this.#degree = new Int32Array(size);
    this.#least = size;
  }

  add(node: number, degree: number): void {
    const head = this.#first[degree]!;
    this.#next[node] = head;
    this.#previous[node] = NONE;
    if (head !== NONE) this.#previous[head] = node;
    this.#first[degree] = node;
    this.#degree[node] = degree;
    if (degree < this.#least) this.#least = degree;
  }

  remove(node: number): void {
    const next = this.#next[node]!;
    const previous = this.#previous[node]!;
    if (next !== NONE) this.#previous[next] = previous;
    if (previous !== NONE) this.#next[previous] = next;
    else this.#first[this.#degree[node]!] = next;
  }

  /** Removes and returns a node of least degree; there must be one. */
  takeLeast(): number {
    while (this.#first[this.#least] === NONE) this.#least++;
    const node = this.#first[this.#least]!;
    this.remove(node);
    return node;
  }
}
