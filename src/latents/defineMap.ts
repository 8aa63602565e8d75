import { InvalidInputError } from '../core/errors.ts';
import type { Matrix } from '../core/matrix.ts';
import { checkDefinition, checkMembers, checkName, type Member } from '../core/options.ts';
import { matrixTensor } from '../engine/tensors/doubles.ts';
import { withFloat64 } from '../engine/tensors/float64/scope.ts';
import * as op from '../engine/tensors/ops.ts';
import type { Scalar, Tensor, Tensor2D } from '../engine/tensors/tensorflow.ts';
import { minimize } from '../inference/minimize/minimize.ts';
import { lbfgs } from '../inference/solvers/lbfgs.ts';
import type { Chart, MapStart, RowMap } from '../model/language/mapped.ts';
import type { ParameterValues, TensorMap } from '../model/model.ts';
import { objectiveOf } from '../model/objective.ts';
import { entriesOf, fixed, type Parameter, shapeOf, valueFrom } from '../model/parameter.ts';
import { type Overrides, type OwnParameters, overriddenParameters, valueTensors } from '../model/part.ts';
import { layOut, toNatural, toUnconstrained } from '../model/variables.ts';

/** A function from rows to rows: back-constraint, encoder, decoder or chart. A plain frozen description. */
export interface LatentMap extends RowMap {
  /** Its options other than parameters, as plain JSON; undefined if there are none. */
  readonly options: unknown;
}

export interface MapDefinition<Name extends string, Options = undefined> {
  /** Letters and digits, starting with a letter. */
  readonly name: string;
  /**
   * Initial parameters, such as `real(matrix)`; a bare number means `positive`. A function of the data if their shape or initial values depend on
   * them. Free parameters are then fitted to the initial latents by ridge regression from these values, unless the function reads `latents` and has
   * fitted them itself. Default none.
   */
  readonly parameters?: OwnParameters<Name> | ((start: MapStart, options: Options) => OwnParameters<Name>);
  /**
   * Features of the observations Y (n×D) that depend on them and the training observations (N×D) only, one row each: computed once, then passed to
   * `apply` instead of Y.
   */
  features?(Y: Matrix, training: Matrix, options: Options): Matrix;
  /**
   * Result for the rows Y (n×D), n×q. A map of one matrix receives several variables side by side; a map of several receives the rows of the other
   * variables as further arguments, and its parameters keep their initial values.
   */
  apply(p: Readonly<Record<Name, Tensor>>, Y: Tensor2D, ...others: Tensor2D[]): Tensor2D;
  /**
   * True if the rows of the result are affine in the rows of each variable, such as y = u + v or y = xA + b. Expectations under Gaussian rows are
   * then in closed form, or one-dimensional.
   */
  readonly affine?: true;
  /** For maps onto a manifold: the chart of coordinates of the input variable, which defines paths. */
  readonly chart?: Chart;
}

const MEMBERS: Readonly<Record<keyof MapDefinition<string>, Member>> = {
  name: 'anything',
  parameters: 'anything',
  features: 'function, if any',
  apply: 'function',
  affine: 'anything',
  chart: 'anything',
};

/** Makes a map; arguments replace default parameters. Options are plain JSON. */
export type MapFactory<Name extends string, Options = undefined> = (
  overrides?: Overrides<Name>,
  options?: Options,
) => LatentMap;

/**
 * Defines a new map from one function with tensor operations. The built-in maps are made with it.
 *
 * @param definition - name, parameters and the map; `features` for the computation that does not depend on the parameters
 * @returns a factory `(overrides?, options?) => LatentMap`
 * @throws InvalidInputError if the name is not one word of letters and digits; when a model is made, for an invalid parameter
 * @example
 * ```ts
 * import { backConstrained, defineMap, Matrix, real } from 'latentfield';
 * import * as op from 'latentfield/ops';
 *
 * // x = a·(first q features) + b
 * const scaledFeatures = defineMap({
 *   name: 'scaledFeatures',
 *   parameters: ({ latentDim }) => ({ slope: real(Array(latentDim).fill(1)), shift: real(Array(latentDim).fill(0)) }),
 *   apply: (p, Y) => op.add(op.mul(op.slice(Y, [0, 0], [-1, p.slope.size]), p.slope), p.shift),
 * });
 * const latents = backConstrained(scaledFeatures());
 * ```
 */
