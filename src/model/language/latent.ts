import { log } from '../../core/elementary/index.ts';
import { InvalidInputError } from '../../core/errors.ts';
import { describe, Matrix } from '../../core/matrix.ts';
import { checkOptions, isPart } from '../../core/options.ts';
import { completed, lazily, type ProgressiveWork } from '../../core/progressiveWork.ts';
import { seededRandom } from '../../core/random.ts';
import { joinedColumns } from '../../core/rowMatrices.ts';
import { shortNumber } from '../../core/wording.ts';
import { initialLatents, keptInit, spreadNote } from '../initialization.ts';
import { type Parameter, positive, real } from '../parameter.ts';
import { constrainedRows, rowTransform, withHeldRows } from '../rowTransforms.ts';
import { latentRowsAt, type StartMaps, startFunctions } from './compiled.ts';
import { type DensityLike, densityOf, type RowsStart } from './density.ts';
import type { Node, PlacedDensity, VariableGraph } from './graph.ts';
import { checkConstraint, drawnTo, heldRows } from './heldRows.ts';
import type { Chart } from './mapped.ts';
import type { Observations } from './observations.ts';
import {
  type BesideKnown,
  factorsOf,
  givenOf,
  isEncoded,
  type KnownVariable,
  type LatentPosterior,
  type LatentStarts,
  type LatentVariable,
  type LatentVariableOptions,
  latentSchema,
  type ParameterRegistry,
  POINTS,
  type PointRows,
  pointsOf,
} from './variable.ts';

/** Rows other than one per point: a count, 'outputs', or the name of a known variable. */
type PlateRows = number | string | undefined;

/**
 * A latent variable: a value that is inferred, N×dim unless `rows` is set.
 *
 * @param options - see {@link LatentVariableOptions}
 * @throws InvalidInputError for an unknown option, a dimension that is not a whole number from 1, or an invalid density
 * @example
 * ```ts
 * const z = latent({ dim: 2, density: standardNormal() });
 * const h = latent({ dim: 3, density: gaussianProcess({ kernel: rbf({ variance: fixed(1) }), noise: fixed(0.01) }), given: z });
 * ```
 */
export function latent<
  D extends DensityLike | undefined = undefined,
  const F = undefined,
  const R extends PlateRows = undefined,
>(
  options: LatentVariableOptions & { readonly density?: D; readonly factors?: F; readonly rows?: R },
): LatentVariable<D, F, R> {
  const own = checkOptions(latentSchema, options, 'latent');
  const { dim, density, given, factors, posterior, transform, rows } = own;
  const init = keptInit(own.init ?? 'pca');
  if (own.init !== undefined && isHeld(posterior)) {
    throw new InvalidInputError(
      "Option 'init' of latent is for variables that are searched for: fixedAt(X) fixes the variable at X.",
    );
  }
  if (density === undefined && given !== undefined) {
    throw new InvalidInputError("Option 'given' of latent is for its density. Give the density too.");
  }
  const held = own.held === undefined ? undefined : heldRows(own.held, dim, posterior);
  const said = density === undefined ? undefined : densityOf(density, "Option 'density' of latent");
  checkConstraint(transform, own);
  if (said?.support !== undefined && transform === undefined) {
    throw new InvalidInputError(
      `Rows of a latent variable are any numbers, but an observation of ${said.support.of} is not. Set transform: 'positive', 'simplex' or 'ordered', or give it a density of any numbers and map them: mapped(z, op.exp).`,
    );
  }
  return Object.freeze<LatentVariable<D, F, R>>({
    kind: 'variable',
    role: 'latent',
    dim,
    density: said,
    given: givenOf(given, 'latent'),
    factors: [
      ...factorsOf(factors, 'latent'),
      ...(held === undefined || held.isFixed ? [] : [drawnTo(held, own.held!.strength!)]),
    ],
    init,
    posterior: posteriorOf(posterior),
    transform,
    held,
    rows: rows as R,
    '~starts': LATENT_STARTS,
  });
}

const isHeld = (posterior: LatentPosterior) =>
  isPart(posterior, 'latents', []) && (posterior as PointRows).name === 'fixedAt';

