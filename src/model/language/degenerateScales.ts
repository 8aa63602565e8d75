import { InvalidInputError, LatentFieldError, NumericalError } from '../../core/errors.ts';
import { Matrix } from '../../core/matrix.ts';
import { shortNumber } from '../../core/wording.ts';
import type { AnyModel, Findings, ParameterValues } from '../model.ts';
import type { CompiledGraph } from './compiled.ts';
import type { Node } from './graph.ts';
import type { VariablesPosterior } from './variablesModel.ts';

/** Powers of the shrinking factor that parameters may be multiplied by. */
const POWERS = [0, -1, -2, 1, 2] as const;
/** Factors that points shrink by. */
const FACTORS = [1e3, 1e4, 1e5];
/** Relative difference below which the gains of successive factors count as equal, so that they would continue forever. */
const EQUAL = 0.05;

/**
 * Throws if the objective is unbounded: if it gains the same amount for each factor of ten as the points of a latent variable shrink together with
 * the parameters of their density and of their children's densities, or as these parameters contract around one point. Such a model has no maximum.
 * Parameters are scaled by the power of the factor that raises the objective most, or makes it highest, one parameter after another, twice.
 *
 * @param of - the model (`model` is its compiled form)
 * @returns a sentence about the variables that were checked
 * @throws InvalidInputError that names the variable, the parameters and a remedy
 */
export function scalesAreHeld(
  of: AnyModel,
  model: CompiledGraph,
  at: ParameterValues,
  objective: (values: ParameterValues) => number,
): string {
  const points = model.graph.nodes.filter(
    ({ name, variable }) => variable.role === 'latent' && at[name] instanceof Matrix,
  );
  const tried = points.filter((node) => ownScales(model, node).length > 0);
  for (const node of tried) {
    checkShrinking(model, node, at, objective);
    if (node.densities.some(({ density, isFactor }) => !isFactor && density.independent !== false)) {
      checkClosing(of, model, node, at, objective);
    }
  }
  return tried.length === 0 ? 'no latent points whose density has free parameters' : `${tried.length} tried`;
}

/** Paths of the free parameters without priors in the density of a variable. */
function ownScales(model: CompiledGraph, { densities }: Node): string[] {
  return densities.flatMap(({ path, isFactor }) =>
    isFactor ? [] : Object.values(model.ownPaths(path)).filter((own) => isLoose(model, own)),
  );
}

/** Paths of the free parameters without priors in the densities and maps of the children of a variable. */
function scalesBelow(model: CompiledGraph, { name }: Node): string[] {
  return model.graph.nodes
    .filter(({ given }) => given.includes(name))
    .flatMap((of) => [
      ...(of.variable.role === 'mapped'
        ? Object.values(model.ownPaths(of.name)).filter((own) => isLoose(model, own))
        : []),
      ...ownScales(model, of),
    ]);
}

/** Factors that fitted points shrink by. */
const SHRUNK = [10, 100, 1000];
/** Fall of the objective, relative to its size, that counts as rounding. */
const ROUNDING = 1e-9;

/**
 * Findings about a result whose objective does not fall as the points of a latent variable shrink, by factors up to 1000, together with parameters that
 * make up for it, such as the weights of a linear map: with a density of the points, which rises, there is no maximum; without one, the scale is arbitrary.
 *
 * @param at - the result
 */
export function scaleFindings(
  model: CompiledGraph,
  at: ParameterValues,
  objective: (values: ParameterValues) => number,
): Findings | undefined {
  const here = heightAt(objective, at, new Map(), 1);
  // A result without a density, such as a variance that was rounded to 0, is reported as failed.
  if (here === Number.NEGATIVE_INFINITY) return undefined;
  const least = here - ROUNDING * Math.max(1, Math.abs(here));
  for (const node of model.graph.nodes) {
    const { name, variable } = node;
    const below = scalesBelow(model, node);
    if (variable.role !== 'latent' || below.length === 0 || !(at[name] instanceof Matrix)) continue;
    const powers = new Map<string, number>();
    const height = (factor: number) =>
      heightAt(objective, { ...at, [name]: times(at[name]!, 1 / factor) }, powers, factor);
    for (const start of [0, -1]) {
      for (const path of below) powers.set(path, start);
      choosePowers(powers, below, [0, -1, 1], () => height(SHRUNK.at(-1)!));
      if (moving(powers) === '' || !SHRUNK.every((factor) => height(factor) >= least)) continue;
      const isDegenerate = node.densities.length > 0;
      const how = `as '${name}' shrinks with ${moving(powers)} to make up for it`;
      const message = isDegenerate
        ? `The model has no maximum: the objective never falls ${how}, so these points and parameters mean nothing. Give the parameters priors or fix one, or infer '${name}' as Gaussian rows (posterior: gaussian()).`
        : `The scale of '${name}' is arbitrary: the objective does not change ${how}.`;
      return { message, isDegenerate };
    }
  }
  return undefined;
}

