import { Matrix } from '../../index.ts';

/** A list of numbers as a matrix of one column. */
export const column = (values: Float64Array): Matrix => new Matrix(Float64Array.from(values), values.length, 1);
