/** Variables in order of the time at which each meets its bound, taken one at a time. */
export interface Breakpoints {
  /** Time of each variable; Infinity for one that never meets a bound. */
  readonly times: Float64Array;
  /** Takes all variables with a positive finite time. */
  order(): void;
  /** The variable with the least time of those left, or −1; `pop` takes it off. */
  peek(): number;
  pop(): void;
}

/** A binary heap over `size` variables: only the breakpoints that are passed get sorted. */
export function breakpoints(size: number): Breakpoints {
  const times = new Float64Array(size);
  const heap = new Int32Array(size);
  let count = 0;

  const before = (a: number, b: number) => times[a]! < times[b]! || (times[a] === times[b] && a < b);
  const sink = (start: number) => {
    const moving = heap[start]!;
    let place = start;
    for (;;) {
      let child = 2 * place + 1;
      if (child >= count) break;
      if (child + 1 < count && before(heap[child + 1]!, heap[child]!)) child++;
      if (!before(heap[child]!, moving)) break;
      heap[place] = heap[child]!;
      place = child;
    }
    heap[place] = moving;
  };

  return {
    times,
    order() {
      count = 0;
      for (let i = 0; i < size; i++) {
        if (times[i]! > 0 && times[i]! < Number.POSITIVE_INFINITY) heap[count++] = i;
      }
      for (let place = (count >> 1) - 1; place >= 0; place--) sink(place);
    },
    peek: () => (count > 0 ? heap[0]! : -1),
    pop() {
      count--;
      heap[0] = heap[count]!;
      if (count > 0) sink(0);
    },
  };
}
