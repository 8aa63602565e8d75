import type { AnyPosterior } from '../../model/posterior.ts';
import { type EngineChoice, withEngine } from '../../numerics/dense/index.ts';
import { sharedMemory } from '../../numerics/memory.ts';

/** What is computed within it runs on one engine. */
type During = <T>(work: () => T) => T;

/** The same part with an engine at work in all that it computes: its functions, and members that are computed when they are read. */
type Place = (part: object, during: During) => object;

/** Parts of a posterior that compute something themselves. */
const PARTS: Readonly<Record<string, Place>> = {
  mapping: placed({}),
  placement: placed({}),
  distribution: placed({}),
  field: placed({}),
  variables: placed({}),
  views: (views, during) =>
    Object.fromEntries(Object.entries(views).map(([name, view]) => [name, placed({})(view, during)])),
};

/**
 * The posterior with an engine at work in everything that it computes; as it is where none was chosen. What it computes when it is read, such
 * as the graph of a layer, is computed then, not here.
 */
export function posteriorOn(engine: EngineChoice | undefined, posterior: AnyPosterior): AnyPosterior {
  if (engine === undefined) return posterior;
  return placed(PARTS)(posterior, (work) => withEngine(sharedMemory(), engine, work)) as AnyPosterior;
}

function placed(parts: Readonly<Record<string, Place>>): Place {
  return (part, during) => {
    const read = (name: string) => {
      const member: unknown = during(() => Reflect.get(part, name));
      if (typeof member === 'function') return (...given: unknown[]) => during(() => member.apply(part, given));
      const place = parts[name];
      return place !== undefined && typeof member === 'object' && member !== null ? place(member, during) : member;
    };
    const members = Object.keys(part).map((name) => [name, { get: () => read(name), enumerable: true }]);
    return Object.defineProperties({}, Object.fromEntries(members));
  };
}
