import type { Posterior } from '../../model/model.ts';
import { type EngineChoice, withEngine } from '../../numerics/dense/index.ts';
import { sharedMemory } from '../../numerics/memory.ts';

/** The posterior with an engine at work in everything that it computes; as it is where none was chosen. */
export function posteriorOn(engine: EngineChoice | undefined, posterior: Posterior): Posterior {
  if (engine === undefined) return posterior;
  const parts = Object.entries(posterior).map(([name, part]: [string, unknown]) => [
    name,
    typeof part === 'function'
      ? (...given: unknown[]) => withEngine(sharedMemory(), engine, () => part(...given))
      : part,
  ]);
  return Object.fromEntries(parts) as Posterior;
}