export function defineMap<Name extends string = never, Options = undefined>(
  definition: MapDefinition<Name, Options>,
): MapFactory<Name, Options> {
  const { name } = checkDefinition(definition, 'defineMap');
  checkName(name, 'A map');
  checkMembers(definition, 'defineMap', MEMBERS);
  return (overrides = {} as Overrides<Name>, given) => {
    const options = given as Options;
    const { parameters: known = {} as OwnParameters<Name> } = definition;
    if (typeof known !== 'function') overriddenParameters(`Map '${name}'`, known, overrides);
    const takesOne = definition.apply.length === 2;
    const apply: LatentMap['apply'] = (p, ...rows) => {
      const all = takesOne && rows.length > 1 ? [op.concat(rows, 1)] : rows;
      const [first, ...others] = all as [Tensor2D, ...Tensor2D[]];
      return definition.apply(p as Readonly<Record<Name, Tensor>>, first, ...others);
    };
    return Object.freeze<LatentMap>({
      kind: 'map',
      name,
      parameters: (start) => {
        const { parameters = {} as OwnParameters<Name> } = definition;
        let fitsItself = false;
        const watched: MapStart = {
          observations: start.observations,
          latentDim: start.latentDim,
          seed: start.seed,
          get features() {
            return start.features;
          },
          get latents() {
            fitsItself = true;
            return start.latents;
          },
        };
        const defaults = typeof parameters === 'function' ? parameters(watched, options) : parameters;
        const own = overriddenParameters(`Map '${name}'`, defaults, overrides);
        if (definition.apply.length > 2 || fitsItself || Object.values<Parameter>(own).every(({ free }) => !free))
          return own;
        const { features, latents } = start;
        return fittedStart({ name, features, latents, apply }, own, Object.keys(overrides));
      },
      features: (Y, training) => definition.features?.(Y, training, options) ?? Y,
      apply,
      ...(definition.affine && { affine: true as const }),
      ...(definition.chart && { chart: definition.chart }),
      options,
    });
  };
}

/** Weight of the squared change of a parameter, relative to the mean squared distance of points from their targets. */
const RIDGE = 1e-6;
/** A start need not be exact; for a map that is linear in its parameters, this tolerance gives nearly the exact regression. */
const LIMITS = { maxIterations: 100, relativeDecrease: 1e-7 };

/** A map to initialize: the features of the N points, and the target latents. */
interface MapAtStart {
  readonly name: string;
  /** N rows */
  readonly features: Matrix;
  /** N×q */
  readonly latents: Matrix;
  readonly apply: (p: TensorMap, features: Tensor2D) => Tensor2D;
}

/**
 * Fits the parameters of a map by ridge regression: the minimum of ‖g(F; A) − X‖² + N·r·‖A − A₀‖² over its free parameters, with A₀ their initial
 * values. Parameters named in `held` and parameters with closed bounds stay.
 *
 * @throws InvalidInputError if the map does not give N×q latents
 */
function fittedStart(
  { name, features, latents, apply }: MapAtStart,
  parameters: Readonly<Record<string, Parameter>>,
  held: readonly string[],
): Readonly<Record<string, Parameter>> {
  const moving = Object.entries(parameters).map(([path, parameter]): [string, Parameter] => {
    // L-BFGS knows no closed bounds.
    if (held.includes(path) || parameter.support === 'box') return [path, fixed(parameter.initial)];
    const { prior: _, ...withoutPrior } = parameter;
    return [path, withoutPrior];
  });
  const layout = layOut(Object.fromEntries(moving));
  if (layout.size === 0) return parameters;
  const began = layout.variables.map(({ parameter }) => entriesOf(parameter.initial));
  const terms = (values: TensorMap) => {
    const X = apply(values, matrixTensor(features));
    checkedShape(name, X, latents.rows, latents.columns);
    const misfit = op.sum<Scalar>(op.squaredDifference(X, matrixTensor(latents)));
    const moved = layout.variables.flatMap(({ path, start, shape }, i) =>
      start < 0 ? [] : [op.sum<Scalar>(op.squaredDifference(values[path]!, op.tensor(began[i]!, [...shape])))],
    );
    const ridge = moved.reduce((total, part) => op.add<Scalar>(total, part));
    return { misfit: op.neg(misfit), ridge: op.mul<Scalar>(-RIDGE * latents.rows, ridge) };
  };
  const objective = objectiveOf({ parameters, terms, dispose() {} }, layout);
  const start = toUnconstrained(layout, began);
  // A map that is not finite where it begins is reported by the fit.
  if (!Number.isFinite(objective(start).value)) return parameters;
  const { x } = minimize(objective, start, lbfgs(), LIMITS);
  const natural = toNatural(layout, x);
  return Object.fromEntries(
    layout.variables.map(({ path, start: at }, i) => {
      const parameter = parameters[path]!;
      if (at < 0) return [path, parameter];
      return [path, { ...parameter, initial: valueFrom(natural[i]!, shapeOf(parameter.initial)) }];
    }),
  );
}

/**
 * The result of a map, after checking that it has one row for each of `rows` observations, and `width` columns.
 *
 * @param of - name of its columns in the error
 * @throws InvalidInputError that names the map and both shapes
 */
function checkedShape(name: string, X: Tensor2D, rows: number, width: number, of = 'latents'): Tensor2D {
  if (X?.rank === 2 && X.shape[0] === rows && X.shape[1] === width) return X;
  throw new InvalidInputError(
    `Map '${name}' must give one row of ${of} for each of ${rows} observations, ${width} wide, but its result has shape [${X?.shape}].`,
  );
}

/** The parameters of a map, after checking the shape of its initial result: one row per observation, and the required width. */
export function withCheckedShape(
  map: LatentMap,
  parameters: Readonly<Record<string, Parameter>>,
  features: Matrix,
  width: number,
  of?: string,
): Readonly<Record<string, Parameter>> {
  const start = Object.entries(parameters).map(([name, { initial }]) => [name, initial]);
  const values: ParameterValues = Object.fromEntries(start);
  withFloat64(() => {
    checkedShape(map.name, map.apply(valueTensors(values), matrixTensor(features)), features.rows, width, of);
  });
  return parameters;
}
