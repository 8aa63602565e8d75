import type { Embedding } from '../../../model/computation.ts';

/** The term of a model that maximises a trace: the sum of the eigenvalues it keeps, or minus it where it keeps the smallest. */
export function traceTerm(eigenvalues: Float64Array, sign: 1 | -1): Pick<Embedding, 'objective' | 'terms'> {
  const objective = sign * eigenvalues.reduce((sum, value) => sum + value, 0);
  return { objective, terms: { trace: objective } };
}
