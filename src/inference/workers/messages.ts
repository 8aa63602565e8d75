import type { RunEvent, RunSettings, Start } from '../fit/run.ts';
import type { SolverJSON } from '../solvers/json.ts';

/** A fit as a worker gets it: everything but the starts. */
export interface Job {
  /** What `JSON.stringify` makes of the model. */
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

/** What the fit says to a worker: first a job, then one start after another. */
export type Request =
  | { readonly kind: 'open'; readonly job: Job }
  | { readonly kind: 'run'; readonly start: Start }
  | { readonly kind: 'stop'; readonly by: string };

/** What a worker says to the fit. */
export type Reply = RunEvent | Failure;

/** An error in a worker; errors lose their classes on the way. */
export interface Failure {
  readonly kind: 'failed';
  /** While the model was rebuilt, or while it was fitted. */
  readonly stage: 'open' | 'run';
  readonly name: string;
  readonly message: string;
}
