import { type Fit, type Geometry, geometry } from 'latentfield';

const POINTS = 40;
let surface: { readonly of: Fit; readonly geometry: Geometry } | undefined;

/** The shortest path among the observations between two places of a fit, in the units that were fitted. Loaded when the first is asked for. */
export function shortestPath(fit: Fit, from: readonly number[], to: readonly number[]) {
  if (surface?.of !== fit) surface = { of: fit, geometry: geometry(fit) };
  return surface.geometry.geodesic([...from], [...to], { points: POINTS });
}
