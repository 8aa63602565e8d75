import * as v from 'valibot';
import { log, square } from '../../core/elementary/index.ts';
import { InvalidInputError } from '../../core/errors.ts';
import { describe, Matrix, type MatrixLike } from '../../core/matrix.ts';
import type { ObservationsLike } from '../../core/namedTable.ts';
import { savedObservations } from '../../core/observations.ts';
import { checkOptions, integerFrom, integerFromOne, type OptionsIn, unknownName } from '../../core/options.ts';
import { seededRandom } from '../../core/random.ts';
import { joinedRows } from '../../core/rowMatrices.ts';
import { counted } from '../../core/wording.ts';
import type { EngineChoice } from '../../engine/dense/index.ts';
import { product } from '../../engine/dense/products.ts';
import type { AnyAbilities } from '../../model/abilities.ts';
import { equalMixture } from '../../model/equalMixture.ts';
import type { Fit } from '../../model/fit.ts';
import type { AnyModel, ModelJSON, ParameterValues } from '../../model/model.ts';
import { plainData } from '../../model/plainData.ts';
import type { Prediction } from '../../model/posterior.ts';
import type { RowsByName } from '../../model/rowModel.ts';
import { entriesOf, entryNames, valueFrom } from '../../model/transform.ts';
import { turnOnto } from '../assessment/stability.ts';
import { createFit } from '../fit/createFit.ts';
import { type ChainState, STATISTICS, type StatisticName } from './chain.ts';
import type { DrawSettings } from './drawOptions.ts';
import { logSumExp } from './givenDraws.ts';
import { csvOf, type InferenceData, inferenceDataOf } from './inferenceData.ts';
import { type LatentDraws, latentDraws, spreadOf } from './latentDraws.ts';
import { type AccuracyOptions, leaveOneOut, rowLikelihoods, variablesOf } from './leaveOneOut.ts';
import { type LeaveOneOut, type PredictiveAccuracy, waic } from './psis.ts';
import { type DrawsSummary, LEAST_ESS, MOST_RHAT, summaryOf, summaryRow } from './summary.ts';
import type { Target } from './target.ts';

/** Draws as plain numbers: the content of a file apart from the model. */
export interface DrawsRecord {
  readonly sampler: string;
  readonly seed: number;
  readonly warmup: number;
  readonly chains: number;
  /** Number of draws per chain, without the warm-up. */
  readonly draws: number;
  readonly variables: readonly { readonly path: string; readonly shape: readonly number[] }[];
  /** Natural values by path: chain by chain, draw by draw, entry by entry. */
  readonly values: Readonly<Record<string, Float64Array>>;
  /** Natural values of fixed parameters. */
  readonly held: ParameterValues;
  /** Statistics, chain by chain, draw by draw. */
  readonly statistics: Readonly<Record<StatisticName, Float64Array>>;
  readonly evaluations: number;
  readonly warmupDivergences: number;
  readonly jittered: number;
  readonly added: readonly string[];
  readonly seconds: number;
}

/** Draws as plain JSON. */
export interface DrawsJSON {
  readonly format: 'latentfield-draws';
  readonly version: 1;
  readonly model: ModelJSON;
  readonly record: unknown;
}

/** Transition whose numerical trajectory diverged from the exact one. */
export interface Divergence {
  readonly chain: number;
  readonly draw: number;
  /** Natural values of the draw by path. */
  readonly values: ParameterValues;
}

/** Options of predictions by draws. */
export interface DrawsPredictOptions extends OptionsIn<typeof predictOptions> {}

/** Options of replicated observations. */
export interface PredictiveOptions extends OptionsIn<typeof predictiveOptions> {}

/** Rows by variable name. */
type RowsGiven = Readonly<Record<string, MatrixLike>>;

/** Positions of new observations, averaged over draws. */
export interface DrawnProjection {
  /** Mean over draws, n×q. If the latents were drawn too, each draw is rotated in the same way as its latents are rotated onto `draws.latents.mean`. */
  readonly latents: Matrix;
  /** Covariance of each point between draws, n of q×q. */
  readonly covariances: readonly Matrix[];
  /** Log of the mean over draws of p(y*|x*), each at the draw's position x*, n entries. */
  readonly logDensity: Float64Array;
}

