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

/** View of a model, with the paths of its parameters. */
interface SearchedView {
  readonly path: string;
  readonly process: MadeProcess;
  readonly observations: Observations;
}

/** Description of a model of the family for its search. */
export interface SearchedModel {
  readonly latentDim: number;
  /** True if the latents are free points, the first of the variables. */
  readonly arePoints: boolean;
  /** Priors with their paths: two priors of one name are distinguished. */
  readonly priors: readonly { readonly path: string; readonly prior: Prior }[];
  readonly views: readonly SearchedView[];
  /** Concatenated complete observations, N×D. */
  readonly observations: () => Matrix;
}

/** Maximum number of latent entries whose Hessian costs less than the evaluations that it saves. */
const MOST_CURVED = 600;

/**
 * Search for a model with a field over its latents X that is solved again at every X. The objective decreases slowly at first and fast at the end,
 * which only its gradient shows. L-BFGS moves the rows of neighbors together; if all second derivatives are available, Newton's method follows.
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

/** Curvature of a model's objective in its natural values. */
type FamilyCurvature = (values: ParameterValues, entries: FreeEntries) => Curvature;

/**
 * Curvature of the negative log density of a model with free latents, views of complete observations with one radial kernel, constants and white
 * noises, and priors with a Hessian; undefined for other models. Its parameters must not have priors.
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

/** Initial latents as passed to a prior before the fit. */
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

/** View whose covariance is one radial kernel with offsets, and its complete observations. */
interface RadialView {
  readonly path: string;
  readonly names: RadialSumNames;
  readonly Y: Matrix;
}

function radialView({ path, process, observations }: SearchedView): RadialView | undefined {
  if (process.approximation.name !== 'exact') return undefined;
  const { kernel, likelihood, parameters } = process;
  const names = radialSumOf(kernel);
  const isPlain = Object.values(parameters).every(({ prior, support }) => prior === undefined && support !== 'box');
  if (names === undefined || !isPlain || observations.present !== undefined || likelihood.conjugate === undefined)
    return undefined;
  if (typeof parameters.noise?.initial !== 'number') return undefined;
  return { path, names, Y: observations.data };
}

/** Adds the Hessian of a view's log density at its variables. */
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