function posteriorOf(posterior: LatentPosterior): LatentVariable['posterior'] {
  if (posterior === 'point') return undefined;
  if (typeof posterior === 'object' && posterior?.kind === 'density' && posterior.name === 'gaussian') {
    return { variance: posterior.parameters.noise ?? positive(0.01) };
  }
  const isRows = ['latents', 'latentDistribution'].some((kind) =>
    isPart(posterior, kind, ['parameters', 'features', 'apply']),
  );
  if (isRows || isPart(posterior, 'posterior', [])) return posterior as LatentVariable['posterior'];
  throw new InvalidInputError(
    `Option 'posterior' of latent is 'point', fixedAt(X), backConstrained(map), gaussianLatents(), encoded(map), gaussian({ variance }) or gaussian({ encoder }), but ${describe(posterior)} was given.`,
  );
}

/** Initialization of latents: at maps of the observations by `init: 'tsne'`, at coordinates on a chart if these have a higher log density, or by `startedRows`. */
const LATENT_STARTS: LatentStarts = {
  begin: startedRows,
  observations: latentObservations,
  note: ({ init, posterior }) =>
    spreadNote(posterior !== undefined && 'init' in posterior && init === 'pca' ? posterior.init : init),
  choose: (graph, seen, { startedAt, densityAt }, model) => {
    if (graph.nodes.some(startsAtMap)) {
      return async ({ drive = async <T>(work: ProgressiveWork<T>) => completed(work), maxSeconds }) => {
        const maps = await mapsOf(graph, seen, drive);
        const message =
          maps === undefined
            ? ` The latents started at the principal components, as a t-SNE map takes more than its ${shortNumber(maxSeconds!)} seconds.`
            : ' The latents started at a t-SNE map.';
        return { model: startedAt({ ...maps, ...(await chartMapsOf(graph, seen))[0]?.maps }), message };
      };
    }
    if (!graph.nodes.some((node) => startsOnChart(graph, node))) return undefined;
    return async ({ seed }) => {
      let [best, density, message] = [startedAt({}), densityAt(model, seed), ''];
      for (const { owner, maps } of await chartMapsOf(graph, seen)) {
        const onChart = startedAt(maps);
        const own = densityAt(onChart, seed);
        if (own <= density) continue;
        [best, density] = [onChart, own];
        message = ` The latents started at ${owner} coordinates on their chart.`;
      }
      return { model: best, message };
    };
  },
};