/** Draws of a posterior, with diagnostics and derived results. */
export interface Draws {
  /** Name of the model. */
  readonly model: string;
  readonly chains: number;
  /** Number of draws per chain, without the warm-up. */
  readonly draws: number;
  /** Names of all scalar quantities: paths, with the position of an entry if there are several (`latents[3, 0]`). */
  readonly names: readonly string[];
  /**
   * Draws of one scalar quantity, chains × draws.
   *
   * @param name - one of `names`
   * @throws InvalidInputError for an unknown name
   */
  values(name: string): Matrix;
  /** Natural values of one draw by path, including fixed parameters. */
  at(chain: number, draw: number): ParameterValues;
  /** Mean, deviation, quantiles, R̂, ESS and MCSE of each parameter, as in R's posterior package; free latents are summarized in `latents`. */
  summary(): DrawsSummary;
  /** Summary of the draws of free latents, if they were drawn. */
  readonly latents: LatentDraws | undefined;
  /** Message on whether the draws can be used, with advice if they cannot. */
  readonly message: string;
  readonly divergences: readonly Divergence[];
  /** Number of doublings of each trajectory, chains × draws. */
  readonly treeDepths: Matrix;
  /** Log density of the variables at each draw, chains × draws. */
  readonly logDensity: Matrix;
  /** Energy Bayesian fraction of missing information of each chain: below 0.3, momenta explore the energies too slowly. */
  readonly ebfmi: Float64Array;
  readonly diagnostics: {
    readonly sampler: string;
    readonly seed: number;
    readonly warmup: number;
    /** Evaluations of the log density, including the warm-up. */
    readonly evaluations: number;
    readonly warmupDivergences: number;
    /** Evaluations that needed jitter, which count as having no density. */
    readonly jittered: number;
    /** Mean acceptance probability of each chain. */
    readonly acceptance: Float64Array;
    /** Step size of each chain. */
    readonly stepSizes: Float64Array;
    readonly seconds: number;
    /** Weak priors that were added. */
    readonly addedPriors: readonly string[];
  };
  /** Fit at the values of one draw, with all abilities of fits. */
  fitAt(chain: number, draw: number): Fit;
  /**
   * Predictive mean and variance at latent points X (n×q), averaged over draws: the variance is the mean of the draws' variances plus the variance of
   * their means.
   */
  predict(X: MatrixLike, options?: DrawsPredictOptions): Prediction;
  /** Predictive mean and variance of each variable that depends on rows, keyed by variable name: for models whose fits accept such rows. */
  predict(rows: RowsGiven, options?: DrawsPredictOptions): Readonly<Record<string, Prediction>>;
  /**
   * Projects new observations (n×D) by a fit at each of some draws: one search per row and draw, so that fewer draws are used than for predictions.
   *
   * @param Y - n×D, NaN where missing, as for `fit.project`
   * @param options - `draws`, the maximum number of draws, evenly spaced (20)
   * @throws InvalidInputError for a model whose fits cannot project, or fewer than two draws
   */
  project(Y: ObservationsLike, options?: { readonly draws?: number | undefined }): Promise<DrawnProjection>;
  /** Draw of new observations at latent points X (n×q), n×D, from the model at one draw, both determined by the seed (0). */
  sample(X: MatrixLike, seed?: number): Matrix;
  /** Draw of each variable that depends on rows, keyed by variable name. */
  sample(rows: RowsGiven, seed?: number): Readonly<Record<string, Matrix>>;
  /** Observations N×D of the model, NaN where missing; undefined for models with several observed variables or views. */
  readonly observations: Matrix | undefined;
  /**
   * Replicated observations N×D at the latents and known rows of some draws, for posterior predictive checks: see `checkPredictive`. `view` selects
   * one of several observed variables.
   */
  predictive(options?: PredictiveOptions): readonly Matrix[];
  /**
   * Leave-one-out cross-validation: over entries for the observations of a Gaussian process, and over rows for models whose rows are independent
   * conditional on latents and parameters. `message` reports which, and how reliable it is.
   *
   * @param options - `draws`: number of draws, evenly spaced; default all of them
   * @throws InvalidInputError for other models
   */
  loo(options?: AccuracyOptions): LeaveOneOut;
  /**
   * Widely applicable information criterion of models whose rows are independent conditional on latents and parameters: see `waic`.
   *
   * @param options - `draws`: number of draws, evenly spaced; default all of them
   * @throws InvalidInputError for other models, including Gaussian processes, whose `loo` has a closed form
   */
  waic(options?: AccuracyOptions): PredictiveAccuracy;
  /** Draws as plain JSON, which `loadDraws` restores bit for bit. */
  toJSON(): DrawsJSON;
  /** JSON form of ArviZ's InferenceData: groups `posterior` and `sample_stats`, each variable as chains × draws × shape. */
  toInferenceData(): InferenceData;
  /** Comma-separated values with one row per draw: chain, draw, and all names. */
  toCSV(): string;
}

