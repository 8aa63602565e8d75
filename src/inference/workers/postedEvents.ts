import { Matrix } from '../../core/matrix.ts';
import type { Embedding } from '../../model/computation.ts';
import type { Point, RunEvent } from '../fit/run.ts';

/** An event as it can be posted: an embedding that nobody has asked for stays behind. */
export function posted(event: RunEvent): RunEvent {
  if (event.kind !== 'iteration' || typeof event.point.embedding !== 'function') return event;
  const { embedding: _, ...point } = event.point;
  return { ...event, point };
}

/** An event as it was before it was posted: matrices lose their class on the way. */
export function revived<E extends { readonly kind: string }>(event: E): E {
  const { point, solution } = event as { readonly point?: Point; readonly solution?: Point };
  if (point?.embedding !== undefined) return { ...event, point: withMatrices(point) };
  if (solution?.embedding !== undefined) return { ...event, solution: withMatrices(solution) };
  return event;
}

function withMatrices(point: Point): Point {
  const { latents, parameters, ...rest } = point.embedding as Embedding;
  const embedding = {
    ...rest,
    latents: matrixFrom(latents) as Matrix,
    ...(parameters !== undefined && {
      parameters: Object.fromEntries(Object.entries(parameters).map(([path, value]) => [path, matrixFrom(value)])),
    }),
  };
  return { ...point, embedding };
}

function matrixFrom<V>(value: V): V | Matrix {
  const { data, rows, columns } = value as unknown as Matrix;
  return data instanceof Float64Array ? new Matrix(data, rows, columns) : value;
}
