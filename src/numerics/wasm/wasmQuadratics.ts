import type { Float64Memory } from '../memory.ts';
import { goesByPoints, type QuadraticOperations } from '../operations/quadratics.ts';
import { QUADRATIC } from './engineModule.ts';
import type { LinkedKernels } from './instance.ts';
import { type Place, placeRecord, withNumbers } from './workspace.ts';

/** Coordinate descent in WebAssembly. */
export function wasmQuadraticOperations(memory: Float64Memory, kernels: LinkedKernels): QuadraticOperations {
  return Object.freeze<QuadraticOperations>({
    quadraticProduct(n, u, factor, rows, columns, v) {
      const count = rows.length / 2;
      const byPoints = goesByPoints(n, count, v.length);
      const work = byPoints ? n * n + n + 3 * v.length : 4 * n + 16;
      return withNumbers(memory, 2 * count + 2 * v.length + work, (place) => {
        const y = place(count);
        const record = placeRecord(memory, place, QUADRATIC, {
          ...{ factor, n, u, count, known: v.length, y },
          pairs: integers(memory, place, rows),
          moved: integers(memory, place, columns),
          steps: doubles(memory, place, v),
          ...(byPoints ? { b: place(n * n), lists: place(n + 3 * v.length) } : { work: place(4 * n + 16) }),
        });
        if (byPoints) kernels.quadraticProductByPoints(record);
        else kernels.quadraticProduct(record);
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
        const record = placeRecord(memory, place, QUADRATIC, {
          ...{ factor, n, u, count: visits.length, known: steps.count, places, moved, steps: taken, work },
          pairs: integers(memory, place, pairs),
          visits: integers(memory, place, visits),
          gradient: doubles(memory, place, gradient),
          curvature: doubles(memory, place, curvature),
          lower: doubles(memory, place, lower),
          upper: doubles(memory, place, upper),
        });
        steps.count = kernels.quadraticSweep(record);
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
