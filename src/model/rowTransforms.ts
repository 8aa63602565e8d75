import { InvalidInputError } from '../core/errors.ts';
import { Matrix } from '../core/matrix.ts';
import { rowsOf } from '../core/rowMatrices.ts';
import type { Rank } from '../engine/tensors/tensorflow.ts';
import { bounded, type Parameter, positive, real, transformOf } from './parameter.ts';
import { increasing, type JointTransform, stickBreaking } from './structuredParameters.ts';
import { type Transform, transforms } from './transform.ts';

/** Constraints on the rows of a latent variable. */
export type RowConstraint = 'positive' | 'simplex' | 'ordered';
const CONSTRAINED: Readonly<Record<RowConstraint, Required<Omit<JointTransform, 'name' | 'title'>>>> = {
  positive: {
    ...transforms.positive(),
    variables: (entries) => entries,
    refuses: (x) => (x.every((entry) => entry > 0) ? undefined : 'numbers above 0'),
  } as JointTransform,
  simplex: stickBreaking,
  ordered: increasing,
};
export const ROW_CONSTRAINTS = Object.keys(CONSTRAINED) as RowConstraint[];

/** The transform of rows under a constraint, applied to each row separately, for rows with this many columns. */
export interface RowTransform
  extends Required<
    Pick<Transform, 'toNatural' | 'toUnconstrained' | 'pullBack' | 'refuses' | 'variables' | 'logJacobian'>
  > {
  /** Number of variables per row. */
  readonly width: number;
}

export function rowTransform(constraint: RowConstraint, columns: number): RowTransform {
  const of = CONSTRAINED[constraint];
  const width = of.variables(columns);
  /** Applies a function to each row; rows have these numbers of entries. */
  const each = (
    lengths: readonly number[],
    result: number,
    f: (...rows: Float64Array[]) => Float64Array,
    ...of: Float64Array[]
  ) => {
    const count = of[0]!.length / lengths[0]!;
    const all = new Float64Array(count * result);
    for (let i = 0; i < count; i++) {
      const rows = of.map((entries, k) => entries.subarray(i * lengths[k]!, (i + 1) * lengths[k]!));
      all.set(f(...rows), i * result);
    }
    return all;
  };
  return {
    width,
    variables: (entries) => (entries / columns) * width,
    toNatural: (u) => each([width], columns, of.toNatural, u),
    toUnconstrained: (x) => each([columns], width, of.toUnconstrained, x),
    pullBack: (gradient, x, u) => each([columns, columns, width], width, of.pullBack, gradient, x, u),
    refuses: (x) => {
      for (let i = 0; i < x.length / columns; i++) {
        const refused = of.refuses(x.subarray(i * columns, (i + 1) * columns));
        if (refused !== undefined)
          return `'${constraint}' in each row, but row index ${i} is not: it is to be ${refused}`;
      }
      return undefined;
    },
    logJacobian: (u) => {
      let value = 0;
      const gradient = each(
        [width],
        width,
        (row) => {
          const own = of.logJacobian(row);
          value += own.value;
          return own.gradient;
        },
        u,
      );
      return { value, gradient };
    },
  };
}

/** A parameter of N×q rows under a constraint, with initial rows that satisfy it. */
export function constrainedRows(constraint: RowConstraint, start: Matrix, name: string): Parameter<Rank.R2> {
  const transform = rowTransform(constraint, start.columns);
  const refused = transform.refuses(start.data);
  if (refused !== undefined) throw new InvalidInputError(`The start of '${name}' must be ${refused}.`);
  if (constraint === 'positive') return positive(start) as Parameter<Rank.R2>;
  const parameter = constraint === 'simplex' ? bounded(0, 1, start) : real(start);
  return Object.freeze({ ...parameter, transform }) as Parameter<Rank.R2>;
}

/** The same parameter of N×q rows with some rows fixed: the solver has variables only for the others. */
export function withHeldRows(points: Parameter<Rank.R2>, rows: readonly number[], at: Matrix): Parameter<Rank.R2> {
  const { rows: N, columns } = points.initial as Matrix;
  const held = new Set(rows);
  const free = Array.from({ length: N }, (_, i) => i).filter((i) => !held.has(i));
  const base = transformOf(points);
  const freeRows = (x: Float64Array) => rowsOf(new Matrix(x, N, columns), free).data;
  const variablesOf = base.variables ?? ((entries: number) => entries);
  const transform: Transform = {
    variables: () => variablesOf(free.length * columns),
    toNatural: (u) => {
      const x = new Float64Array(N * columns);
      const moved = base.toNatural(u);
      free.forEach((row, k) => {
        x.set(moved.subarray(k * columns, (k + 1) * columns), row * columns);
      });
      for (const [k, row] of rows.entries()) x.set(at.row(k), row * columns);
      return x;
    },
    toUnconstrained: (x) => base.toUnconstrained(freeRows(x)),
    pullBack: (gradient, x, u) => base.pullBack(freeRows(gradient), freeRows(x), u),
    ...(base.logJacobian && { logJacobian: (u) => base.logJacobian!(u) }),
    refuses: (x) => {
      const k = rows.findIndex((row, own) => at.row(own).some((entry, d) => entry !== x[row * columns + d]));
      if (k >= 0) return `at its known position: row index ${rows[k]} is to be [${Array.from(at.row(k)).join(', ')}]`;
      return base.refuses?.(freeRows(x));
    },
  };
  return Object.freeze({ ...points, transform });
}