/** Builds draws from completed chains. */
export function drawsOf(
  model: AnyModel,
  { open, variables, added }: Target,
  { sampler, seed, warmup, engine }: DrawSettings,
  states: readonly ChainState[],
  seconds: number,
): Draws {
  const count = Math.min(...states.map(({ statistics }) => statistics.energy.length));
  const chains = states.length;
  const values = Object.fromEntries(
    variables.map(({ path, size }) => [path, new Float64Array(chains * count * size)] as const),
  );
  const n = open.size;
  states.forEach(({ draws }, c) => {
    for (let s = 0; s < count; s++) {
      const natural = open.values(draws.subarray(s * n, (s + 1) * n));
      for (const { path, size } of variables) values[path]!.set(entriesOf(natural[path]!), (c * count + s) * size);
    }
  });
  const statistic = (name: StatisticName) => {
    const all = new Float64Array(chains * count);
    states.forEach((state, c) => {
      all.set(state.statistics[name].subarray(0, count), c * count);
    });
    return all;
  };
  const total = (of: 'evaluations' | 'warmupDivergences' | 'jittered') =>
    states.reduce((sum, state) => sum + state[of], 0);
  const free = new Set(variables.map(({ path }) => path));
  const record: DrawsRecord = {
    sampler: sampler.name,
    seed,
    warmup,
    chains,
    draws: count,
    variables: variables.map(({ path, shape }) => ({ path, shape })),
    values,
    held: Object.fromEntries(Object.entries(open.values(open.start)).filter(([path]) => !free.has(path))),
    statistics: Object.fromEntries(STATISTICS.map((name) => [name, statistic(name)])) as DrawsRecord['statistics'],
    evaluations: total('evaluations'),
    warmupDivergences: total('warmupDivergences'),
    jittered: total('jittered'),
    added,
    seconds,
  };
  return createDraws(model, record, engine);
}

const count = v.optional(integerFromOne, 200);
const predictOptions = v.strictObject({
  /** True for the variance of a new observation; default false. */
  noise: v.optional(v.boolean(), false),
  /** View to predict, for models with several. */
  view: v.optional(v.string()),
  /** Maximum number of draws that predictions are averaged over, evenly spaced; default 200. */
  draws: count,
});
const projectOptions = v.strictObject({
  draws: v.optional(integerFrom(2), 20),
});
const predictiveOptions = v.strictObject({
  /** Seed of the replicated observations; default 0. */
  seed: v.optional(v.number('a number'), 0),
  /** Maximum number of draws, evenly spaced; default 200. */
  draws: count,
  /** The observed variable or view; default the only one. */
  view: v.optional(v.string('the name of an observed variable')),
});