/** Registers the parameters of a latent variable's posterior, and returns its initial rows. */
function startedRows(node: Node<LatentVariable>, registry: ParameterRegistry): () => Matrix {
  const { model, parameters, pointwise, maps, seed, observations, functions, spreads, rowCount, register } = registry;
  const { graph } = model;
  const left = lazily(() => besideKnown(graph, functions()));
  const { name, variable } = node;
  const { posterior } = variable;
  if (isEncoded(variable) && !node.isPointwise) {
    throw new InvalidInputError(
      `'${name}' of ${model.owner} has not one row per point, but its posterior is computed from the observations of each point. Give it gaussianLatents(), or leave rows out.`,
    );
  }
  const rows = rowCount(variable);
  const chart = variable.transform === undefined ? chartOf(graph, name) : undefined;
  const startOf = (): Matrix =>
    withPositions(variable.transform === undefined ? anyStart(variable.dim) : constrainedStart());
  const withPositions = (start: Matrix): Matrix => {
    if (variable.held === undefined) return start;
    const { rows, at } = variable.held;
    const beyond = rows.find((row) => row >= start.rows);
    if (beyond !== undefined || rows.length >= start.rows) {
      throw new InvalidInputError(
        beyond === undefined
          ? `Option 'held' of '${name}' lists all ${start.rows} rows. Use posterior: fixedAt(X).`
          : `Option 'held' of '${name}' lists row index ${beyond}, but there are ${start.rows} rows.`,
      );
    }
    const placed = Matrix.from(start);
    for (const [k, row] of rows.entries()) placed.data.set(at.row(k), row * placed.columns);
    return placed;
  };
  const constrainedStart = () => {
    const { init, dim, transform } = variable;
    const { width, toNatural } = rowTransform(transform!, dim);
    if (init !== 'pca' && init !== 'random') return anyStart(dim);
    const begun = anyStart(width);
    return new Matrix(toNatural(begun.data), begun.rows, dim);
  };
  const anyStart = (dim: number) =>
    maps?.[name] ??
    (chart?.start !== undefined && variable.init === 'pca' && node.isPointwise
      ? chart.start(initialLatents('pca', left(), Math.min(chart.components!, left().columns, rows - 1)))
      : latentStart(variable.init === 'tsne' ? 'pca' : variable.init, dim, rows, node.isPointwise, left, seed, name));
  if (posterior !== undefined && 'features' in posterior) {
    const isSpread = posterior.kind === 'latentDistribution';
    // Rows other than one per point are independent of the observations.
    const isOwn = node.isPointwise && variable.init === 'pca' && maps?.[name] === undefined;
    const elsewhere = isOwn ? undefined : startOf();
    const begun = elsewhere === undefined ? posterior : posterior.from(elsewhere);
    const seen = node.isPointwise ? (posterior.mapsObservations ? observations() : left()) : elsewhere!;
    const all = begun.parameters(seen, variable.dim, seed);
    const own = isSpread ? all : restrictedPoints(node, all);
    // Separate from parameters of the density, which may have the same names.
    const prefix = isSpread && !graph.isNamed ? `${name}.posterior` : name;
    const pathOf = (key: string) => prefix + key.slice(POINTS.length);
    register(pointsOf(name), own, pathOf);
    const ofPoints = isSpread ? posterior.pointwise : Object.keys(own).filter((key) => key === POINTS);
    if (node.isPointwise) pointwise.push(...ofPoints.map(pathOf));
    const started = lazily((): RowsStart => {
      const inputs = posterior.mapsObservations ? model.encoderInputs(node) : undefined;
      return latentRowsAt(model, node, registry.initialOf(pointsOf(name)), inputs);
    });
    if (isSpread) spreads.set(name, started);
    return () => started().mean;
  }
  const start = startOf();
  if (posterior === undefined) {
    const restriction = restrictionOf(node);
    const { transform, held } = variable;
    const rowsAt = transform === undefined ? real(start) : constrainedRows(transform, start, name);
    const points = held?.isFixed ? withHeldRows(rowsAt, held.rows, held.at) : rowsAt;
    if (restriction !== undefined && (transform !== undefined || held?.isFixed)) {
      throw new InvalidInputError(
        `The prior '${restriction.term}' restricts the latents, so '${name}' cannot have ${transform === undefined ? 'held rows' : 'a transform'} too. Leave one of them out.`,
      );
    }
    parameters[name] = restriction === undefined ? points : restriction.density.search!.restrict!(points);
    if (node.isPointwise) pointwise.push(name);
  } else if ('encoder' in posterior) {
    const inputs = lazily(() => model.encoderInputs(node));
    spreads.set(name, () => ({
      mean: start,
      variance: new Matrix(new Float64Array(start.data.length).fill(ENCODED_VARIANCE), start.rows, start.columns),
    }));
    register(
      `${name}.posterior`,
      posterior.encoder.parameters({
        observations: observations(),
        get features() {
          return inputs();
        },
        get latents() {
          const spread = new Float64Array(start.data.length).fill(log(ENCODED_VARIANCE));
          return joinedColumns([start, new Matrix(spread, start.rows, start.columns)]);
        },
        latentDim: 2 * variable.dim,
        seed,
      }),
    );
  } else {
    const { initial } = posterior.variance;
    const spread = typeof initial === 'number' ? initial : ENCODED_VARIANCE;
    const variance = new Matrix(new Float64Array(start.data.length).fill(spread), start.rows, start.columns);
    parameters[`${name}.posterior.mean`] = real(start);
    parameters[`${name}.posterior.variance`] = positive(variance);
    spreads.set(name, () => ({ mean: start, variance }));
    if (node.isPointwise) pointwise.push(`${name}.posterior.mean`, `${name}.posterior.variance`);
  }
  return () => start;
}

/** The observations, without the part explained by known variables, if there are any. */
function besideKnown(graph: VariableGraph, observations: Matrix): Matrix {
  const known = graph.nodes.find(({ variable, isPointwise }) => variable.role === 'known' && isPointwise)?.variable;
  return known === undefined ? observations : ((known as KnownVariable)['~beside'] as BesideKnown)(graph, observations);
}

const restrictionOf = ({ densities }: Node): PlacedDensity | undefined =>
  densities.find(({ density }) => density.search?.restrict !== undefined);

/** Parameters of points, restricted to moves that the variable's densities allow. */
function restrictedPoints(
  node: Node,
  parameters: Readonly<Record<string, Parameter>>,
): Readonly<Record<string, Parameter>> {
  const restriction = restrictionOf(node);
  if (restriction === undefined) return parameters;
  const { [POINTS]: points } = parameters;
  if (points !== undefined) return { ...parameters, [POINTS]: restriction.density.search!.restrict!(points) };
  throw new InvalidInputError(
    `The prior '${restriction.term}' restricts the latents, which only free ones allow, but here they follow from other parameters. ` +
      `Use free latents, or a form of the prior that does not restrict them (rank({ energy: 'free' })).`,
  );
}

