/** A priority queue of points by distance. */
export interface PointQueue {
  /** Inserts a point, or moves it up if its distance fell. */
  offer(point: number, distance: number): void;
  /** Removes and returns the nearest point; −1 if there is none. */
  take(): number;
}

/** A heap with four children per point: half as deep as a binary one, with adjacent children. */
export function pointQueue(size: number): PointQueue {
  const points = new Int32Array(size);
  const keys = new Float64Array(size);
  const place = new Int32Array(size).fill(-1);
  let count = 0;

  return {
    offer(point, distance) {
      let p = place[point]!;
      if (p < 0) p = count++;
      while (p > 0) {
        const parent = (p - 1) >> 2;
        if (keys[parent]! <= distance) break;
        const other = points[parent]!;
        points[p] = other;
        keys[p] = keys[parent]!;
        place[other] = p;
        p = parent;
      }
      points[p] = point;
      keys[p] = distance;
      place[point] = p;
    },
    take() {
      if (count === 0) return -1;
      const nearest = points[0]!;
      place[nearest] = -1;
      count--;
      if (count === 0) return nearest;
      const point = points[count]!;
      const distance = keys[count]!;
      let p = 0;
      for (;;) {
        const first = 4 * p + 1;
        if (first >= count) break;
        const end = Math.min(first + 4, count);
        let child = first;
        let least = keys[first]!;
        for (let c = first + 1; c < end; c++) {
          if (keys[c]! < least) {
            least = keys[c]!;
            child = c;
          }
        }
        if (distance <= least) break;
        const other = points[child]!;
        points[p] = other;
        keys[p] = least;
        place[other] = p;
        p = child;
      }
      points[p] = point;
      keys[p] = distance;
      place[point] = p;
      return nearest;
    },
  };
}
