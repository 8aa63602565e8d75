import * as v from 'valibot';
import { square } from '../../../core/elementary/index.ts';
import { InvalidInputError } from '../../../core/errors.ts';
import { Matrix } from '../../../core/matrix.ts';
import { integerFromOne } from '../../../core/options.ts';
import { madeHere } from '../../../model/givenModel.ts';
import type { AnyModel } from '../../../model/model.ts';
import type { AnyPosterior, PlacedPosterior, Placement } from '../../../model/posterior.ts';

/**
 * How eigenvectors become latents, for spectral clustering: as many as there are clusters, with rows of unit length, go to `kMeans`.
 *
 * @see Ng, Jordan & Weiss 2002
 */
export interface ReadOut {
  /** k, how many eigenvectors are read; default `latentDim`. */
  readonly vectors?: number | undefined;
  /** 'unit': each column is divided by its length over the points of the fit, so that no eigenvalue weighs; as the model has it unless given. */
  readonly columns?: 'unit' | undefined;
  /** 'unit': then each row, that of a new point too, is divided by its length; a row of zeros stays. As they are unless given. */
  readonly rows?: 'unit' | undefined;
}

/** The options of a model whose latents are eigenvectors. */
export interface ReadOutOptions {
  /** How latents are read off the eigenvectors; as they are unless given. For spectral clustering: `{ vectors: k, rows: 'unit' }`. */
  readonly embedding?: ReadOut;
}

const unit = v.optional(v.picklist(['unit'], "'unit', or left out"));
const members = { vectors: v.optional(integerFromOne), columns: unit, rows: unit };
export const readOutOption = v.optional(v.strictObject(members));

/** The same of a field, from which eigenvectors are read by one of two methods. */
export const fieldReadOutOption = v.optional(
  v.union(
    [
      v.picklist(['kernelPca', 'eigenmap']),
      v.strictObject({ method: v.optional(v.picklist(['kernelPca', 'eigenmap'])), ...members }),
    ],
    "'kernelPca', 'eigenmap' or { method, vectors, columns, rows }",
  ),
  'kernelPca',
);

/** How latents are read off a field. */
export interface FieldReadOut extends ReadOut {
  /** 'kernelPca' unless given. */
  readonly method?: 'kernelPca' | 'eigenmap';
}

/** The method and the rest of the option `embedding` of a field. */
export function fieldReadOut(given: v.InferOutput<typeof fieldReadOutOption>): {
  readonly method: 'kernelPca' | 'eigenmap';
  readonly readOut: ReadOut;
} {
  if (typeof given === 'string') return { method: given, readOut: {} };
  const { method = 'kernelPca', ...readOut } = given;
  return { method, readOut: readOut as ReadOut };
}

/**
 * Checked options with as many dimensions as eigenvectors are read.
 *
 * @param options - as they were given, to tell a latentDim from its default
 */
export function withVectors<T extends { readonly latentDim: number; readonly embedding?: unknown }>(
  checked: T,
  options: { readonly latentDim?: number },
  name: string,
): T {
  const { vectors } = (typeof checked.embedding === 'object' ? checked.embedding : {}) as ReadOut;
  if (vectors === undefined) return checked;
  if (options.latentDim === undefined || options.latentDim === vectors) return { ...checked, latentDim: vectors };
  throw new InvalidInputError(
    `${name} was asked for ${vectors} vectors in embedding, but latentDim is ${options.latentDim}. Leave latentDim out.`,
  );
}

/** The model whose latents, and those of new rows, are read off as told. */
export function readAs<M extends AnyModel>(model: M, given: unknown): M {
  const { columns, rows } = (given ?? {}) as ReadOut;
  if (columns === undefined && rows === undefined) return model;
  const posterior = (values: Parameters<M['posterior']>[0]) => {
    const made = model.posterior(values) as AnyPosterior & Partial<PlacedPosterior>;
    const lengths = columns === undefined ? undefined : lengthsOf(made.latents);
    const read = (X: Matrix) => {
      const columned = lengths === undefined ? X : divided(X, (k) => lengths[k % X.columns]!);
      return rows === undefined ? columned : withUnitRows(columned);
    };
    const { placement } = made;
    return {
      ...made,
      latents: read(made.latents),
      ...(placement !== undefined && { placement: placedAs(placement, read) }),
    };
  };
  return madeHere(Object.freeze({ ...model, posterior }));
}

function placedAs(placement: Placement, read: (X: Matrix) => Matrix): Placement {
  return {
    ...placement,
    place: async (Y) => {
      const { latents, ...rest } = await placement.place(Y);
      return { ...rest, latents: read(latents) };
    },
  };
}

const divided = ({ data, rows, columns }: Matrix, by: (index: number) => number): Matrix =>
  new Matrix(
    data.map((entry, k) => entry / (by(k) || 1)),
    rows,
    columns,
  );

function lengthsOf({ data, columns }: Matrix): Float64Array {
  const squares = new Float64Array(columns);
  data.forEach((entry, k) => {
    squares[k % columns]! += square(entry);
  });
  return squares.map(Math.sqrt);
}

function withUnitRows(X: Matrix): Matrix {
  const lengths = Float64Array.from({ length: X.rows }, (_, i) => Math.sqrt(X.row(i).reduce((s, x) => s + x * x, 0)));
  return divided(X, (k) => lengths[Math.floor(k / X.columns)]!);
}