/** Initial variance of encoders. */
const ENCODED_VARIANCE = 0.01;

/** The chart of a map with this variable as its only input, if there is one. */
function chartOf({ nodes }: VariableGraph, name: string): Chart | undefined {
  for (const { variable, given } of nodes) {
    if (variable.role === 'mapped' && given.length === 1 && given[0] === name && variable.map.chart)
      return variable.map.chart;
  }
  return undefined;
}

function latentStart(
  init: 'pca' | 'random' | unknown,
  dim: number,
  rows: number,
  isPointwise: boolean,
  observations: () => Matrix,
  seed: number,
  name: string,
): Matrix {
  if (init === 'random' || (init === 'pca' && !isPointwise)) {
    // A separate stream for each variable.
    const stream = Array.from(name).reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 1_000_003, 7);
    const random = seededRandom(seed + stream);
    return Matrix.zeros(rows, dim).map(() => random.normal());
  }
  if (!isPointwise) {
    const given = Matrix.from(init as number[][], `Option 'init' of '${name}'`);
    if (given.rows === rows && given.columns === dim) return given;
    throw new InvalidInputError(
      `Option 'init' of '${name}' must be ${rows}×${dim}, but a ${given.rows}×${given.columns} matrix was given.`,
    );
  }
  if (init !== 'pca') return initialLatents(init as number[][], observations(), dim);
  const available = Math.min(dim, observations().columns, rows - 1);
  if (available === dim) return initialLatents('pca', observations(), dim);
  // More dimensions than observed columns: what principal components leave starts at random, small.
  const first = initialLatents('pca', observations(), available);
  const random = latentStart('random', dim - available, rows, true, observations, seed, name);
  return joinedColumns([first, random.map((entry) => 0.1 * entry)]);
}

const startsAtMap = ({ variable, isPointwise }: Node) =>
  isPointwise && variable.role === 'latent' && variable.init === 'tsne';

/** Observations for initializing latents, without the part explained by known variables. */
function latentObservations(graph: VariableGraph, seen: ReadonlyMap<string, Observations>): Matrix {
  return besideKnown(graph, startFunctions(graph, seen));
}

/** Maps of the observations in the model's units, for variables that start at one; undefined if time is too short. */
async function mapsOf(
  graph: VariableGraph,
  seen: ReadonlyMap<string, Observations>,
  drive: Driver,
): Promise<StartMaps | undefined> {
  const { tsneMapOf } = await import('../../later.ts');
  const observations = latentObservations(graph, seen);
  const maps: Record<string, Matrix> = {};
  for (const node of graph.nodes.filter(startsAtMap)) {
    const map = await drive(tsneMapOf(observations, node as Node<LatentVariable>));
    if (map === undefined) return undefined;
    maps[node.name] = map;
  }
  return maps;
}

/** Runs work to its end; returns undefined if its time limit is exceeded. */
type Driver = <T>(work: ProgressiveWork<T>) => Promise<T | undefined>;

/** True for a variable on a chart that is initialized from its observations. */
const startsOnChart = (graph: VariableGraph, { name, variable, isPointwise }: Node): boolean =>
  isPointwise && variable.role === 'latent' && variable.init === 'pca' && chartOf(graph, name)?.start !== undefined;

/** Initial coordinates on charts, for variables that have one, computed from maps of the observations; `owner` names the map. */
async function chartMapsOf(
  graph: VariableGraph,
  seen: ReadonlyMap<string, Observations>,
): Promise<readonly { readonly owner: string; readonly maps: StartMaps }[]> {
  const nodes = graph.nodes.filter((node) => startsOnChart(graph, node));
  if (nodes.length === 0) return [];
  const { manifoldMaps } = await import('../../later.ts');
  const observations = latentObservations(graph, seen);
  const charts = nodes.map(({ name }) => [name, chartOf(graph, name)!] as const);
  const widest = Math.max(...charts.map(([, { components }]) => components!));
  return manifoldMaps(observations, Math.min(widest, observations.rows - 1)).map(({ owner, map }) => ({
    owner,
    maps: Object.fromEntries(charts.map(([name, { start }]) => [name, start!(map)])),
  }));
}
