import { InvalidInputError, LatentFieldError } from '../../core/errors.ts';
import { Matrix } from '../../core/matrix.ts';
import type { AnyModel, ParameterValues } from '../model.ts';
import type { CompiledGraph } from './compiled.ts';
import type { Node } from './graph.ts';
import type { VariablesPosterior } from './variablesModel.ts';

/** Powers of the shrinking factor with which a parameter may change. */
const POWERS = [0, -1, -2, 1, 2] as const;
/** Factors by which points shrink. */
const FACTORS = [1e3, 1e4, 1e5];
/** Relative difference up to which the gains of successive factors count as equal, so that they would go on for ever. */
const EQUAL = 0.05;

/**
 * Throws if the objective rises without bound as the points of a latent variable shrink together with the parameters of their own density and of the
 * densities given them, or as these close around one point, gaining as much for each factor of ten. Such a model has no maximum.
 * Each parameter changes with the power of the factor with which the objective rises most, or is highest, one parameter after another, twice.
 *
 * @param of - the model, and as it is compiled
 * @returns a sentence about what was tried
 * @throws InvalidInputError that names the variable, the parameters and what to do
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

const isLoose = ({ parameters }: CompiledGraph, path: string): boolean =>
  parameters[path]!.free && parameters[path]!.prior === undefined;

function checkShrinking(
  model: CompiledGraph,
  node: Node,
  at: ParameterValues,
  objective: (values: ParameterValues) => number,
): void {
  const own = ownScales(model, node);
  const below = model.graph.nodes
    .filter(({ given }) => given.includes(node.name))
    .flatMap((of) => ownScales(model, of));
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
  // The steepest way is not the highest yet where the points start far from what their density expects; lengthscales and inducing inputs have to shrink
  // together, which neither would alone.
  const gain = endlessGain(0, last) ?? endlessGain(-1, last) ?? endlessGain(0, rise);
  if (gain === undefined) return;
  throw endless(node, gain, `'${node.name}' shrinks with ${moving(powers)}`);
}

/**
 * Throws if the objective rises without bound as parameters of the density of a variable close around points that lie where the density is greatest: all of them
 * where it says their means, or one in the center of a component of a mixture, with the others left to the other components. Such a center is at a real
 * parameter with as many entries as the variable has columns, or at 0.
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

/** The means that the density of a variable says of its points, given others; undefined where it says none. */
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

/** Where a density of this many columns may be centered. */
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

/** The objective where these parameters are changed by powers of a factor; −∞ where there is none. */
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
  } catch {
    return Number.NEGATIVE_INFINITY;
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

/** Gain of the objective for each factor of ten, if the gain never ends. */
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
    `The objective rises by ${gain.toPrecision(3)} for each factor of ten by which ${how}, without end: the model has no maximum. ` +
      `Hold a parameter of the density of '${name}' with fixed(…), give it a prior, or infer the variable as Gaussian rows (posterior: gaussian())`,
  );

/** A factor to an integer power. */
const toPower = (factor: number, power: number): number =>
  power < 0 ? 1 / toPower(factor, -power) : power === 0 ? 1 : factor * toPower(factor, power - 1);

function times(value: ParameterValues[string], factor: number): ParameterValues[string] {
  if (typeof value === 'number') return value * factor;
  if (value instanceof Matrix)
    return new Matrix(
      value.data.map((entry) => entry * factor),
      value.rows,
      value.columns,
    );
  return (value as readonly number[]).map((entry) => entry * factor);
}