/** Builds draws and everything derived from them, from their record. */
export function createDraws(model: AnyModel, record: DrawsRecord, engine?: EngineChoice): Draws {
  const { chains, draws, variables, statistics } = record;
  const places = new Map(
    variables.flatMap(({ path, shape }) =>
      entryNames(path, shape).map((name, entry) => [name, { path, entry }] as const),
    ),
  );
  const sizes = new Map(
    variables.map(({ path, shape }) => [path, shape.reduce((product, length) => product * length, 1)]),
  );
  const byChain = (all: Float64Array) => new Matrix(all.slice(), chains, draws);
  const values = (name: string): Matrix => {
    const place = places.get(name);
    if (place === undefined) {
      const several = variables.find(({ path }) => path === name);
      if (several === undefined)
        throw unknownName('parameter', name, [...places.keys()].slice(0, 12), 'The model of these draws');
      throw new InvalidInputError(
        `'${name}' has shape [${several.shape.join(', ')}]: ask for one of its entries, such as values('${entryNames(name, several.shape)[0]}'), or for at(chain, draw).`,
      );
    }
    const size = sizes.get(place.path)!;
    const all = record.values[place.path]!;
    return Matrix.zeros(chains, draws).map((_, c, s) => all[(c * draws + s) * size + place.entry]!);
  };
  const valuesOf = (k: number): ParameterValues => ({
    ...record.held,
    ...Object.fromEntries(
      variables.map(({ path, shape }) => {
        const size = sizes.get(path)!;
        return [path, valueFrom(record.values[path]!.slice(k * size, (k + 1) * size), shape)];
      }),
    ),
  });
  const placeOf = (chain: number, draw: number) => {
    const isPlace = (place: number, below: number) => Number.isInteger(place) && place >= 0 && place < below;
    if (isPlace(chain, chains) && isPlace(draw, draws)) return chain * draws + draw;
    throw new InvalidInputError(
      `There are ${chains} chains of ${draws} draws, from 0, but draw ${describe(draw)} of chain ${describe(chain)} was requested.`,
    );
  };
  const fitOf = (k: number) =>
    createFit(
      model,
      {
        values: valuesOf(k),
        objective: statistics.logDensity[k]!,
        terms: { density: statistics.logDensity[k]! },
        trace: [],
        status: 'stopped',
        message: `Draw ${k % draws} of chain ${Math.floor(k / draws)}.`,
        diagnostics: {
          engine: engine ?? 'auto',
          evaluations: 0,
          iterations: 0,
          seconds: 0,
          jitter: 0,
          gradientNorm: Number.NaN,
        },
      },
      engine,
      false,
    ) as Fit & Partial<AnyAbilities>;
  const spaced = (most: number) => {
    const all = chains * draws;
    const taken = Math.min(most, all);
    return Array.from({ length: taken }, (_, i) => Math.floor(((i + 0.5) * all) / taken));
  };
  let latents: LatentDraws | undefined;
  const ofLatents = () => {
    const drawn = variables.find(({ path, shape }) => path === 'latents' && shape.length === 2);
    if (drawn === undefined || chains * draws < 2) return undefined;
    latents ??= latentDraws(
      Array.from({ length: chains * draws }, (_, k) => valuesOf(k).latents as Matrix),
      chains,
    );
    return latents;
  };
  /** True for an entry above the diagonal of a Cholesky factor. */
  const isZero = (name: string): boolean => {
    const { path, entry } = places.get(name)!;
    const [rows, columns] = variables.find((variable) => variable.path === path)!.shape;
    const isAbove = rows !== undefined && rows === columns && entry % columns > Math.floor(entry / columns);
    return isAbove && values(name).data.every((value) => value === 0);
  };
  let summarized: DrawsSummary | undefined;
  const summary = () => {
    const names = [...places].filter(([name, { path }]) => path !== 'latents' && !isZero(name)).map(([name]) => name);
    summarized ??= summaryOf(Object.fromEntries(names.map((name) => [name, summaryRow(values(name))])));
    return summarized;
  };
  const means = (all: Float64Array) =>
    Float64Array.from({ length: chains }, (_, c) => {
      const own = all.subarray(c * draws, (c + 1) * draws);
      return own.reduce((sum, entry) => sum + entry, 0) / draws;
    });
  const ebfmi = missingInformation(byChain(statistics.energy));
  const divergences = Array.from(statistics.divergent.keys())
    .filter((k) => statistics.divergent[k] === 1)
    .map((k) => ({ chain: Math.floor(k / draws), draw: k % draws, values: valuesOf(k) }));
  let message: string | undefined;
  return Object.freeze<Draws>({
    model: model.name,
    chains,
    draws,
    names: [...places.keys()],
    values,
    at: (chain, draw) => valuesOf(placeOf(chain, draw)),
    summary,
    get latents() {
      return ofLatents();
    },
    get message() {
      message ??= messageOf(record, summary(), ofLatents(), ebfmi, divergences.length);
      return message;
    },
    divergences,
    treeDepths: byChain(statistics.depth),
    logDensity: byChain(statistics.logDensity),
    ebfmi,
    diagnostics: {
      sampler: record.sampler,
      seed: record.seed,
      warmup: record.warmup,
      evaluations: record.evaluations,
      warmupDivergences: record.warmupDivergences,
      jittered: record.jittered,
      acceptance: means(statistics.acceptance),
      stepSizes: byChain(statistics.stepSize).column(draws - 1),
      seconds: record.seconds,
      addedPriors: record.added,
    },
    fitAt: (chain, draw) => fitOf(placeOf(chain, draw)),
    predict(X: MatrixLike | RowsGiven, options: DrawsPredictOptions = {}) {
      const { noise, view, draws: most } = checkOptions(predictOptions, options, 'predict');
      const all = spaced(most).map((k): Prediction | Readonly<Record<string, Prediction>> =>
        able(fitOf(k), 'predict', model).predict(X as MatrixLike, { noise, ...(view !== undefined && { view }) }),
      );
      if (isPrediction(all[0]!)) return averaged(all as readonly Prediction[]) as never;
      const byName = all as readonly Readonly<Record<string, Prediction>>[];
      const average = (name: string) => averaged(byName.map((predictions) => predictions[name]!));
      return Object.fromEntries(Object.keys(byName[0]!).map((name) => [name, average(name)])) as never;
    },
    async project(Y, options = {}) {
      const { draws: most } = checkOptions(projectOptions, options, 'project');
      if (chains * draws < 2)
        throw new InvalidInputError('There is one draw, but project takes the mean of two at least. Draw more.');
      const onto = ofLatents()?.aligned;
      const places: Matrix[] = [];
      const densities: Float64Array[] = [];
      for (const k of spaced(most)) {
        const fitted = able(fitOf(k), 'project', model);
        const { latents: X, logDensity } = await fitted.project(Y);
        places.push(onto === undefined ? X : product(X, turnOnto(valuesOf(k).latents as Matrix, onto[k]!)));
        densities.push(logDensity);
      }
      const { mean, covariances } = spreadOf(places);
      const logDensity = Float64Array.from(
        { length: mean.rows },
        (_, n) => logSumExp(Float64Array.from(densities, (own) => own[n]!)) - log(densities.length),
      );
      return Object.freeze({ latents: mean, covariances, logDensity });
    },
    sample(X: MatrixLike | RowsGiven, seed = 0) {
      const random = seededRandom(seed);
      const fitted = fitOf(random.integer(chains * draws));
      return able(fitted, 'sample', model).sample(X as MatrixLike, { seed: random.integer(2 ** 31) }) as never;
    },
    get observations() {
      return observationsOf(model, valuesOf(0));
    },
    predictive(options = {}) {
      const { seed, draws: most, view } = checkOptions(predictiveOptions, options, 'predictive');
      const random = seededRandom(seed);
      const { known = [], roots = [] } = variablesOf(model, valuesOf(0)) ?? {};
      return spaced(most).map((k) => {
        const fitted = fitOf(k);
        const { sample } = able(fitted, 'sample', model);
        const drawn = { seed: random.integer(2 ** 31) };
        if (known.length === 0 || known.length + roots.length === 1) {
          return sample(fitted.latents, { ...drawn, ...(view !== undefined && { view }) });
        }
        const { values } = fitted as unknown as { readonly values: RowsByName };
        return chosenOf(sample(values as never, drawn) as unknown as RowsByName, model, view);
      });
    },
    loo: (options) => leaveOneOut(model, { chains, draws, valuesOf, fitOf }, options),
    waic: (options) => waic(rowLikelihoods(model, { chains, draws, valuesOf, fitOf }, options)),
    toJSON: () => ({
      format: 'latentfield-draws',
      version: 1,
      model: model.toJSON(),
      record: plainData({ ...record, held: { ...record.held } }),
    }),
    toInferenceData: () => inferenceDataOf(model.name, record),
    toCSV: () => csvOf([...places.keys()], values, chains, draws),
  });
}

