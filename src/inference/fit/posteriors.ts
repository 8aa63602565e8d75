import type { AnyPosterior } from '../../model/posterior.ts';

const posteriors = new WeakMap<object, AnyPosterior>();

/** Keeps a fit's posterior for what is computed of fits by functions rather than by their members. */
export function rememberPosterior<F extends object>(fit: F, posterior: AnyPosterior): F {
  posteriors.set(fit, posterior);
  return fit;
}

/** The posterior of a fit; undefined for what is not a fit, or one that was stopped before it had latents. */
export const posteriorOf = (fit: unknown): AnyPosterior | undefined =>
  typeof fit === 'object' && fit !== null ? posteriors.get(fit) : undefined;
