import type { Latents } from '../../latents/latents.ts';
import type { PlacedPosterior } from '../../model/posterior.ts';
import type { MapModel } from './mapModel.ts';

/** Latents that are held at those of a fitted map, whose own density places new rows among them. */
export function heldMap(held: Latents, map: MapModel): Latents {
  const onMap: Latents = Object.freeze<Latents>({
    ...held,
    from: () => onMap,
    place: async (Y, latents) => {
      const { placement } = map.posterior({ latents }) as PlacedPosterior;
      return (await placement.place(Y)).latents;
    },
    toJSON: () => {
      // The observations are saved with the view.
      const { observations: _, ...saved } = map.toJSON();
      return { ...held.toJSON(), map: saved };
    },
  });
  return onMap;
}
