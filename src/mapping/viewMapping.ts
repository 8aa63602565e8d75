import { lazily } from '../core/inParts.ts';
import { Matrix } from '../core/matrix.ts';
import type { Standardization } from '../core/observations.ts';
import type { ParameterValues } from '../model/model.ts';
import type { Mapping, PredictiveDensity } from '../model/posterior.ts';
import type { Tensor1D, Tensor2D } from '../tensors/tensorflow.ts';
import type { ModelView } from './assembly.ts';
import { quickProcess } from './quickProcess.ts';

/** log p(x) of each row. */
type PointPrior = (X: Tensor2D) => Tensor1D;

/** A mapping that has all abilities. */
type FullMapping = Required<Mapping>;

/** The mapping of one view. */
export interface ViewMapping extends FullMapping {
  /** The density of new observations, with a prior of their latents or without. */
  densityWith(X: Matrix, Y: Matrix, prior: PointPrior | undefined, isRough?: boolean): PredictiveDensity;
}

/** The mapping of one view at a model's values. Its factors are made when first needed. */
export function viewMapping(
  { path, process, patterns, standardization }: ModelView,
  latents: Matrix,
  values: ParameterValues,
  prior: PointPrior | undefined,
): ViewMapping {
  const own = Object.fromEntries(Object.keys(process.parameters).map((key) => [key, values[`${path}.${key}`]!]));
  const conditioned = lazily(() => process.condition(own, latents, patterns, standardization));
  const quick = lazily(() => quickProcess(process, own, latents, patterns, standardization) ?? conditioned());
  const densityWith: ViewMapping['densityWith'] = (X, Y, given, isRough = false) =>
    (isRough ? quick() : conditioned()).predictiveDensity(X, Y, given);
  return {
    observedColumns: standardization.mean.length,
    predict: (X, noise) => conditioned().predict(X, noise),
    sample: (X, random, noise) => conditioned().sample(X, random, noise),
    densityWith,
    predictiveDensity: (X, Y, isRough) => densityWith(X, Y, prior, isRough),
  };
}

/** The mapping to the columns of all views side by side, which are independent given the latents; of one view that view's own. */
export function sideBySideMapping(views: readonly ViewMapping[], prior: PointPrior | undefined): FullMapping {
  if (views.length === 1) return views[0]!;
  return {
    observedColumns: views.reduce((sum, view) => sum + view.observedColumns, 0),
    predict: (X, noise) => {
      const parts = views.map((view) => view.predict(X, noise));
      const joined = (of: 'mean' | 'variance') => sideBySide(parts.map((part) => part[of]));
      return { mean: joined('mean'), variance: joined('variance') };
    },
    sample: (X, random, noise) => sideBySide(views.map((view) => view.sample(X, random, noise))),
    predictiveDensity: (X, Y, isRough) => {
      let from = 0;
      const given = views.map((view) => {
        const own = columnsOf(Y, from, view.observedColumns);
        from += view.observedColumns;
        return { view, own };
      });
      const observed = given.filter(({ own }) => !own.data.every(Number.isNaN));
      // A point has one prior, however many views it is seen in.
      const parts = (observed.length > 0 ? observed : given.slice(0, 1)).map(({ view, own }, i) =>
        view.densityWith(X, own, i === 0 ? prior : undefined, isRough),
      );
      const sum = (of: (part: PredictiveDensity) => Float64Array) =>
        parts.map(of).reduce((total, part) => total.map((entry, i) => entry + part[i]!));
      return {
        density: sum(({ density }) => density),
        posterior: sum(({ posterior }) => posterior),
        gradient: new Matrix(
          sum(({ gradient }) => gradient.data),
          X.rows,
          X.columns,
        ),
      };
    },
  };
}

/** The standardization of the columns of all views. */
export function sideBySideStandardization(views: readonly Pick<ModelView, 'standardization'>[]): Standardization {
  const joined = (of: keyof Standardization) =>
    Float64Array.from(views.flatMap(({ standardization }) => Array.from(standardization[of])));
  return { mean: joined('mean'), deviation: joined('deviation') };
}

/** Matrices of the same rows as one. */
export function sideBySide(parts: readonly Matrix[]): Matrix {
  const [{ rows }] = parts as readonly [Matrix, ...Matrix[]];
  const columns = parts.reduce((sum, part) => sum + part.columns, 0);
  const result = Matrix.zeros(rows, columns);
  for (let i = 0; i < rows; i++) {
    let from = i * columns;
    for (const part of parts) {
      result.data.set(part.row(i), from);
      from += part.columns;
    }
  }
  return result;
}

/** Some columns that lie together. */
export function columnsOf(Y: Matrix, from: number, count: number): Matrix {
  const result = Matrix.zeros(Y.rows, count);
  for (let i = 0; i < Y.rows; i++) result.data.set(Y.row(i).subarray(from, from + count), i * count);
  return result;
}