const isPrediction = (found: object): found is Prediction => 'mean' in found && found.mean instanceof Matrix;

function observationsOf(model: AnyModel, values: ParameterValues): Matrix | undefined {
  const saved = savedObservations(model.toJSON());
  if (saved !== undefined) return saved;
  const all = Object.values(variablesOf(model, values)?.observations ?? {});
  return all.length === 1 ? all[0] : undefined;
}

/** Rows of the selected observed variable. */
function chosenOf(drawn: RowsByName, { name }: AnyModel, view: string | undefined): Matrix {
  const names = Object.keys(drawn);
  const chosen = view ?? (names.length === 1 ? names[0]! : undefined);
  if (chosen === undefined) {
    throw new InvalidInputError(
      `The model '${name}' has the observed variables ${names.join(', ')}: name one, as in { view: '${names[0]}' }.`,
    );
  }
  const rows = drawn[chosen];
  if (rows === undefined) throw unknownName('observed variable', chosen, names, `The model '${name}'`);
  return rows;
}

function able(
  fitted: Partial<AnyAbilities>,
  name: 'predict' | 'project' | 'sample',
  { name: model }: AnyModel,
): AnyAbilities {
  if (fitted[name] !== undefined) return fitted as AnyAbilities;
  throw new InvalidInputError(`Fits of '${model}' cannot ${name}, so its draws cannot either.`);
}

