import type { ModelOptions } from '../index.ts';

/** From so many points an evaluation with N×N matrices takes a second and more. */
const MANY_POINTS = 3000;

const bound = 'cost O(N³) an evaluation. --inducing 50 fits a bound of the model at cost O(N·50²).';

/** What fits many points, by model. */
const OFFERS: Readonly<Record<string, string>> = {
  gplvm: bound,
  llGplvm: bound,
  rankGplvm: bound,
  tsneGplvm: bound,
  gplrf: bound,
  dgplvm: bound,
  tpslvm: 'cost O(N³) an evaluation. --centres 50 costs O(N·50²).',
  isomap: 'take an N×N matrix. {"landmarks": 300} in --options takes N×300.',
  mvu: 'are many for this model. isomap with {"landmarks": 300} in --options lays a sheet flat too.',
  classicalMds: 'take an N×N matrix. pca shows the same without it.',
  kernelPca: 'take an N×N matrix. pca takes none.',
  mpme: 'have N² pairs. {"neighbours": 20} in --options joins neighbours only.',
  drill: 'are many for this model. meu learns a graph of neighbours too.',
};
const SPARSE_OPTIONS = ['inducing', 'centres', 'landmarks', 'neighbours'] as const;

/** Says that there is a form of the model without N×N matrices, where that would pay. */
export function sizeNotes(model: string, points: number, options: ModelOptions): string[] {
  const offer = Object.hasOwn(OFFERS, model) ? OFFERS[model] : undefined;
  const isSparse = SPARSE_OPTIONS.some((name) => options[name] !== undefined && offer?.includes(name));
  return points < MANY_POINTS || offer === undefined || isSparse ? [] : [`note: ${points} points ${offer}`];
}
