import { log } from '../../core/elementary/index.ts';
import { InvalidInputError, type LatentFieldError, NumericalError } from '../../core/errors.ts';
import { unknownName } from '../../core/options.ts';
import { type Random, seededRandom } from '../../core/random.ts';
import type { EngineChoice } from '../../engine/dense/index.ts';
import { withFloat64 } from '../../engine/tensors/float64/scope.ts';
import { logNormal, normal } from '../../model/entrywise/families.ts';
import { assemblyOf, checkModelGiven } from '../../model/givenModel.ts';
import { termsOfObservations } from '../../model/language/variablesModel.ts';
import type { AnyModel, ParameterValues } from '../../model/model.ts';
import { evaluate, logDensityOf, type OpenModel } from '../../model/open.ts';
import type { Parameter } from '../../model/parameter.ts';
import { entriesOf } from '../../model/transform.ts';
import { layOut, type Variable } from '../../model/variables.ts';
import { type GivenStart, valuesGiven } from '../fit/fitProblem.ts';
import type { SampledDensity } from './samplers/sampler.ts';

/** Options of the target density. */
export interface TargetOptions {
  readonly seed: number;
  readonly start: GivenStart | undefined;
  readonly hold: readonly string[];
  readonly priors?: 'weak' | 'inTerms' | undefined;
  readonly engine?: EngineChoice | undefined;
}

/** Posterior of a model as a density of unconstrained variables. */
export interface Target {
  readonly open: OpenModel;
  /** Parameters that are sampled. */
  readonly variables: readonly Variable[];
  /** Density; −Infinity where it is undefined, or defined only with jitter. */
  readonly density: SampledDensity;
  /** Number of evaluations so far that needed jitter. */
  jittered(): number;
  /** Descriptions of the priors that were added to make it proper. */
  readonly added: readonly string[];
  /** Reason why a term is not finite at x; undefined if all terms are finite. */
  whyNot(x: Float64Array): string | undefined;
}

/** Standard deviation of the logarithm of a positive parameter under a weak prior: its 95 % interval is 1/400 to 400 times its start. */
const WEAK_DEVIATION = 3;
/** Standard deviation of a real parameter under a weak prior, in units of the largest entry of its start, at least 1. */
const WEAK_REAL = 10;

/**
 * Opens the posterior of a model with some parameters fixed.
 *
 * @throws InvalidInputError for a model without a posterior, an unknown path, and a free parameter without a prior unless weak priors are requested
 */
export function openTarget(model: AnyModel, { seed, start, hold, priors, engine }: TargetOptions): Target {
  checkModelGiven(model, 'samplePosterior');
  checkHasPosterior(model);
  const values = start === undefined ? {} : valuesGiven(layOut(parametersOf(model, seed)), start);
  const held = changed(model, (parameters) => {
    const paths = Object.keys(parameters);
    for (const path of [...hold, ...Object.keys(values)]) {
      if (!paths.includes(path)) throw unknownName('parameter', path, paths, 'The model');
    }
    return Object.fromEntries(
      Object.entries(parameters).map(([path, parameter]) => [
        path,
        { ...parameter, initial: values[path] ?? parameter.initial, free: parameter.free && !hold.includes(path) },
      ]),
    );
  });
  const lacking = priors === 'inTerms' ? [] : withoutPrior(held, seed);
  // Values of priors are parameters of these, which take no further prior from here.
  const refused = priors === 'weak' ? lacking.filter(({ path }) => path.includes('.prior.')) : lacking;
  if (refused.length > 0) throw improper(refused.map(({ path }) => path));
  const added = lacking.map(({ path, parameter }) => [path, weakPrior(path, parameter)] as const);
  const proper = changed(held, (parameters) => ({
    ...parameters,
    ...Object.fromEntries(added.map(([path, { prior }]) => [path, { ...parameters[path]!, prior }])),
  }));
  const variables = layOut(parametersOf(proper, seed)).variables.filter((variable) => variable.start >= 0);
  const opened = logDensityOf(proper, { seed, jacobian: true, engine });
  if (opened.size === 0) {
    opened.dispose();
    throw new InvalidInputError('Every parameter of the model is fixed, so there is nothing to sample. Fix fewer.');
  }
  let jittered = 0;
  const none = new Float64Array(opened.size);
  const evaluated = (x: Float64Array) => {
    try {
      return opened.evaluate(x);
    } catch (error) {
      if (!(error instanceof NumericalError)) throw error;
      return error;
    }
  };
  return {
    open: opened,
    variables,
    density(x) {
      const found = evaluated(x);
      if (found instanceof NumericalError || Number.isNaN(found.value) || found.value === Infinity)
        return nowhere(none);
      if (found.jitter > 0) {
        jittered++;
        return nowhere(none);
      }
      return isFiniteSum(found.gradient) || found.gradient.every(Number.isFinite) ? found : nowhere(none);
    },
    jittered: () => jittered,
    added: added.map(([path, { words }]) => `${path} ~ ${words}`),
    whyNot(x) {
      const found = evaluated(x);
      if (found instanceof NumericalError) return found.message;
      if (found.jitter > 0) return 'A covariance has no Cholesky factor there without jitter: raise the noise.';
      const bad = Object.entries(found.terms).filter(([, term]) => !Number.isFinite(term));
      if (bad.length > 0) return `${bad.map(([name, term]) => `Term '${name}' is ${term}`).join(', ')}.`;
      return found.gradient.every(Number.isFinite) ? undefined : 'Its gradient is not finite.';
    },
  };
}

/** Fast finiteness check, false for a sum that overflows. */
function isFiniteSum(entries: Float64Array): boolean {
  let sum = 0;
  for (let i = 0; i < entries.length; i++) sum += entries[i]!;
  return Number.isFinite(sum);
}

