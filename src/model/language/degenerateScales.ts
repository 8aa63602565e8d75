import { InvalidInputError } from '../../core/errors.ts';
import { Matrix } from '../../core/matrix.ts';
import type { ParameterValues } from '../model.ts';
import type { CompiledGraph } from './compiled.ts';
import type { Node } from './graph.ts';

/** Powers of the shrinking factor with which a parameter may change. */
const POWERS = [0, -1, -2, 1, 2] as const;
/** Factors by which points shrink. */
const FACTORS = [1e3, 1e4, 1e5];
/** Relative difference up to which the gains of successive factors count as equal, so that they would go on for ever. */
const EQUAL = 0.05;

/**
 * Throws if the objective rises without bound as the points of a latent variable shrink together with the parameters of their own density and of the
 * densities given them, gaining as much for each factor of ten. Such a model has no maximum.
 * Each parameter changes with the power of the factor with which the objective rises most, or is highest, one parameter after another, twice.
 *
 * @returns a sentence about what was tried
 * @throws InvalidInputError that names the variable, the parameters and what to do
 */
export function scalesAreHeld(
  model: CompiledGraph,
  at: ParameterValues,
  objective: (values: ParameterValues) => number,
): string {
  const points = model.graph.nodes.filter(
    ({ name, variable }) => variable.role === 'latent' && at[name] instanceof Matrix,
  );
  const tried = points.filter((node) => ownScales(model, node).length > 0);
  for (const node of tried) checkShrinking(model, node, at, objective);
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
  const height = (factor: number) => {
    const moved: Record<string, ParameterValues[string]> = { ...at, [node.name]: times(at[node.name]!, 1 / factor) };
    for (const [path, power] of powers) moved[path] = times(at[path]!, toPower(factor, power));
    try {
      const found = objective(moved);
      return Number.isNaN(found) ? Number.NEGATIVE_INFINITY : found;
    } catch {
      return Number.NEGATIVE_INFINITY;
    }
  };
  const last = () => height(FACTORS.at(-1)!);
  const rise = () => {
    const found = last() - height(FACTORS.at(-2)!);
    return Number.isNaN(found) ? Number.NEGATIVE_INFINITY : found;
  };
  const endlessGain = (start: (typeof POWERS)[number], best: () => number): number | undefined => {
    for (const path of below) powers.set(path, start);
    for (const path of own) powers.set(path, 0);
    // Twice, because the best power of one depends on the others.
    for (const path of [...below, ...own, ...below, ...own]) {
      const heights = POWERS.map((power) => {
        powers.set(path, power);
        return best();
      });
      powers.set(path, POWERS[heights.indexOf(Math.max(...heights))]!);
    }
    const [first, second, third] = FACTORS.map(height) as [number, number, number];
    const gain = third - second;
    return gain > 0 && Math.abs(gain - (second - first)) <= EQUAL * gain ? gain : undefined;
  };
  // The steepest way is not the highest yet where the points start far from what their density expects; lengthscales and inducing inputs have to shrink
  // together, which neither would alone.
  const gain = endlessGain(0, last) ?? endlessGain(-1, last) ?? endlessGain(0, rise);
  if (gain === undefined) return;
  const moving = [...powers].filter(([, power]) => power !== 0).map(([path]) => `'${path}'`);
  throw new InvalidInputError(
    `The objective rises by ${gain.toPrecision(3)} for each factor of ten by which '${node.name}' shrinks with ${moving.join(', ')}, without end: the model has no maximum. ` +
      `Hold a parameter of the density of '${node.name}' with fixed(…), give it a prior, or infer the variable as Gaussian rows (posterior: gaussian())`,
  );
}

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
