import { Matrix, type MatrixLike } from '../../core/matrix.ts';
import { standardizationOf, standardized } from '../../core/observations.ts';
import { joinedColumns } from '../../core/rowMatrices.ts';
import { centeredBasis, principalAxes, residualOf } from '../../engine/dense/principalComponents.ts';
import type { Node, VariableGraph } from './graph.ts';
import type { KnownVariable } from './variable.ts';

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
 * several parents: otherwise latents initialized at principal components would start at a covariate with a large effect. Unchanged if too few
 * directions would remain.
 */
function besideKnown({ nodes }: VariableGraph, observations: Matrix): Matrix {
  const knownBeside = ({ variable, given }: Node): Matrix[] => {
    const parents = given.map((name) => nodes.find((node) => node.name === name)!);
    const known = parents.filter(({ variable: parent, isPointwise }) => parent.role === 'known' && isPointwise);
    return variable.role === 'observed' && known.length < parents.length
      ? known.map((parent) => (parent.variable as KnownVariable).data)
      : [];
  };
  if (nodes.every((node) => knownBeside(node).length === 0)) return observations;
  let from = 0;
  const parts = nodes.flatMap((node) => {
    if (node.variable.role !== 'observed') return [];
    const { columns } = node.variable.data;
    const own = columnsBetween(observations, from, from + columns);
    from += columns;
    const known = knownBeside(node);
    return [known.length === 0 ? own : residualOf(own, centeredBasis(joinedColumns(known)))];
  });
  const left = joinedColumns(parts);
  const widest = Math.max(1, ...nodes.map(({ variable }) => (variable.role === 'latent' ? variable.dim : 1)));
  const most = Math.min(widest, left.columns, left.rows - 1);
  const centered = standardized(left, standardizationOf(left, true, false));
  return principalAxes(centered, most).scores.columns < most ? observations : left;
}

const columnsBetween = (Y: Matrix, from: number, to: number): Matrix =>
  Matrix.zeros(Y.rows, to - from).map((_, i, j) => Y.at(i, from + j));
