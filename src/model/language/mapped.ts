import { InvalidInputError } from '../../core/errors.ts';
import { Matrix } from '../../core/matrix.ts';
import { namedOptions } from '../../core/options.ts';
import { lazily } from '../../core/progressiveWork.ts';
import { matrixTensor, tensorMatrix } from '../../engine/tensors/matrixTensor.ts';
import { imputed } from '../imputation.ts';
import { initialLatents } from '../initialization.ts';
import { valueTensors } from '../valueTensors.ts';
import { pickedMatrix, type SeenData } from './compiled.ts';
import { joinedColumns, type Node, type VariableGraph } from './graph.ts';
import { type MapLike, mapOf } from './map.ts';
import {
  factorsOf,
  type Given,
  givenOf,
  type MappedOptions,
  type MappedStart,
  type MappedVariable,
} from './variable.ts';

/**
 * A variable that is computed from others: decoders, charts such as `circle()`, back-constraints.
 *
 * @param given - the variables that the map is applied to, in its order
 * @param map - `mlpMap()`, `circle()`, one made by `defineMap`, or a function of tensors n×q without parameters
 * @param options - see {@link MappedOptions}
 * @throws InvalidInputError for what is not a variable or not a map
 * @example
 * ```ts
 * const angle = latent({ dim: 1 });
 * const x = mapped(angle, circle());
 * ```
 */
export function mapped<const F = undefined>(
  given: Given,
  map: MapLike,
  options: MappedOptions & { readonly factors?: F } = {},
): MappedVariable<F> {
  const own = namedOptions<MappedOptions>(options, 'mapped', ['factors', 'dim']);
  const list = givenOf(given, 'mapped');
  if (list.length === 0) throw new InvalidInputError('mapped takes at least one variable, but none was given.');
  return Object.freeze<MappedVariable<F>>({
    kind: 'variable',
    role: 'mapped',
    map: mapOf(map),
    given: list,
    factors: factorsOf(own.factors, 'mapped'),
    dim: own.dim,
    '~starts': placeMapped,
  });
}

/** Rows of several variables side by side; of plates with other numbers of rows the first's alone. */
function sameRows(parts: readonly Matrix[]): Matrix {
  return joinedColumns(parts.filter(({ rows }) => rows === parts[0]!.rows));
}

/** Number of columns of a mapped variable, for maps whose parameters need it. */
function mappedColumns({ nodes }: VariableGraph, { name, variable }: Node<MappedVariable>): number {
  if (variable.dim !== undefined) return variable.dim;
  for (const { variable: other, given } of nodes) {
    if (other.role !== 'observed' || !given.includes(name) || other.density.functions === undefined) continue;
    return other.data.columns * other.density.functions;
  }
  return 2;
}

/** Where a mapped variable is to start: at the observations that a decoder is to give, or at principal components, and 0 in columns that these do not fill. */
function mappedTarget(
  { nodes }: VariableGraph,
  seen: ReadonlyMap<string, SeenData>,
  { name }: Node,
  columns: number,
  observations: () => Matrix,
): Matrix {
  for (const { name: child, variable, given } of nodes) {
    if (variable.role !== 'observed' || !given.includes(name) || variable.density.functions === undefined) continue;
    const { density } = variable;
    const data = imputed(seen.get(child)!.data, Math.min(2, variable.data.columns));
    return density.functionStart?.(data) ?? data;
  }
  const rows = observations();
  const available = Math.min(columns, rows.columns, rows.rows - 1);
  return joinedColumns([initialLatents('pca', rows, available), Matrix.zeros(rows.rows, columns - available)]);
}

const placeMapped: MappedStart = (node, { model, seed, observations, starts, place, initialOf }) => {
  const { graph, seen } = model;
  const { name, variable } = node;
  const wide = mappedColumns(graph, node);
  const givenStarts = node.given.map((each, i) => pickedMatrix(model, node.picked[i], starts.get(each)!()));
  const known = node.given.every((each) => graph.nodes.find((other) => other.name === each)!.variable.role === 'known');
  const rows = givenStarts.length === 1 ? givenStarts[0]! : sameRows(givenStarts);
  const isKnown = known && node.given.length === 1;
  if (!isKnown && variable.map.features(rows, rows) !== rows) {
    const parents = node.given.map((each) => `'${each}'`).join(' and ');
    throw new InvalidInputError(
      `The map '${variable.map.name}' of '${name}' of ${model.owner} is a function of rows and of those of the fit, which one known variable has, but ${parents} ${node.given.length === 1 ? 'is inferred' : 'are given'}. ` +
        'Give it one known variable, with all columns side by side, or take a map without features, such as mlpMap().',
    );
  }
  const target = lazily(() => mappedTarget(graph, seen, node, wide, observations));
  const own = variable.map.parameters({
    observations: rows,
    get features() {
      return known ? variable.map.features(rows, rows) : rows;
    },
    get latents() {
      return target();
    },
    latentDim: wide,
    seed,
  });
  place(name, own);
  const inputs = givenStarts.map((own, i) => matrixTensor(model.features(node, i) ?? own));
  return tensorMatrix(model.mapped(node, valueTensors(initialOf(name)), inputs));
};