function averaged(predictions: readonly Prediction[]): Prediction {
  const all = (of: 'mean' | 'variance') => joinedRows(predictions.map((own) => own[of]));
  const { mean, variance } = equalMixture(all('mean'), all('variance'), predictions.length);
  return { mean, variance };
}

/** Σ(E_s − E_{s−1})²/Σ(E_s − Ē)² of each chain (Betancourt 2016). */
function missingInformation(energies: Matrix): Float64Array {
  return Float64Array.from({ length: energies.rows }, (_, c) => {
    const energy = energies.row(c);
    const mean = energy.reduce((sum, entry) => sum + entry, 0) / energy.length;
    let steps = 0;
    let spread = 0;
    energy.forEach((entry, s) => {
      if (s > 0) steps += square(entry - energy[s - 1]!);
      spread += square(entry - mean);
    });
    return steps / spread;
  });
}

/** Minimum number of free latent points for a message about unmixed draws to advise fixing them. */
const MANY_POINTS = 100;

/** E-BFMI below which a chain explores the energies too slowly. */
const LEAST_EBFMI = 0.3;

/** R̂ within a chain above which it has not explored its map. */
const UNSETTLED = 1.1;

/** Reports which chains draw which map, and how likely these maps are. */
function mapsOf({ modes, chainRHat }: LatentDraws, logDensity: Float64Array, chains: number): string {
  const draws = logDensity.length / chains;
  const level = (of: readonly number[]) => {
    const own = of.map((c) => logDensity.subarray(c * draws, (c + 1) * draws));
    return own.reduce((sum, chain) => sum + chain.reduce((total, entry) => total + entry, 0), 0) / (own.length * draws);
  };
  const named = modes.map(
    ({ chains: of }) =>
      `${of.length === 1 ? 'chain' : 'chains'} ${of.join(', ')} (mean log density ${level(of).toFixed(1)})`,
  );
  const maps =
    modes.length === 1
      ? 'All chains draw one map, whose mean distances agree within a standard deviation.'
      : `The chains draw ${modes.length} different maps, which are in latents.modes: ${named.join('; ')}.`;
  const unsettled = chainRHat.filter((own) => own > UNSETTLED);
  const explored =
    unsettled.length === 0
      ? ''
      : ` ${unsettled.length} of ${chains} chains have not even explored their own mode, with R̂ up to ${Math.max(...unsettled).toFixed(2)} within each.`;
  const still = Array.from(chainRHat).flatMap((own, c) => (Number.isNaN(own) ? [c] : []));
  const stuck =
    still.length === 0
      ? ''
      : ` Distances of ${still.length === 1 ? 'chain' : 'chains'} ${still.join(', ')} never moved.`;
  return maps + explored + stuck;
}