/** Factors of points that a linear map, whose weights make up for them, does not notice. */
const UNNOTICED = [2, 10];
/** Step of the derivative of a log density in the scale of its points. */
const SCALE_STEP = 1e-4;
/** Smallest relative difference that is reported between the scale of points and the scale of their density. */
const APART = 0.3;

/**
 * Findings about points whose scale is determined by priors alone, such as those under a linear map with a prior on its weights: at a joint maximum
 * of n points and few weights, the points are contracted and the weights too large. Forecasts and other draws of new points are then too wide. For
 * points x from p, E[−xᵀ∇log p(x)] is the number of their coordinates; the ratio of the two is measured.
 *
 * @param termsAt - terms of the log density by name, at natural values
 * @see Stein 1981, Estimation of the mean of a multivariate normal distribution, lemma 1
 */
export function contractionFindings(
  model: CompiledGraph,
  at: ParameterValues,
  termsAt: (values: ParameterValues) => Readonly<Record<string, number>>,
): Findings | undefined {
  for (const node of model.graph.nodes) {
    const { name, variable, densities } = node;
    const points = at[name];
    const [placed] = densities;
    if (variable.role !== 'latent' || !(points instanceof Matrix) || densities.length !== 1) continue;
    if (placed!.isFactor) continue;
    const weights = model.graph.nodes
      .filter(({ given, variable: { role } }) => role === 'mapped' && given.includes(name))
      .flatMap((of) => Object.values(model.ownPaths(of.name)).filter((path) => model.parameters[path]!.free));
    if (weights.length === 0) continue;
    const rest = (values: ParameterValues) =>
      Object.entries(termsAt(values)).reduce((sum, [term, own]) => (term === placed!.term ? sum : sum + own), 0);
    const here = rest(at);
    const powers = new Map<string, number>(weights.map((path) => [path, 0]));
    const apart = (factor: number) =>
      -Math.abs(heightAt(rest, { ...at, [name]: times(points, 1 / factor) }, powers, factor) - here);
    choosePowers(powers, weights, [0, 1], () => apart(UNNOTICED[0]!));
    if (!UNNOTICED.every((factor) => apart(factor) >= -ROUNDING * Math.max(1, Math.abs(here)))) continue;
    const own = (scale: number) => termsAt({ ...at, [name]: times(points, scale) })[placed!.term]!;
    const ratio = (own(1 - SCALE_STEP) - own(1 + SCALE_STEP)) / (2 * SCALE_STEP * points.data.length);
    // The ratio of normal coordinates has the variance 2/n.
    if (!(Math.abs(ratio - 1) > APART + 3 * Math.sqrt(2 / points.data.length))) continue;
    const message = `Priors alone set the scale of '${name}' at this joint maximum with ${moving(powers)}: its points have ${shortNumber(ratio)} times the mean square of its density, so forecasts and drawn rows are too ${ratio < 1 ? 'wide' : 'narrow'}. Infer '${name}' as Gaussian rows (posterior: gaussian()), or draw with samplePosterior.`;
    return { message };
  }
  return undefined;
}

const isLoose = ({ parameters }: CompiledGraph, path: string): boolean =>
  parameters[path]!.free && parameters[path]!.prior === undefined;

function checkShrinking(
  model: CompiledGraph,
  node: Node,
  at: ParameterValues,
  objective: (values: ParameterValues) => number,
): void {
  const own = ownScales(model, node);
  const below = scalesBelow(model, node);
  const powers = new Map<string, number>();
  const height = (factor: number) =>
    heightAt(objective, { ...at, [node.name]: times(at[node.name]!, 1 / factor) }, powers, factor);
  const last = () => height(FACTORS.at(-1)!);
  const rise = () => {
    const found = last() - height(FACTORS.at(-2)!);
    return Number.isNaN(found) ? Number.NEGATIVE_INFINITY : found;
  };
  const endlessGain = (start: (typeof POWERS)[number], best: () => number): number | undefined => {
    for (const path of below) powers.set(path, start);
    for (const path of own) powers.set(path, 0);
    choosePowers(powers, [...below, ...own], POWERS, best);
    return gainOf(FACTORS.map(height));
  };
  // The steepest change is not yet the highest if the points start far from the expectation of their density; lengthscales and inducing inputs must
  // shrink together, which neither would alone.
  const gain = endlessGain(0, last) ?? endlessGain(-1, last) ?? endlessGain(0, rise);
  if (gain === undefined) return;
  throw endless(node, gain, `'${node.name}' shrinks with ${moving(powers)}`);
}

/**
 * Throws if the objective is unbounded as parameters of a variable's density contract around points where the density is largest: all points if the
 * density defines their means, or one point at the center of a mixture component, with the others left to the other components. The center is a real
 * parameter with one entry per column of the variable, or 0.
 */
