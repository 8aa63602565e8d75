import { withFloat64 } from '../core/float64/scope.ts';
import { type EngineChoice, type EngineReport, engineReport, withEngine } from '../core/linalg/index.ts';

/** The linear algebra engine that a choice comes to, and what there is to know about it. */
export function chosenEngine(engine: EngineChoice | undefined): EngineReport {
  return withFloat64(({ memory64 }) => withEngine(memory64, engine, () => engineReport(memory64)));
}
