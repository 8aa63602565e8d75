import * as v from 'valibot';
import { square } from '../../../core/elementary/index.ts';
import { InvalidInputError } from '../../../core/errors.ts';
import type { Matrix } from '../../../core/matrix.ts';
import { integerFromOne, type OptionsIn, typed } from '../../../core/options.ts';
import { madeHere } from '../../../model/givenModel.ts';
import type { AnyModel } from '../../../model/model.ts';
import type { AnyPosterior, PlacedPosterior, Placement } from '../../../model/posterior.ts';

const unit = v.optional(v.picklist(['unit'], "'unit', or left out"));
const members = {
  /** Number k of eigenvectors; default `latentDim`. */
  vectors: v.optional(integerFromOne),
  /** 'unit': each column is divided by its length over the fitted points, so that eigenvalues have no weight; default as the model defines it. */
  columns: unit,
  /** 'unit': each row, including new ones, is then divided by its length, except rows of zeros. Default unscaled. */
  rows: unit,
};

/**
 * Conversion of eigenvectors to latents, for spectral clustering: use as many as there are clusters, with rows of unit length, as input to `kMeans`.
 *
 * @see Ng, Jordan & Weiss 2002
 */
export interface ReadOut extends OptionsIn<typeof members> {}

export const readOutOptions = {
  /** Conversion of eigenvectors to latents; default unscaled. For spectral clustering: `{ vectors: k, rows: 'unit' }`. */
  embedding: v.optional(typed<ReadOut>(v.strictObject(members))),
};

/** Options of a model whose latents are eigenvectors. */
export interface ReadOutOptions extends OptionsIn<typeof readOutOptions> {}

const fieldReadOutSchema = v.strictObject({
  /** Method; default 'kernelPca'. */
  method: v.optional(v.picklist(['kernelPca', 'eigenmap'])),
  ...members,
});

/** Conversion of a field to latents. */
export interface FieldReadOut extends OptionsIn<typeof fieldReadOutSchema> {}

/** Conversion of a field to latents, by one of two sets of eigenvectors. */
export const fieldReadOutOption = v.optional(
  v.union(
    [v.picklist(['kernelPca', 'eigenmap']), typed<FieldReadOut>(fieldReadOutSchema)],
    "'kernelPca', 'eigenmap' or { method, vectors, columns, rows }",
  ),
  'kernelPca',
);

/** Method and other members of the option `embedding` of a field. */
export function fieldReadOut(given: v.InferOutput<typeof fieldReadOutOption>): {
  readonly method: 'kernelPca' | 'eigenmap';
  readonly readOut: ReadOut;
} {
  if (typeof given === 'string') return { method: given, readOut: {} };
  const { method = 'kernelPca', ...readOut } = given;
  return { method, readOut: readOut as ReadOut };
}

/**
 * Checked options with as many dimensions as eigenvectors.
 *
 * @param options - original options, to distinguish an explicit latentDim from its default
 */
export function withVectors<T extends { readonly latentDim: number; readonly embedding?: unknown }>(
  checked: T,
  options: { readonly latentDim?: number | undefined },
  name: string,
): T {
  const { vectors } = (typeof checked.embedding === 'object' ? checked.embedding : {}) as ReadOut;
  if (vectors === undefined) return checked;
  if (options.latentDim === undefined || options.latentDim === vectors) return { ...checked, latentDim: vectors };
  throw new InvalidInputError(
    `${vectors} vectors were requested from ${name} in embedding, but latentDim is ${options.latentDim}. Leave latentDim out.`,
  );
}

/** Model whose latents, including new rows, are converted by this option. */
export function readAs<M extends AnyModel>(model: M, given: unknown): M {
  const { columns, rows } = (given ?? {}) as ReadOut;
  if (columns === undefined && rows === undefined) return model;
  const posterior = (values: Parameters<M['posterior']>[0]) => {
    const made = model.posterior(values) as AnyPosterior & Partial<PlacedPosterior>;
    const lengths = columns === undefined ? undefined : lengthsOf(made.latents);
    const read = (X: Matrix) => {
      const columned = lengths === undefined ? X : X.map((x, _, c) => x / (lengths[c]! || 1));
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

function lengthsOf({ data, columns }: Matrix): Float64Array {
  const squares = new Float64Array(columns);
  data.forEach((entry, k) => {
    squares[k % columns]! += square(entry);
  });
  return squares.map(Math.sqrt);
}

function withUnitRows(X: Matrix): Matrix {
  const lengths = Float64Array.from({ length: X.rows }, (_, i) => Math.sqrt(X.row(i).reduce((s, x) => s + x * x, 0)));
  return X.map((x, i) => x / (lengths[i]! || 1));
}
