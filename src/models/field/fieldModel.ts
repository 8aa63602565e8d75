import * as v from 'valibot';
import { log } from '../../core/elementary/index.ts';
import { InvalidInputError } from '../../core/errors.ts';
import { Matrix } from '../../core/matrix.ts';
import { standardized } from '../../core/observations.ts';
import { lazily } from '../../core/progressiveWork.ts';
import { counted } from '../../core/wording.ts';
import { connectedComponents } from '../../engine/graph/connectedComponents.ts';
import { checkGraph, type Graph, pairKey } from '../../engine/graph/graph.ts';
import { isSparse } from '../../engine/sparse/index.ts';
import { laplacianFactor } from '../../engine/sparse/laplacianFactor.ts';
import type { Rank, Tensor1D } from '../../engine/tensors/tensorflow.ts';
import { checkDistances, constrainedGraph, fieldProblem, fieldWeights } from '../../fields/density/constraints.ts';
import { type CurvedField, curvedField } from '../../fields/density/curvedField.ts';
import { type FieldFactor, fieldDensity, sparseField } from '../../fields/density/fieldDensity.ts';
import {
  type FieldEmbedding,
  fieldEmbedding,
  laplacianField,
  supportOf,
} from '../../fields/embedding/fieldEmbedding.ts';
import type { PlacedField } from '../../fields/placement/placement.ts';
import { denseWeightsSolver } from '../../fields/solvers/denseWeights.ts';
import { kktResidual } from '../../fields/solvers/fieldProblem.ts';
import type { FieldLearning, Placing, Reconstructing, Spectral } from '../../model/abilities.ts';
import { madeHere } from '../../model/givenModel.ts';
import { type Density, type DensityStart, type Entries, parametersOf } from '../../model/language/density.ts';
import { fieldPosterior } from '../../model/language/readOff.ts';
import { embedded, observed } from '../../model/language/variable.ts';
import { variablesModel } from '../../model/language/variablesModel.ts';
import type { AnyModel, Findings, Model, ModelJSON, ParameterValues } from '../../model/model.ts';
import { fixed, type Parameter } from '../../model/parameter.ts';
import type { LearnedByLayer } from '../../model/posterior.ts';
import type { Candidates } from './candidates.ts';

type Learned = Pick<
  FieldParts,
  'squaredDistances' | 'basePrecision' | 'connectingPrecision' | 'notes' | 'slackPenalty'
>;

/** How near the maximum is, as a sentence. */
function violationInWords(kktResidual: number, condition = ''): string {
  return `The optimality conditions hold to ${kktResidual.toExponential(1)} (relative)${condition}.`;
}

/** Description of a learned graph, and of its effect on the embedding. */
export function fieldFindings(parts: Learned, learned: Graph, kktResidual: number, condition = ''): Findings {
  const edges = learned.sources.length;
  const { sizes } = connectedComponents(learned);
  const whole = sizes.length === 1;
  const isFull =
    edges > 0 && edges === parts.squaredDistances.length && learned.weights.every((w) => w >= 4 * parts.slackPenalty);
  // With equal weights between all pairs every direction is an eigenvector, so the embedding is arbitrary.
  const isShapeless = isFull && learned.size > 2 && 2 * edges === learned.size * (learned.size - 1);
  const isDegenerate = edges === 0 || sizes.length > MOST_COMPONENTS * learned.size || isShapeless;
  const shape =
    edges === 0
      ? 'The learned graph is empty, so the embedding means nothing.'
      : `The learned graph has ${edges} of ${parts.squaredDistances.length} edges` +
        (whole
          ? ' and is connected.'
          : ` and ${sizes.length} components, the largest of ${sizes.reduce((most, size) => Math.max(most, size))} points. ` +
            'The first dimensions of the embedding only separate them.');
  return {
    message: `${violationInWords(kktResidual, condition)} ${shape}${whole ? '' : remedy(parts)}${isFull ? limited(parts, isShapeless) : ''}${parts.notes}`,
    kktResidual,
    isDegenerate,
  };
}

/** A graph of more components than this part of the points is no neighborhood graph. */
const MOST_COMPONENTS = 0.5;

function remedy({ basePrecision, connectingPrecision }: Learned): string {
  const connecting = connectingPrecision();
  if (basePrecision <= connecting) return '';
  return ` A basePrecision of ${Number(connecting.toPrecision(4))}, the default, connects all points.`;
}

/** The finding that every weight is at its cap of 4C. */
function limited({ slackPenalty }: Learned, isShapeless: boolean): string {
  const means = isShapeless
    ? 'All pairs have the same weight, so the embedding means nothing.'
    : 'The embedding is that of the candidate edges with equal weights: nothing was learned about them.';
  return ` Every weight is at its limit 4C = ${Number((4 * slackPenalty).toPrecision(4))}. ${means} Give a larger slackPenalty.`;
}