function checkClosing(
  of: AnyModel,
  model: CompiledGraph,
  node: Node,
  at: ParameterValues,
  objective: (values: ParameterValues) => number,
): void {
  const own = ownScales(model, node).filter((path) => model.parameters[path]!.support !== 'real');
  const points = at[node.name] as Matrix;
  const means = meansOf(of, node, at);
  const one = centers(model, node, at, points.columns).map((center) => {
    const onto = new Matrix(points.data.slice(), points.rows, points.columns);
    onto.data.set(center, 0);
    return { onto, where: 'one of its points' };
  });
  for (const { onto, where } of [...(means ? [{ onto: means, where: 'its points' }] : []), ...one]) {
    const powers = new Map<string, number>(own.map((path) => [path, 0]));
    const height = (factor: number) => heightAt(objective, { ...at, [node.name]: onto }, powers, factor);
    choosePowers(powers, own, [0, -1, 1], () => height(FACTORS.at(-1)!));
    const gain = gainOf(FACTORS.map(height));
    if (gain !== undefined)
      throw endless(node, gain, `the density of '${node.name}' closes around ${where}, by ${moving(powers)}`);
  }
}

/** The means of a variable's points in its density, given its parents; undefined if there are none. */
function meansOf(model: AnyModel, { name, given }: Node, at: ParameterValues): Matrix | undefined {
  const { variables } = model.posterior(at) as Partial<VariablesPosterior>;
  if (given.length === 0 || variables === undefined) return undefined;
  const { values } = variables;
  try {
    return variables.predict(Object.fromEntries(given.map((each) => [each, values[each]!])), false)[name]?.mean;
  } catch (error) {
    if (error instanceof LatentFieldError && error.code === 'missingVariable') return undefined;
    throw error;
  }
}

/** Possible centers of a density of this many columns. */
function centers(
  model: CompiledGraph,
  { densities }: Node,
  at: ParameterValues,
  columns: number,
): readonly Float64Array[] {
  const paths = densities.flatMap(({ path, isFactor }) => (isFactor ? [] : Object.values(model.ownPaths(path))));
  const real = paths
    .filter((path) => model.parameters[path]!.support === 'real')
    .map((path) => [at[path]].flat() as (number | Matrix)[])
    .filter((entries) => entries.length === columns && entries.every((entry) => typeof entry === 'number'));
  return [new Float64Array(columns), ...real.map((entries) => Float64Array.from(entries as number[]))];
}

/** The objective after scaling these parameters by powers of a factor; −∞ where the density is undefined. */
function heightAt(
  objective: (values: ParameterValues) => number,
  at: ParameterValues,
  powers: ReadonlyMap<string, number>,
  factor: number,
): number {
  const moved: Record<string, ParameterValues[string]> = { ...at };
  for (const [path, power] of powers) moved[path] = times(at[path]!, toPower(factor, power));
  try {
    const found = objective(moved);
    return Number.isNaN(found) ? Number.NEGATIVE_INFINITY : found;
  } catch (error) {
    // A component that failed, which is the cause of a typed error, is not a value outside of a support or a matrix that has no factor.
    const isWithoutDensity =
      error instanceof NumericalError || (error instanceof LatentFieldError && error.cause === undefined);
    if (isWithoutDensity) return Number.NEGATIVE_INFINITY;
    throw error;
  }
}

/** Sets the power of one parameter after another to the best; twice, because the best power of one depends on the others. */
function choosePowers(
  powers: Map<string, number>,
  paths: readonly string[],
  among: readonly number[],
  height: () => number,
): void {
  for (const path of [...paths, ...paths]) {
    const heights = among.map((power) => {
      powers.set(path, power);
      return height();
    });
    powers.set(path, among[heights.indexOf(Math.max(...heights))]!);
  }
}

/** Gain of the objective for each factor of ten if the gain is constant; otherwise undefined. */
function gainOf(heights: readonly number[]): number | undefined {
  const [first, second, third] = heights as [number, number, number];
  const gain = third - second;
  return gain > 0 && Math.abs(gain - (second - first)) <= EQUAL * gain ? gain : undefined;
}

const moving = (powers: ReadonlyMap<string, number>): string =>
  [...powers]
    .filter(([, power]) => power !== 0)
    .map(([path]) => `'${path}'`)
    .join(', ');

const endless = ({ name }: Node, gain: number, how: string): InvalidInputError =>
  new InvalidInputError(
    `The objective rises by ${gain.toPrecision(3)} per factor of ten as ${how}, without bound: the model has no maximum. ` +
      `Fix a parameter of the density of '${name}' with fixed(…), give it a prior, or infer the variable as Gaussian rows (posterior: gaussian())`,
  );

/** A factor to an integer power. */
const toPower = (factor: number, power: number): number =>
  power < 0 ? 1 / toPower(factor, -power) : power === 0 ? 1 : factor * toPower(factor, power - 1);

function times(value: ParameterValues[string], factor: number): ParameterValues[string] {
  if (typeof value === 'number') return value * factor;
  if (value instanceof Matrix) return value.map((entry) => entry * factor);
  return (value as readonly number[]).map((entry) => entry * factor);
}
