import type { Matrix } from '../../core/matrix.ts';
import { lazily } from '../../core/progressiveWork.ts';
import { type RadialSumNames, radialSumOf } from '../../kernels/structure.ts';
import { denseCurvature } from '../../model/denseCurvature.ts';
import type { DensityStart } from '../../model/language/density.ts';
import type { Observations } from '../../model/language/observations.ts';
import type { FreeEntries, ParameterValues, Search } from '../../model/model.ts';
import { entriesOf, type Parameter } from '../../model/parameter.ts';
import type { Curvature } from '../../model/solver.ts';
import type { Prior } from '../../priors/definePrior.ts';
import { processHessian } from '../../processes/curvature/processHessian.ts';
import type { MadeProcess } from './process.ts';

/** A view of a model, and where its parameters are. */
interface SearchedView {
  readonly path: string;
  readonly process: MadeProcess;
  readonly observations: Observations;
}

/** A model of the family as its search sees it. */
export interface SearchedModel {
  readonly latentDim: number;
  /** True if the latents are points that are searched for, the first of the variables. */
  readonly arePoints: boolean;
  /** Priors in their places: two of one name are distinguished. */
  readonly priors: readonly { readonly path: string; readonly prior: Prior }[];
  readonly views: readonly SearchedView[];
  /** Observations side by side without holes, N×D. */
  readonly observations: () => Matrix;
}

/** Most entries of latents whose Hessian costs less than the evaluations that it saves. */
const MOST_CURVED = 600;

/**
 * The search of a model whose latents X have a field over them, found anew at every X. Its objective falls slowly at first and fast at the end: only
 * its gradient shows where that is. Neighbors' rows are moved together by L-BFGS; where all second derivatives are known, Newton's method follows.
 */
export function searchOnGraph(model: SearchedModel): Search {
  const { arePoints, priors, views, latentDim: columns } = model;
  const graph = priors.map(({ prior }) => prior.search?.graph).find((own) => own !== undefined);
  if (graph === undefined) return {};
  const parameters = [...views.map(({ process }) => process), ...priors.map(({ prior }) => prior)].flatMap(
    (part): Parameter[] => Object.values(part.parameters),
  );
  const { rows } = views[0]!.observations.raw;
  const isBounded = parameters.some(({ free, support }) => free && support === 'box');
  const areRows = arePoints && priors.every(({ prior }) => prior.search?.restrict === undefined);
  if (isBounded || !areRows || graph.size !== rows) return { relativeDecrease: 0 };
  const size = rows * columns;
  const isCurved = size <= MOST_CURVED && familyCurvature(model) !== undefined;
  const solver = async () => {
    const { graphSolver } = await import('../../inference/solvers/smoothedNewton.ts');
    // Latents are the first of the variables.
    return graphSolver({ start: 0, columns, graph }, isCurved);
  };
  return { relativeDecrease: 0, solver };
}

/** The curvature of a model's objective in its natural values. */
type FamilyCurvature = (values: ParameterValues, entries: FreeEntries) => Curvature;

/**
 * The curvature of minus the log density of a model with free latents, views of complete observations with one radial kernel, constants and white
 * noises, and priors that know their Hessian; undefined for another. Parameters must have no priors of their own.
 */
export function familyCurvature({
  arePoints,
  views,
  priors,
  observations,
  latentDim,
}: SearchedModel): FamilyCurvature | undefined {
  if (!arePoints) return undefined;
  if (priors.some(({ prior }) => prior.search?.hessian === undefined || prior.search.restrict !== undefined))
    return undefined;
  const radial = views.map(radialView);
  if (!radial.every((view) => view !== undefined)) return undefined;
  const prepared = lazily(() => priors.map(({ prior }) => prior.prepare?.(startOf(observations(), latentDim))));
  return (values, entries) => {
    const X = values.latents as Matrix;
    const H = new Float64Array(entries.size * entries.size);
    for (const view of radial) addView(H, view, values, X, entries);
    const start = entries.starts.get('latents')!;
    priors.forEach((placed, k) => {
      const path = `${placed.path}.`;
      const own = Object.entries(values).filter(([name]) => name.startsWith(path));
      const p = Object.fromEntries(own.map(([name, value]) => [name.slice(path.length), value]));
      addBlock(H, placed.prior.search!.hessian!(p, X, prepared()[k]), X.data.length, start, entries.size);
    });
    return denseCurvature(
      H.map((entry) => -entry),
      entries.size,
    );
  };
}

/** The latents of a model as a prior of them sees them before the fit. */
const startOf = (observations: Matrix, columns: number): DensityStart => ({
  variable: 'latents',
  rows: observations.rows,
  columns,
  givenColumns: [],
  given: [],
  data: undefined,
  observations,
  isOnChart: false,
  seed: 0,
  batched: false,
});

/** A view whose covariance is one radial kernel with offsets, and its complete observations. */
interface RadialView {
  readonly path: string;
  readonly names: RadialSumNames;
  readonly Y: Matrix;
}

function radialView({ path, process, observations }: SearchedView): RadialView | undefined {
  if (process.inducing !== undefined) return undefined;
  const { kernel, likelihood, parameters } = process;
  const names = radialSumOf(kernel);
  const isPlain = Object.values(parameters).every(({ prior, support }) => prior === undefined && support !== 'box');
  if (names === undefined || !isPlain || observations.present !== undefined || likelihood.conjugate === undefined)
    return undefined;
  if (typeof parameters.noise?.initial !== 'number') return undefined;
  return { path, names, Y: observations.data };
}

/** Adds the Hessian of a view's log density where its variables are. */
function addView(
  H: Float64Array,
  { path, names, Y }: RadialView,
  values: ParameterValues,
  X: Matrix,
  { size, starts }: FreeEntries,
): void {
  const at = (name: string) => `${path}.${name}`;
  const kernel = (name: string) => at(`kernel.${name}`);
  const sum = (paths: readonly string[]) => paths.reduce((total, name) => total + (values[name] as number), 0);
  const constants = names.constants.map(kernel);
  const whites = [...names.whites.map(kernel), at('noise')];
  const lengthscales = entriesOf(values[kernel(names.lengthscale)]!);
  const own = processHessian(
    {
      profile: names.profile,
      variance: sum([kernel(names.variance)]),
      lengthscales,
      constant: sum(constants),
      noise: sum(whites),
    },
    X,
    Y,
  );
  const n = X.data.length;
  const L = lengthscales.length;
  const places: [own: number, place: number][] = [];
  const put = (name: string, first: number, count: number) => {
    const start = starts.get(name);
    for (let i = 0; start !== undefined && i < count; i++) places.push([first + i, start + i]);
  };
  put('latents', 0, n);
  put(kernel(names.variance), n, 1);
  put(kernel(names.lengthscale), n + 1, L);
  for (const name of constants) put(name, n + 1 + L, 1);
  for (const name of whites) put(name, n + 2 + L, 1);
  const width = n + 3 + L;
  for (const [a, i] of places) for (const [b, j] of places) H[i * size + j]! += own[a * width + b]!;
}

function addBlock(H: Float64Array, own: Float64Array, n: number, start: number, size: number): void {
  for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) H[(start + i) * size + start + j]! += own[i * n + j]!;
}
