import type { Float64Memory } from '../memory.ts';
import type { LinkedKernels } from './instance.ts';
import { goesByPoints, type QuadraticOperations } from './quadraticOperations.ts';
import { type Place, withNumbers } from './transposedPoints.ts';

/** Coordinate descent in WebAssembly. */
export function wasmQuadraticOperations(memory: Float64Memory, kernels: LinkedKernels): QuadraticOperations {
  return Object.freeze<QuadraticOperations>({
    quadraticProduct(n, u, factor, rows, columns, v) {
      const count = rows.length / 2;
      const byPoints = goesByPoints(n, count, v.length);
      const work = byPoints ? n * n + n + 3 * v.length : 4 * n + 16;
      return withNumbers(memory, 2 * count + 2 * v.length + work, (place) => {
        const y = place(count);
        const ofRows = integers(memory, place, rows);
        const ofColumns = integers(memory, place, columns);
        const steps = doubles(memory, place, v);
        const given = [n, u, ofRows, count, factor, ofColumns, steps, v.length, y] as const;
        if (byPoints) kernels.quadraticProductByPoints(...given, place(n * n), place(n + 3 * v.length));
        else kernels.quadraticProduct(...given, place(4 * n + 16));
        return memory.float64(y, count).slice();
      });
    },

    quadraticSweep(n, u, { pairs, factor, gradient, curvature, lower, upper }, visits, steps) {
      const m = gradient.length;
      return withNumbers(memory, 7 * m + halves(m) + halves(visits.length) + 4 * n + 16, (place) => {
        const places = integers(memory, place, steps.places);
        const moved = integers(memory, place, steps.moved);
        const taken = doubles(memory, place, steps.steps);
        const work = place(4 * n + 16);
        steps.count = kernels.quadraticSweep(
          n,
          u,
          integers(memory, place, pairs),
          integers(memory, place, visits),
          visits.length,
          factor,
          doubles(memory, place, gradient),
          doubles(memory, place, curvature),
          doubles(memory, place, lower),
          doubles(memory, place, upper),
          places,
          moved,
          taken,
          steps.count,
          work,
        );
        steps.places.set(memory.int32(places, m));
        steps.moved.set(memory.int32(moved, 2 * m));
        steps.steps.set(memory.float64(taken, m));
        return memory.float64(work, 1)[0]!;
      });
    },
  });
}

const halves = (count: number) => Math.ceil(count / 2);

function doubles(memory: Float64Memory, place: Place, values: Float64Array): number {
  const offset = place(values.length);
  memory.float64(offset, values.length).set(values);
  return offset;
}

function integers(memory: Float64Memory, place: Place, values: Int32Array): number {
  const offset = place(halves(values.length));
  memory.int32(offset, values.length).set(values);
  return offset;
}
