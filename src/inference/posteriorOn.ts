import { float64Backend } from '../core/float64/scope.ts';
import { type EngineChoice, withEngine } from '../core/linalg/index.ts';
import type { Posterior } from '../core/model.ts';

/** The posterior with an engine at work in everything that it computes; as it is where none was chosen. */
export function posteriorOn(engine: EngineChoice | undefined, posterior: Posterior): Posterior {
  if (engine === undefined) return posterior;
  const parts = Object.entries(posterior).map(([name, part]: [string, unknown]) => [
    name,
    typeof part === 'function'
      ? (...given: unknown[]) => withEngine(float64Backend().memory64, engine, () => part(...given))
      : part,
  ]);
  return Object.fromEntries(parts) as Posterior;
}
