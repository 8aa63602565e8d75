import type { Posterior } from '../../model/model.ts';
import { type EngineChoice, withEngine } from '../../numerics/dense/index.ts';
import { sharedMemory } from '../../numerics/memory.ts';

/** The posterior with an engine at work in everything that it computes; as it is where none was chosen. */
export function posteriorOn(engine: EngineChoice | undefined, posterior: Posterior): Posterior {
  if (engine === undefined) return posterior;
  const { mapping, views, placement, field, ...rest } = posterior;
  const on = <T extends object>(part: T): T =>
    Object.fromEntries(
      Object.entries(part).map(([name, member]: [string, unknown]) => [
        name,
        typeof member === 'function'
          ? (...given: unknown[]) => withEngine(sharedMemory(), engine, () => member(...given))
          : member,
      ]),
    ) as T;
  return {
    ...on(rest),
    ...(mapping && { mapping: on(mapping) }),
    ...(views && {
      views: Object.fromEntries(Object.entries(views).map(([name, view]) => [name, on(view)])),
    }),
    ...(placement && { placement: on(placement) }),
    ...(field && { field: on(field) }),
  };
}