function messageOf(
  { sampler, statistics, jittered, added, chains }: DrawsRecord,
  summary: DrawsSummary,
  latents: LatentDraws | undefined,
  ebfmi: Float64Array,
  divergences: number,
): string {
  const sentences: string[] = [];
  const rows = Object.entries(summary);
  const [name, row] = rows.reduce(
    (worst, entry) => (entry[1].rHat > worst[1].rHat ? entry : worst),
    rows[0] ?? ['', { rHat: 1, essBulk: Infinity, essTail: Infinity }],
  );
  const apart = latents !== undefined && latents.rHat > row.rHat;
  const worst = apart ? latents.rHat : row.rHat;
  const what = apart ? 'the distances between latents' : `'${name}'`;
  const wanted = LEAST_ESS * chains;
  const least = Math.min(latents?.essBulk ?? Infinity, ...rows.flatMap(([, r]) => [r.essBulk, r.essTail]));
  if (chains > 1 && worst > MOST_RHAT) {
    sentences.push(
      `The chains have not mixed: R̂ of ${what} is ${worst.toFixed(3)}, above ${MOST_RHAT}. Draw longer, begin at a fit, or look for modes in a plot of the chains.`,
    );
  }
  if (apart && worst > MOST_RHAT) sentences.push(mapsOf(latents, statistics.logDensity, chains));
  const points = latents?.mean.rows ?? 0;
  if (points >= MANY_POINTS && !(worst <= MOST_RHAT && least >= wanted)) {
    sentences.push(
      `${points} free latent points are many to sample: fix them at a fit with \`hold: ['latents']\` and sample the hyperparameters, or take bayesianGplvm and checkVariational.`,
    );
  }
  if (Number.isNaN(least)) {
    sentences.push(
      'Some values never changed, or have too few draws to estimate an effective sample size: these draws do not describe their uncertainty.',
    );
  } else if (least < wanted) {
    sentences.push(`The least effective sample size is ${least.toFixed(0)}, below ${wanted}: draw more.`);
  }
  if (divergences > 0) {
    sentences.push(
      `${divergences} of ${statistics.divergent.length} transitions diverged, so that the draws may leave a part of the posterior out. Raise targetAcceptance toward 1, as in nuts({ targetAcceptance: 0.95 }), or parameterize scales separately from the values they scale.`,
    );
  }
  const deepest = statistics.depth.reduce((most, entry) => Math.max(most, entry), 0);
  if (sampler === 'nuts' && deepest >= 10) {
    const many = statistics.depth.filter((entry) => entry === deepest).length;
    sentences.push(
      `${many} trajectories had ${deepest} doublings. A dense metric, nuts({ metric: 'dense' }), may shorten them.`,
    );
  }
  const slow = ebfmi.filter((entry) => entry < LEAST_EBFMI).length;
  if (slow > 0 && (sampler === 'nuts' || sampler === 'hmc')) {
    sentences.push(
      `E-BFMI is below ${LEAST_EBFMI} in ${slow} of ${chains} chains: the tails are explored slowly. Draw more, or parameterize scales separately from the values they scale.`,
    );
  }
  if (sentences.length === 0) {
    sentences.push(
      `The chains agree: the largest R̂ is ${worst.toFixed(3)}, the least effective sample size ${least.toFixed(0)}.`,
    );
  }
  if (jittered > 0) {
    sentences.push(
      `${counted(jittered, 'evaluation')} needed jitter and ${jittered === 1 ? 'counts' : 'count'} as having no density. If there are many, the noise is approaching 0: give it a prior that excludes 0.`,
    );
  }
  if (added.length > 0) sentences.push(`Weak priors were added: ${added.join('; ')}.`);
  return sentences.join(' ');
}