/** A model that learns a random field over points and shows it by eigenvectors. */
export type FieldModel = Model<WeightPaths, FieldLearning & Placing & Reconstructing & Spectral, 'searched'>;

/** One of distances from elsewhere, which cannot place new observations. */
export type UnplacedFieldModel = Model<WeightPaths, FieldLearning & Spectral, 'searched'>;

/** One weight an edge of the graph of candidates; `points`, which points are fitted, where not all are. */
type WeightPaths = {
  readonly 'field.weights': readonly number[];
  readonly [path: `points${string}`]: readonly number[];
};

/** Weights to begin with: a graph on the points that are fitted, such as that of an earlier fit. */
export type FieldStart = Graph;

export const startOption = v.optional(v.any());

/** Differences between the maximum-entropy models. */
export interface FieldParts
  extends Pick<PlacedField, 'neighbors' | 'density'>,
    Partial<Pick<PlacedField, 'observations' | 'distancesTo'>>,
    Pick<EmbeddedField, 'deviation' | 'unitsNote'>,
    Candidates {
  readonly name: string;
  readonly basePrecision: number;
  /** One at which the learned graph is connected. */
  readonly connectingPrecision: () => number;
  readonly copies: number;
  readonly slackPenalty: number;
  readonly latentDim: number;
  readonly embedding: FieldEmbedding;
  readonly start?: FieldStart | undefined;
  toJSON(): ModelJSON;
}

/** The weights among the values of a field's own parameters. */
export const weightsIn = ({ weights }: ParameterValues | Entries): Float64Array =>
  new Float64Array(weights as ArrayLike<number>);

/** A model of points Y ~ field, whose coordinates are read off the field. */
interface EmbeddedField {
  readonly name: string;
  readonly density: Omit<Density, keyof typeof FIELD>;
  /** Y, N×D: without it the field is one of the coordinates, of which it gives what is expected. */
  readonly observations?: Matrix | undefined;
  /** Which points are fitted, where those are not all: held under the path `points`. */
  readonly shown?: Int32Array | undefined;
  readonly latentDim: number;
  readonly embedding?: FieldEmbedding | undefined;
  /** Divisors of the table's columns, where these are not the columns of Y. */
  readonly deviation?: Float64Array | undefined;
  /** A sentence about the units of the columns, for the fit's message. */
  readonly unitsNote: string;
  toJSON(): ModelJSON;
}

const FIELD = {
  kind: 'density',
  name: 'field',
  normalized: false,
  exact: true,
  centered: false,
  takesMissing: true,
  independent: false,
} as const;

/** The model of such a field: its parameters are under `field`. */
export function embeddedField(given: EmbeddedField): AnyModel {
  const { name, observations, shown, latentDim: dim, embedding: by, deviation } = given;
  const points = shown === undefined ? {} : { points: fixed(Array.from(shown)) };
  const { parameters, field } = given.density;
  const density: Density = Object.freeze({
    ...FIELD,
    ...given.density,
    parameters: (start: DensityStart) => ({ ...parametersOf({ parameters }, start), ...points }),
    ...(field &&
      deviation && {
        field: (...at: Parameters<typeof field>) => inOwnUnits(field(...at), deviation),
      }),
  });
  const variables = () => {
    if (observations === undefined) return { x: embedded(density, { dim, by }), ...points };
    const y = observed(observations, { density, missing: 'ignore' });
    return { y, x: embedded(y, { dim, by }), ...points };
  };
  const places = () => ({ path: 'field', term: 'field' });
  const note = () => given.unitsNote;
  return madeHere(variablesModel({ name, variables, places, note }, undefined, () => given.toJSON(), fieldPosterior));
}

