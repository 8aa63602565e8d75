import { type Fit, type Geometry, geometry } from 'latentfield';

const POINTS = 40;
let surface: { readonly of: Fit; readonly geometry: Geometry } | undefined;

/** Shortest path in the space of the observations between two positions of a fit, in the units of the fit. Loaded on first use. */
export function shortestPath(fit: Fit, from: readonly number[], to: readonly number[]) {
  if (surface?.of !== fit) surface = { of: fit, geometry: geometry(fit) };
  return surface.geometry.geodesic([...from], [...to], { points: POINTS });
}
