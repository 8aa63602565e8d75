import type { PlainError } from '../../core/errors.ts';
import { Matrix } from '../../core/matrix.ts';
import type { Embedding } from '../../model/computation.ts';
import type { Point, RunEvent, RunSettings, Start } from '../fit/run.ts';
import type { SolverJSON } from '../solvers/json.ts';

/** Fit as sent to a worker, without the starts. */
export interface Job {
  /** The model as JSON text. */
  readonly model: string;
  readonly seed: number;
  readonly engine: string;
  /** Solver; by default the worker chooses the one that suits the model. */
  readonly solver: SolverJSON | undefined;
  readonly settings: Omit<RunSettings, 'solver'>;
  /** Start of the search, and the exact negative log density there. */
  readonly start: Float64Array;
  readonly value: number;
}

/** Message from the fit to a worker: first a job, then starts one after another. */
export type Request =
  | { readonly kind: 'open'; readonly job: Job }
  | { readonly kind: 'run'; readonly start: Start }
  | { readonly kind: 'stop'; readonly by: string };

/** Message from a worker to the fit. */
export type Reply = RunEvent | Failure;

/** Error in a worker; errors lose their class in messages. */
export interface Failure extends PlainError {
  readonly kind: 'failed';
  /** Stage of the failure: 'open' while rebuilding the model, 'run' while fitting it. */
  readonly stage: 'open' | 'run';
}

/** Event in a form that can be posted: an embedding that was not requested is left out. */
export function posted(event: RunEvent): RunEvent {
  if (event.kind !== 'iteration' || typeof event.point.embedding !== 'function') return event;
  const { embedding: _, ...point } = event.point;
  return { ...event, point };
}

/** Event as it was before posting, with matrices restored to their class. */
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
