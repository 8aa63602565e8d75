import { Matrix } from '../../../core/matrix.ts';
import { symmetricEigenpairs } from '../../../numerics/dense/eigenpairs.ts';
import { stressBottom } from './unfoldingCertificate.ts';
import type { UnfoldingProblem } from './unfoldingProblem.ts';

/** Eigenvalues of L(w) up to this much above 1 count as 1, at multipliers that meet the conditions to 1e-6. */
const NEAR = 1e-5;

/** A multiplier above this part of the largest one holds its constraint at its bound. */
const ACTIVE = 1e-6;

/** A change of K that the constraints see by less than this part of what they see of others is free. */
const FREE = 1e-9;

/** More eigenvectors than K has dimensions that are looked at. */
const MORE = 3;

/**
 * Whether the optimum of an unfolding is the only one. Every optimum is K = V·M·Vᵀ, V the eigenvectors of L(w) of eigenvalue 1, with the same
 * distances along edges whose constraints are active; so it is the only one when no symmetric M ≠ 0 leaves all of these distances as they are. A
 * rhombus is one of many: its angle changes no edge and, as the squares of its diagonals add up to 4 times that of its sides, no variance.
 *
 * @param rank - of K
 * @param multipliers - at an optimum
 * @see Alfakih, Anjos, Piccialli & Wolkowicz 2011, on uniqueness and dual nondegeneracy
 */
export function isOnlyOptimum(problem: UnfoldingProblem, rank: number, multipliers: Float64Array): boolean {
  const { size: N, sources, targets, mayShrink } = problem;
  const { values, vectors } = stressBottom(problem)(multipliers, Math.min(N - 1, rank + MORE));
  const p = values.filter((value) => value <= 1 + NEAR).length;
  if (p === 0) return true;
  const unknowns = (p * (p + 1)) / 2;
  const largest = multipliers.reduce((most, w) => Math.max(most, Math.abs(w)), 0);
  const seen = Matrix.zeros(unknowns, unknowns);
  const row = new Float64Array(unknowns);
  multipliers.forEach((w, e) => {
    if (mayShrink && w <= ACTIVE * largest) return;
    const apart = Float64Array.from({ length: p }, (_, a) => vectors.at(sources[e]!, a) - vectors.at(targets[e]!, a));
    let place = 0;
    for (let a = 0; a < p; a++) {
      for (let b = 0; b <= a; b++) row[place++] = apart[a]! * apart[b]! * (a === b ? 1 : Math.SQRT2);
    }
    for (let s = 0; s < unknowns; s++)
      for (let t = 0; t < unknowns; t++) seen.data[s * unknowns + t]! += row[s]! * row[t]!;
  });
  const eigenvalues = symmetricEigenpairs(seen).values;
  return eigenvalues[0]! > FREE * eigenvalues[unknowns - 1]!;
}