const nowhere = (gradient: Float64Array) => ({ value: Number.NEGATIVE_INFINITY, gradient });

/** Model with replaced parameters. */
function changed(
  model: AnyModel,
  parametersOf: (parameters: Readonly<Record<string, Parameter>>) => Readonly<Record<string, Parameter>>,
): AnyModel {
  return {
    ...model,
    assemble(seed, options) {
      const assembly = assemblyOf(model, seed, options);
      return Object.create(assembly, { parameters: { value: parametersOf(assembly.parameters), enumerable: true } });
    },
  };
}

function parametersOf(model: AnyModel, seed: number): Readonly<Record<string, Parameter>> {
  return withFloat64(() => {
    const assembly = assemblyOf(model, seed);
    assembly.dispose();
    return assembly.parameters;
  });
}

function checkHasPosterior({ name, solve, choose, choosesStart, sourced }: AnyModel): void {
  const why =
    (solve !== undefined && 'computes its solution, so it has no parameters to be drawn') ||
    (choose !== undefined && !choosesStart && 'chooses some of its options by separate fits. Set these options') ||
    (sourced !== undefined && 'reads its observations some rows at a time, and draws need all of them');
  if (why) throw new InvalidInputError(`The model '${name}' ${why}.`);
}

/**
 * Free parameters without a prior. A bounded one is uniform between its bounds. A parameter whose prior is not attached to it, such as the latents of
 * a named model, needs a separate term that is not a term of observations.
 */
function withoutPrior(model: AnyModel, seed: number): Variable[] {
  const { variables } = layOut(parametersOf(model, seed));
  const box = variables.find(({ start, parameter }) => start >= 0 && parameter.support === 'box');
  if (box !== undefined) {
    throw new InvalidInputError(
      `'${box.path}' may reach its bounds, where there is no density to sample from. Fix it: \`hold: ['${box.path}']\`.`,
    );
  }
  const bare = variables.filter(
    ({ start, parameter: { prior, support } }) => start >= 0 && prior === undefined && support !== 'bounded',
  );
  if (bare.length === 0) return [];
  const terms = termsOfParameters(
    model,
    variables.map(({ path }) => path),
    seed,
  );
  if ('divergence' in terms) {
    throw new InvalidInputError(
      `The objective of '${model.name}' is a bound, whose parameters describe a distribution of the latents: they are not drawn themselves. Draw from gplvm.`,
    );
  }
  const matched = matching(
    bare.map(({ path }) => path),
    terms,
  );
  return bare.filter(({ path }) => !matched.has(path));
}

/** Paths with a nonzero gradient in each term, except the terms of observations given latents. */
function termsOfParameters(model: AnyModel, paths: readonly string[], seed: number): Record<string, readonly string[]> {
  const views = paths.flatMap((path) => /^views\.([^.]+)\./.exec(path)?.[1] ?? []);
  const ofObservations = termsOfObservations(model, seed);
  const { termGradients } = evaluate(model, movedValues(model, seededRandom(seed)), { seed, gradients: 'byTerm' });
  return Object.fromEntries(
    Object.entries(termGradients)
      .filter(
        ([term]) =>
          term !== 'mapping' && !term.startsWith('hyper.') && !views.includes(term) && !ofObservations.has(term),
      )
      .map(([term, gradients]) => [
        term,
        Object.keys(gradients).filter((path) => entriesOf(gradients[path]!).some((entry) => entry !== 0)),
      ]),
  );
}

/** Values near the start, where gradients do not vanish by symmetry. */
function movedValues(model: AnyModel, random: Random): ParameterValues {
  const opened = logDensityOf(model);
  try {
    return opened.values(opened.start.map((entry) => entry + 0.1 * random.normal()));
  } finally {
    opened.dispose();
  }
}

/** Parameters with a separate term: a maximum matching of parameters to terms that depend on them. */
function matching(paths: readonly string[], terms: Readonly<Record<string, readonly string[]>>): ReadonlySet<string> {
  const owner = new Map<string, string>();
  const place = (path: string, tried: Set<string>): boolean => {
    for (const [term, reached] of Object.entries(terms)) {
      if (!reached.includes(path) || tried.has(term)) continue;
      tried.add(term);
      const before = owner.get(term);
      if (before !== undefined && !place(before, tried)) continue;
      owner.set(term, path);
      return true;
    }
    return false;
  };
  return new Set(paths.filter((path) => place(path, new Set())));
}

function weakPrior(path: string, { support, initial }: Parameter) {
  if (support === 'positive') {
    const center = log(entriesOf(initial)[0]!);
    return {
      prior: logNormal({ mean: center, deviation: WEAK_DEVIATION }),
      words: `logNormal({ mean: ${Number(center.toPrecision(4))}, deviation: ${WEAK_DEVIATION} })`,
    };
  }
  const largest = entriesOf(initial).reduce((most, entry) => Math.max(most, Math.abs(entry)), 1);
  const deviation = path === 'latents' ? 1 : WEAK_REAL * largest;
  return {
    prior: normal({ mean: 0, deviation }),
    words: `normal({ mean: 0, deviation: ${Number(deviation.toPrecision(4))} })`,
  };
}

function improper(paths: readonly string[]): LatentFieldError {
  const named = paths.map((path) => `'${path}'`).join(', ');
  return new InvalidInputError(
    `The posterior is improper: there is no prior on ${named}. Give ${paths.length === 1 ? 'it' : 'each'} one, as in ` +
      "positive(1, { prior: gamma({ shape: 2, rate: 2 }) }), fix it with `hold: […]`, or set `priors: 'weak'`. If one of your terms is its prior, set `priors: 'inTerms'`.",
  );
}
