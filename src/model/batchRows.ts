import { InvalidInputError } from '../core/errors.ts';
import type { Batch } from './model.ts';
import { identity } from './transform.ts';
import type { Variable, VariableLayout } from './variables.ts';

/** The variables of a model in an evaluation on some of the rows: shared ones whole, and the selected rows of the others. */
export interface SeenVariables {
  readonly shape: readonly number[];
  /** Entries of the natural value. */
  readonly natural: Float64Array;
  /** Indices among the solver's variables; undefined where the value is held. */
  readonly unconstrained: Float64Array | undefined;
}

/** Whether a variable has one row a point, of which a batch sees its own only. */
const isSeenInPart = ({ path }: Variable, pointwise: readonly string[] | undefined, batch: Batch | undefined) =>
  batch !== undefined && pointwise?.includes(path) === true;

/**
 * The solver's variables as an evaluation sees them, in the order of the layout.
 *
 * @param x - all of the solver's variables
 * @param pointwise - paths of variables with one row a point
 */
export function seenVariables(
  { variables }: VariableLayout,
  x: Float64Array,
  pointwise: readonly string[] | undefined,
  batch: Batch | undefined,
): SeenVariables[] {
  if (batch === undefined) return allVariables(variables, x);
  return variables.map((variable) => {
    const { start, width, shape, transform, held } = variable;
    const inPart = isSeenInPart(variable, pointwise, batch);
    const rowsOf = (entries: Float64Array) => (inPart ? rowEntries(entries, shape, batch!.rows) : entries);
    const own = inPart ? [batch!.rows.length, ...shape.slice(1)] : shape;
    if (held !== undefined) return { shape: own, natural: rowsOf(held), unconstrained: undefined };
    const unconstrained = rowsOf(x.slice(start, start + width));
    return { shape: own, natural: transform.toNatural(unconstrained), unconstrained };
  });
}

/** Loops: this is a part of every evaluation, however small. */
function allVariables(variables: readonly Variable[], x: Float64Array): SeenVariables[] {
  const seen: SeenVariables[] = [];
  for (let v = 0; v < variables.length; v++) {
    const { start, width, shape, transform, held } = variables[v]!;
    if (held !== undefined) seen.push({ shape, natural: held, unconstrained: undefined });
    else {
      const unconstrained = partOf(x, start, width);
      // A value that is its own variables needs no copy for one evaluation.
      const natural = transform === identity ? unconstrained : transform.toNatural(unconstrained);
      seen.push({ shape, natural, unconstrained });
    }
  }
  return seen;
}

/** Entries from which a view costs less than a copy: one of many is memory that the system has to give first. */
const MANY = 1000;

function partOf(x: Float64Array, start: number, width: number): Float64Array {
  if (width >= MANY) return x.subarray(start, start + width);
  const part = new Float64Array(width);
  for (let i = 0; i < width; i++) part[i] = x[start + i]!;
  return part;
}

/** Natural entries of all points as an evaluation on a batch sees them. */
export function seenEntries(
  { variables }: VariableLayout,
  natural: readonly Float64Array[],
  pointwise: readonly string[] | undefined,
  batch: Batch | undefined,
): readonly Float64Array[] {
  return variables.map((variable, i) =>
    isSeenInPart(variable, pointwise, batch) ? rowEntries(natural[i]!, variable.shape, batch!.rows) : natural[i]!,
  );
}

/** Indices of the solver's variables that a batch involves, in the order of its gradient. */
export function placesOf(
  { variables }: VariableLayout,
  pointwise: readonly string[] | undefined,
  batch: Batch,
): Int32Array {
  const free = variables.filter(({ start }) => start >= 0);
  const lengths = free.map((variable) =>
    isSeenInPart(variable, pointwise, batch) ? batch.rows.length * columnsOf(variable.shape) : variable.width,
  );
  const places = new Int32Array(lengths.reduce((sum, length) => sum + length, 0));
  let at = 0;
  free.forEach((variable, v) => {
    const { start, shape } = variable;
    const c = columnsOf(shape);
    const inPart = isSeenInPart(variable, pointwise, batch);
    for (let k = 0; k < lengths[v]!; k++) {
      places[at++] = start + (inPart ? batch.rows[Math.floor(k / c)]! * c + (k % c) : k);
    }
  });
  return places;
}

const columnsOf = (shape: readonly number[]) => shape.slice(1).reduce((product, length) => product * length, 1);

function rowEntries(entries: Float64Array, shape: readonly number[], rows: Int32Array): Float64Array {
  const c = columnsOf(shape);
  const result = new Float64Array(rows.length * c);
  rows.forEach((row, i) => {
    result.set(entries.subarray(row * c, (row + 1) * c), i * c);
  });
  return result;
}

/**
 * Refuses parameters that are said to have one row a point and have not, and priors of theirs: a batch would see a part of them.
 *
 * @throws InvalidInputError that names the path
 */
export function checkPointwise(
  { variables }: VariableLayout,
  pointwise: readonly string[] | undefined,
  points: number,
): void {
  for (const path of pointwise ?? []) {
    const variable = variables.find((own) => own.path === path);
    if (variable?.shape[0] !== points) {
      throw new InvalidInputError(
        `'${path}' is said to have a row for each of ${points} points, but ${variable === undefined ? 'the model has no such parameter' : `its shape is [${variable.shape.join(', ')}]`}.`,
      );
    }
    if (variable.parameter.prior === undefined) continue;
    throw new InvalidInputError(
      `The prior of '${path}' is on the rows of all points, of which a batch sees some. Make it one of the model's terms, or fit without batches.`,
    );
  }
}
