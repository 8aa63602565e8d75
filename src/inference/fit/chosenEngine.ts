import { type EngineChoice, type EngineReport, engineReport, withEngine } from '../../numerics/dense/index.ts';
import { withFloat64 } from '../../tensors/float64/scope.ts';
import type { FitThreads } from './fitThreads.ts';

/** Runs numerics on the float64 backend, with this engine and these threads. */
export function computeWith(engine: EngineChoice | undefined, threads: FitThreads): <T>(work: () => T) => T {
  return (work) => withFloat64(({ memory64 }) => withEngine(memory64, engine, () => threads.run(work)));
}

/** The linear algebra engine that a choice comes to, and what there is to know about it. */
export function chosenEngine(engine: EngineChoice | undefined): EngineReport {
  return withFloat64(({ memory64 }) => withEngine(memory64, engine, () => engineReport(memory64)));
}
