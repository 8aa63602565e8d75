import type { FitOutcome } from '../../model/fit.ts';
import type { AnyPosterior } from '../../model/posterior.ts';

/** An outcome that is not finite, in its objective, latents or eigenvalues, has 'failed', whatever its model or solver says, and a message that names what is not. */
export function finiteOutcome(outcome: FitOutcome, { latents, eigenvalues }: AnyPosterior): FitOutcome {
  const place = latents.data.findIndex((entry) => !Number.isFinite(entry));
  const row = Math.floor(place / latents.columns);
  const broken = [
    ...(Number.isFinite(outcome.objective) ? [] : [`the objective is ${outcome.objective}`]),
    ...(place < 0 ? [] : [`row ${row}, column ${place % latents.columns} of the latents is ${latents.data[place]}`]),
    ...(eigenvalues === undefined || eigenvalues.every(Number.isFinite) ? [] : ['an eigenvalue is not finite']),
  ];
  if (broken.length === 0 || outcome.status === 'failed') return outcome;
  const message = `Failed: ${broken.join(' and ')}. Look for points that are the same, columns that are constant and entries of very different size.`;
  return { ...outcome, status: 'failed', message: `${message} ${outcome.message}` };
}
