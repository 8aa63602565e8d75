import { Matrix } from '../../core/matrix.ts';
import type { Embedding } from '../../model/computation.ts';
import type { Point, RunEvent, RunSettings, Start } from '../fit/run.ts';
import type { SolverJSON } from '../solvers/json.ts';

/** A fit as a worker gets it: everything but the starts. */
export interface Job {
  /** The model as JSON text. */
  readonly model: string;
  readonly seed: number;
  readonly engine: string;
  /** The one that suits the model, which the worker finds by itself, unless given. */
  readonly solver: SolverJSON | undefined;
  readonly settings: Omit<RunSettings, 'solver'>;
  /** Where the search begins, and minus the log density there, bit for bit. */
  readonly start: Float64Array;
  readonly value: number;
}

/** Message from the fit to a worker: first a job, then one start after another. */
export type Request =
  | { readonly kind: 'open'; readonly job: Job }
  | { readonly kind: 'run'; readonly start: Start }
  | { readonly kind: 'stop'; readonly by: string };

/** Message from a worker to the fit. */
export type Reply = RunEvent | Failure;

/** An error in a worker; errors lose their classes on the way. */
export interface Failure {
  readonly kind: 'failed';
  /** While the model was rebuilt, or while it was fitted. */
  readonly stage: 'open' | 'run';
  readonly name: string;
  readonly message: string;
}

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
