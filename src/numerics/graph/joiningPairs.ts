/**
 * The pairs of points that join the components of a graph into one at the least sum of lengths: the edges that the minimum spanning tree of all
 * pairs has between them, where those within a component cost nothing.
 *
 * @param labels - the component of each point
 * @param length - of the edge between two points, Infinity where there can be none
 * @returns pairs (i, j), i < j; fewer than there are components less one where some cannot be joined
 * @see Prim 1957
 */
export function joiningPairs(labels: Int32Array, length: (i: number, j: number) => number): [number, number][] {
  const size = labels.length;
  const least = new Float64Array(size).fill(Infinity);
  const nearest = new Int32Array(size);
  const isInside = new Uint8Array(size);
  const pairs: [number, number][] = [];
  let next = 0;
  for (;;) {
    const component = labels[next];
    const members = Int32Array.from(labels.keys()).filter((i) => labels[i] === component);
    for (const i of members) isInside[i] = 1;
    for (let j = 0; j < size; j++) {
      if (isInside[j] === 1) continue;
      for (const i of members) {
        const between = length(i, j);
        if (between < least[j]!) [least[j], nearest[j]] = [between, i];
      }
    }
    next = -1;
    for (let j = 0; j < size; j++) {
      if (isInside[j] === 0 && least[j]! < Infinity && (next < 0 || least[j]! < least[next]!)) next = j;
    }
    if (next < 0) return pairs;
    const other = nearest[next]!;
    pairs.push([Math.min(next, other), Math.max(next, other)]);
  }
}
