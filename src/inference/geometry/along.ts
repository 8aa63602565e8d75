import type { Matrix } from '../../core/matrix.ts';
import type { LatentPlace } from '../../model/abilities.ts';
import type { AnyPosterior } from '../../model/posterior.ts';
import { geometryOf } from './geometry.ts';
import { surfaceOf } from './metricField.ts';

/** Equally spaced points on the geodesic between two latents. */
export function geodesicPoints(
  posterior: Pick<AnyPosterior, 'latents' | 'fitted' | 'variables' | 'mapping'>,
  view: string | undefined,
  from: LatentPlace,
  to: LatentPlace,
  points: number,
): Matrix {
  return geometryOf(surfaceOf(posterior, view, 'interpolate')).geodesic(from, to, { points }).latents;
}
