import { Matrix, type MatrixLike } from '../../core/matrix.ts';
import { standardizationOf, standardized } from '../../core/observations.ts';
import { columnsByName, joinedColumns } from '../../core/rowMatrices.ts';
import { centeredBasis, principalAxes, residualOf } from '../../engine/dense/principalComponents.ts';
import type { Node, VariableGraph } from './graph.ts';
import type { KnownVariable, ObservedVariable } from './variable.ts';

/**
 * A known variable, such as covariates, times, or labels as numbers. Its values are required for new rows.
 *
 * @param data - N×c, finite numbers
 * @throws InvalidInputError if the data are not a matrix
 * @example
 * ```ts
 * const time = known(Y.map((_, n) => [n / 10]));
 * ```
 */
export function known(data: MatrixLike): KnownVariable {
  return Object.freeze<KnownVariable>({
    kind: 'variable',
    role: 'known',
    data: Matrix.from(data, 'The data of known'),
    given: Object.freeze([]),
    factors: Object.freeze([]),
    '~beside': besideKnown,
  });
}

/**
 * The observations, with the part removed that known variables explain linearly, in the columns of each variable that has known variables among
 * several parents, directly or by an affine map: otherwise latents initialized at principal components would start at a covariate with a large
 * effect. Unchanged if too few directions would remain.
 */
function besideKnown({ nodes }: VariableGraph, observations: Matrix): Matrix {
  const nodeOf = (name: string) => nodes.find((node) => node.name === name)!;
  const dataOf = ({ variable, given, isPointwise }: Node): Matrix[] => {
    if (!isPointwise) return [];
    if (variable.role === 'known') return [variable.data];
    const parents = variable.role === 'mapped' && variable.map.affine ? given.map(nodeOf) : [];
    return parents.every(({ variable: parent }) => parent.role === 'known') ? parents.flatMap(dataOf) : [];
  };
  const knownBeside = ({ variable, given }: Node): Matrix[] => {
    const known = given.map((name) => dataOf(nodeOf(name))).filter((data) => data.length > 0);
    return variable.role === 'observed' && known.length < given.length ? known.flat() : [];
  };
  if (nodes.every((node) => knownBeside(node).length === 0)) return observations;
  const observed = nodes.filter(({ variable }) => variable.role === 'observed');
  const widths = observed.map(({ name, variable }) => ({ name, columns: (variable as ObservedVariable).data.columns }));
  const own = columnsByName(observations, widths);
  const left = joinedColumns(observed.map((node) => withoutPart(own[node.name]!, knownBeside(node))));
  const widest = Math.max(1, ...nodes.map(({ variable }) => (variable.role === 'latent' ? variable.dim : 1)));
  return enoughOf(left, observations, widest);
}

const withoutPart = (Y: Matrix, known: readonly Matrix[]): Matrix =>
  known.length === 0 ? Y : residualOf(Y, centeredBasis(joinedColumns(known)));

/** Residuals if they vary in enough directions for q latents to start from, otherwise the observations. */
function enoughOf(left: Matrix, observations: Matrix, latentDim: number): Matrix {
  const most = Math.min(latentDim, left.columns, left.rows - 1);
  const centered = standardized(left, standardizationOf(left, true, false));
  return principalAxes(centered, most).scores.columns < most ? observations : left;
}

/** Observations without the part that known rows explain linearly; unchanged if too few directions would remain for q latents to start from. */
export const residualBeside = (known: Matrix, observations: Matrix, latentDim: number): Matrix =>
  enoughOf(withoutPart(observations, [known]), observations, latentDim);
