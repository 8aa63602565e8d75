import { Matrix, type MatrixLike } from '../../core/matrix.ts';
import { standardizationOf, standardized } from '../../core/observations.ts';
import { centeredBasis, principalAxes, residualOf } from '../../engine/dense/principalComponents.ts';
import { joinedColumns, type Node, type VariableGraph } from './graph.ts';
import type { KnownVariable } from './variable.ts';

/**
 * A known variable: covariates, times, labels as numbers. New rows come with theirs.
 *
 * @param data - N×c, finite numbers
 * @throws InvalidInputError when the data are not a matrix
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
 * The same observations, in the columns of each variable that is given known variables beside others without what the known ones explain of them linearly: latents
 * that started at principal components of all would start at a covariate of large effect. As they are where too few directions would be left.
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

function columnsBetween({ data, rows, columns }: Matrix, from: number, to: number): Matrix {
  return new Matrix(
    data.filter((_, k) => k % columns >= from && k % columns < to),
    rows,
    to - from,
  );
}
