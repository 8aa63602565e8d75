import * as v from 'valibot';
import { log } from '../../core/elementary/index.ts';
import { InvalidInputError } from '../../core/errors.ts';
import { Matrix } from '../../core/matrix.ts';
import { standardized } from '../../core/observations.ts';
import { typed } from '../../core/options.ts';
import { counted } from '../../core/wording.ts';
import { checkGraph, type Graph, pairKey } from '../../engine/graph/graph.ts';
import type { FieldLearning, Placing, Reconstructing, Spectral } from '../../model/abilities.ts';
import { madeHere } from '../../model/givenModel.ts';
import {
  type Density,
  type DensityLike,
  type DensityStart,
  densityOf,
  type FieldOfRows,
  parametersOf,
} from '../../model/language/density.ts';
import type { Variables } from '../../model/language/graph.ts';
import { fieldPosterior } from '../../model/language/readOff.ts';
import { variablesModel } from '../../model/language/variablesModel.ts';
import type { AnyModel, Model, ModelJSON } from '../../model/model.ts';
import { fixed, type Parameter } from '../../model/parameter.ts';
import type { LearnedByLayer, LearnedField } from '../../model/posterior.ts';

/** Model that learns a random field over points and embeds it by eigenvectors. */
export type FieldModel = Model<WeightPaths, FieldLearning & Placing & Reconstructing & Spectral, 'searched'>;

/** Field model of precomputed distances, which cannot project new observations. */
export type UnplacedFieldModel = Model<WeightPaths, FieldLearning & Spectral, 'searched'>;

/** One weight per candidate edge; `points` lists the fitted points, if they are a subset. */
type WeightPaths = {
  readonly 'field.weights': readonly number[];
  readonly [path: `points${string}`]: readonly number[];
};

/** Initial weights: a graph on the fitted points, such as the graph of an earlier fit. */
export type FieldStart = Graph;

export const startOption = v.optional(typed<FieldStart>());

/** Initial multipliers of a field's weights: the weights of a graph, 0 for other edges. */
export function startingAt(given: FieldStart | undefined, graph: Graph, slack: number, name: string) {
  if (given === undefined) return {};
  const start = checkGraph(given, `${name}, as the option 'start',`, graph.size);
  const known = new Map(
    Array.from(start.sources, (i, e) => [pairKey(i, start.targets[e]!, graph.size), start.weights[e]!]),
  );
  const weights = Array.from(graph.sources, (i, e) =>
    Math.min(4 * slack, known.get(pairKey(i, graph.targets[e]!, graph.size)) ?? 0),
  );
  return { multipliers: { weights } };
}

/** Named model with coordinates read off a field, whose parameters are under `field`. */
export function fieldModel(
  name: string,
  variables: () => Variables,
  { note, toJSON }: { readonly note: string; toJSON(): ModelJSON },
): AnyModel {
  const places = () => ({ path: 'field', term: 'field' });
  return madeHere(variablesModel({ name, variables, places, note: () => note }, undefined, toJSON, fieldPosterior));
}

const FIELD = {
  kind: 'density',
  name: 'field',
  normalized: false,
  exact: true,
  centered: false,
  takesMissing: false,
  independent: false,
} as const;

/** Density of rows with a learned field over them. */
export const rowField = (own: Omit<Density, keyof typeof FIELD>): Density => Object.freeze({ ...FIELD, ...own });

/** Rows of a table that a field is over. */
export interface TableRows {
  /** Fitted rows, if they are a subset: listed under the path `points`. */
  readonly shown?: Int32Array | undefined;
  /** Divisors of the table's columns, if the field is over scaled columns. */
  readonly deviation?: Float64Array | undefined;
  /** Imputation of missing entries, if the field itself does not impute them. */
  readonly imputing?: (byField: LearnedField['impute']) => LearnedField['impute'];
}

/** Adapts a field over rows of a table to new rows in the form of the table. */
export function overTable(
  field: DensityLike,
  { shown, deviation, imputing }: TableRows,
): { readonly density: Density; readonly points: { readonly points?: Parameter } } {
  const own = densityOf(field, 'The field');
  const points = shown === undefined ? {} : { points: fixed(Array.from(shown)) };
  const density: Density = Object.freeze({
    ...own,
    ...(shown && {
      parameters: (start: DensityStart) => ({ ...parametersOf(own, start), ...points }),
    }),
    field: {
      ...own.field,
      learned: (...at: Parameters<FieldOfRows['learned']>) => {
        const learned = own.field!.learned(...at);
        const found = deviation ? inTableUnits(learned, deviation) : learned;
        return imputing ? { ...found, field: { ...found.field, impute: imputing(found.field.impute) } } : found;
      },
    },
  });
  return { density, points };
}

/** Adapts results learned from columns divided by `deviation` to rows in the original units. */
function inTableUnits(learned: LearnedByLayer, deviation: Float64Array): LearnedByLayer {
  const { field, embedding } = learned;
  const divided = (rows: Matrix) => standardized(rows, { mean: new Float64Array(rows.columns), deviation });
  const { reconstruct } = field;
  return {
    ...learned,
    field: {
      ...field,
      ...(reconstruct && {
        reconstruct: async (rows: Matrix) => {
          const { data, columns } = await reconstruct(divided(rows));
          const own = data.map((entry, at) => entry * deviation[at % columns]!);
          return new Matrix(own, rows.rows, columns);
        },
      }),
    },
    ...(embedding && {
      embedding: (...by: Parameters<typeof embedding>) => {
        const found = embedding(...by);
        const { placement } = found;
        if (placement === undefined) return found;
        const place = async (rows: Matrix) => {
          const { logDensity, ...placed } = await placement.place(divided(rows));
          return { ...placed, logDensity: logDensity.map((own, i) => own - logUnits(rows.row(i), deviation)) };
        };
        return { ...found, placement: { ...placement, place } };
      },
    }),
  };
}

/** Log Jacobian between densities of scaled and original entries of a row. */
const logUnits = (row: Float64Array, deviation: Float64Array): number =>
  row.reduce((sum, entry, d) => (Number.isNaN(entry) ? sum : sum + log(deviation[d]!)), 0);

/** Throws if a field over so few points has fewer directions than requested. */
export function checkDimensions(name: string, points: number, latentDim: number): void {
  if (latentDim < points) return;
  throw new InvalidInputError(
    `${name} shows ${points} points in at most ${counted(points - 1, 'dimension')}, but latentDim is ${latentDim}. Choose a smaller \`latentDim\`, or give at least ${latentDim + 1} points.`,
  );
}