/** Lets what was learned from columns divided by `deviation` take rows in the columns' own units. */
function inOwnUnits(learned: LearnedByLayer, deviation: Float64Array): LearnedByLayer {
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

/** Logarithm by which a density of the divided entries of a row is more than that of the entries themselves. */
const logUnits = (row: Float64Array, deviation: Float64Array): number =>
  row.reduce((sum, entry, d) => (Number.isNaN(entry) ? sum : sum + log(deviation[d]!)), 0);

/** Throws where a field over so few points has fewer directions than are asked for. */
export function checkDimensions({
  name,
  graph: { size },
  latentDim,
}: Pick<FieldParts, 'name' | 'graph' | 'latentDim'>): void {
  if (latentDim < size) return;
  throw new InvalidInputError(
    `${name} shows ${size} points in at most ${counted(size - 1, 'dimension')}, but latentDim is ${latentDim}. Choose a smaller latentDim, or give at least ${latentDim + 1} points.`,
  );
}

/** A model that is one maximum-entropy layer on given distances, and the embedding of the field it learns. */
export function fieldModel(given: FieldParts): UnplacedFieldModel {
  const { squaredDistances, basePrecision, copies } = given;
  const slackPenalty = (given.weightBound ?? 4 * given.slackPenalty) / 4;
  checkDimensions(given);
  const graph = constrainedGraph(given.graph);
  const problem = fieldProblem(
    { ...given, slackPenalty },
    checkDistances(squaredDistances, graph, 'maxEntropy', slackPenalty === Infinity),
  );
  const sparse = isSparse(graph);
  const start = lazily(() => startingWeights(fieldWeights(problem), { ...given, slackPenalty }));
  return embeddedField({
    ...given,
    // The field of MPME is one of the coordinates.
    observations: given.density ? given.observations : undefined,
    density: {
      points: graph.size,
      parameters: () => ({ weights: start() }),
      prepare: (): FieldConstants => {
        const curved = sparse ? undefined : curvedField(graph);
        const factor = lazily(() => curved ?? sparseField(laplacianFactor(graph)));
        return { curved, factor, dispose: () => curved?.dispose() };
      },
      logDensity: ({ weights }, _, { constants }) => {
        const { factor } = constants as FieldConstants;
        return fieldDensity(weights as Tensor1D, squaredDistances, factor(), basePrecision, copies);
      },
      search: {
        solver: sparse
          ? async () => (await import('../../fields/solvers/interiorPoint.ts')).sparseWeightsSolver(problem)
          : denseWeightsSolver(problem),
        tolerance: 0,
        relativeDecrease: 0,
      },
      curvature: ({ weights }, constants) =>
        (constants as FieldConstants).curved?.curvature(weights!, basePrecision, copies),
      findings: (p, constants) => {
        const weights = weightsIn(p);
        const { resistances } = (constants as FieldConstants).factor().evaluate(weights, basePrecision);
        return fieldFindings(given, supportOf(graph, weights), kktResidual(problem, weights, resistances));
      },
      field: (p) => learnedField(given, supportOf(graph, weightsIn(p))),
    },
  });
}

/** The factor of a field's precision, made on first use; a dense one has second derivatives too. */
interface FieldConstants {
  readonly factor: () => FieldFactor;
  readonly curved: CurvedField | undefined;
  dispose(): void;
}

/** The weights, starting at those of a graph that is given, or at 4C where they are above it. */
function startingWeights(
  weights: Parameter<Rank.R1>,
  { start: given, graph, name, slackPenalty }: FieldParts,
): Parameter<Rank.R1> {
  if (given === undefined) return weights;
  const start = checkGraph(given, `${name}, as the option 'start',`, graph.size);
  const known = new Map(
    Array.from(start.sources, (i, e) => [pairKey(i, start.targets[e]!, graph.size), start.weights[e]!]),
  );
  const initial = Array.from(graph.sources, (i, e) =>
    Math.min(4 * slackPenalty, known.get(pairKey(i, graph.targets[e]!, graph.size)) ?? 0),
  );
  return { ...weights, initial };
}

// What places points is loaded when it is asked for, as most pages have no use for it.
const placing = () => import('../../fields/placement/placement.ts');

/** The field with this learned graph. */
export function learnedField(parts: FieldParts, graph: Graph): LearnedByLayer {
  const { basePrecision, observations, distancesTo, ties } = parts;
  const field =
    observations === undefined || distancesTo === undefined
      ? undefined
      : { ...parts, graph, observations, distancesTo };
  return {
    graph,
    field: {
      ...laplacianField(graph, basePrecision),
      ...(field !== undefined && { reconstruct: async (Y: Matrix) => (await placing()).reconstructed(field, Y) }),
    },
    embedding: (dim, by) => {
      const found = fieldEmbedding(graph, basePrecision, dim, by);
      for (const points of ties) moveToMean(found.latents, points);
      if (field === undefined) return found;
      const placement = {
        acceptsMissing: true,
        observedColumns: field.observations.columns,
        place: async (Y: Matrix) => (await placing()).placed({ ...field, ...found, embedding: by }, Y),
      };
      return { ...found, placement };
    },
  };
}

/** Gives points that are the same one place. */
function moveToMean({ data, columns }: Matrix, points: readonly number[]): void {
  for (let c = 0; c < columns; c++) {
    const mean = points.reduce((sum, i) => sum + data[i * columns + c]!, 0) / points.length;
    for (const i of points) data[i * columns + c] = mean;
  }
}
