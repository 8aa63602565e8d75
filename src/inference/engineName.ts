import { withFloat64 } from '../core/float64/scope.ts';
import { type EngineChoice, type EngineName, linearAlgebra, withEngine } from '../core/linalg/index.ts';

/** Name of the linear algebra engine that a choice comes to. */
export function engineName(engine: EngineChoice | undefined): EngineName {
  return withFloat64(({ memory64 }) => withEngine(memory64, engine, () => linearAlgebra(memory64).name));
}
