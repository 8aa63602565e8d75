import type { Matrix } from 'latentfield/core';

/** Number of stops of the tour, and milliseconds between two of them. */
const STOPS = 8;
const PACE = 2600;

/** Closed curve through rows that are far apart, as a function of milliseconds: positions on two axes of the latents. */
export function tourOf(latents: Matrix, across: number, up: number): (time: number) => readonly [number, number] {
  const stops = inTurn(farApart(latents.toArrays().map((at) => [at[across]!, at[up]!] as const)));
  return (time) => {
    const at = (time / PACE) % stops.length;
    const [k, t] = [Math.floor(at), at % 1];
    const stop = (by: number) => stops[(k + by + stops.length) % stops.length]!;
    const through = (axis: 0 | 1) => catmullRom(stop(-1)[axis], stop(0)[axis], stop(1)[axis], stop(2)[axis], t);
    return [through(0), through(1)];
  };
}

type Place = readonly [number, number];

/** Positions chosen one by one, each farthest from the previous ones. */
function farApart(places: readonly Place[]): Place[] {
  const found = [places[0]!];
  const distances = places.map(() => Number.POSITIVE_INFINITY);
  while (found.length < Math.min(STOPS, places.length)) {
    const last = found.at(-1)!;
    for (const [i, [x, y]] of places.entries())
      distances[i] = Math.min(distances[i]!, Math.hypot(x - last[0], y - last[1]));
    found.push(places[distances.reduce((best, value, i) => (value > distances[best]! ? i : best), 0)]!);
  }
  return found;
}

/** Positions sorted by angle around their mean. */
function inTurn(places: readonly Place[]): Place[] {
  const mean = (axis: 0 | 1) => places.reduce((sum, place) => sum + place[axis], 0) / places.length;
  const [x, y] = [mean(0), mean(1)];
  return [...places].sort((a, b) => Math.atan2(a[1] - y, a[0] - x) - Math.atan2(b[1] - y, b[0] - x));
}

/** Cubic from b to c with slopes along the lines between the neighbors. */
const catmullRom = (a: number, b: number, c: number, d: number, t: number): number =>
  b + 0.5 * t * (c - a + t * (2 * a - 5 * b + 4 * c - d + t * (3 * (b - c) + d - a)));
