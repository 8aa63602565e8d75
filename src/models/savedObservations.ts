import * as v from 'valibot';
import { isScaled, type ScaleOption } from '../core/columnUnits.ts';
import { sin } from '../core/elementary/index.ts';
import { Matrix } from '../core/matrix.ts';
import type { LatentsJSON } from '../latents/latents.ts';
import type { ModelJSON } from '../model/model.ts';

const finite = v.pipe(v.number(), v.finite());

/** Observations as files hold them: null where an entry is missing. */
export const savedRows = v.pipe(
  v.array(v.array(v.nullable(finite))),
  v.transform((rows) => rows.map((row) => row.map((entry) => entry ?? Number.NaN))),
);

/** True if a saved model divides the columns of Y by their deviations. */
export function dividesColumns(json: ModelJSON, Y: Matrix): boolean {
  const { scale, options } = json as { scale?: ScaleOption; options?: { scale?: ScaleOption } };
  return isScaled(Y, scale ?? options?.scale ?? false);
}

export const savedLatents = v.optional(v.custom<LatentsJSON>(isNamed, 'latents with a name'));

function isNamed(value: unknown): boolean {
  return typeof value === 'object' && value !== null && typeof (value as { name?: unknown }).name === 'string';
}

/**
 * A start for latents of a saved model, which has its values already: of any dimension, where a start from the observations would cost, and
 * not be possible of more dimensions than they have.
 */
export const anyStart = (rows: number, latentDim: number): Matrix =>
  new Matrix(
    Float64Array.from({ length: rows * latentDim }, (_, k) => sin(k + 1)),
    rows,
    latentDim,
  );
