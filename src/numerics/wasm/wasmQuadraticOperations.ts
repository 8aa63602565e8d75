import type { Float64Memory } from '../memory.ts';
import type { LinkedKernels } from './instance.ts';
import type { QuadraticOperations } from './quadraticOperations.ts';
import { type Place, withNumbers } from './transposedPoints.ts';

/** Coordinate descent in WebAssembly. */
export function wasmQuadraticOperations(memory: Float64Memory, kernels: LinkedKernels): QuadraticOperations {
  return Object.freeze<QuadraticOperations>({
    quadraticProduct(n, u, factor, rows, columns, v) {
      const count = rows.length / 2;
      return withNumbers(memory, 2 * count + 2 * v.length + n, (place) => {
        const y = place(count);
        const work = place(n);
        const ofRows = integers(memory, place, rows);
        const ofColumns = integers(memory, place, columns);
        kernels.quadraticProduct(n, u, ofRows, count, factor, ofColumns, doubles(memory, place, v), v.length, y, work);
        return memory.float64(y, count).slice();
      });
    },

    quadraticSweep(n, u, { pairs, factor, gradient, curvature, lower, upper }, visits, steps) {
      const m = gradient.length;
      return withNumbers(memory, 7 * m + halves(m) + halves(visits.length) + n + 1, (place) => {
        const places = integers(memory, place, steps.places);
        const moved = integers(memory, place, steps.moved);
        const taken = doubles(memory, place, steps.steps);
        const work = place(n + 1);
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
        return memory.float64(work + 8 * n, 1)[0]!;
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
