const NONE = -1;

/** Nodes by degree, so that one of least degree is found and a node moves between degrees in constant time. */
export class DegreeLists {
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
