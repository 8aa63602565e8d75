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

/** A function from rows to rows: back-constraints, encoders, decoders, charts. A plain frozen description. */
export interface LatentMap extends RowMap {
  /** Its options other than parameters, as plain JSON; undefined if there are none. */
  readonly options: unknown;
}

export interface MapDefinition<Name extends string, Options = undefined> {
  /** Letters and digits, a letter first. */
  readonly name: string;
  /**
   * Parameters with their starts, such as `real(matrix)`; a bare number is `positive`. A function of the data for those whose
   * shape or start depends on them. Free ones are fitted to the start of the latents, by ridge regression from where they are here;
   * a function that reads `latents` has fitted them itself. None unless given.
   */
  readonly parameters?: OwnParameters<Name> | ((start: MapStart, options: Options) => OwnParameters<Name>);
  /**
   * What depends on the observations Y (n×D) and the training observations (N×D) only, one row each: computed once, then given to
   * `apply` in place of Y.
   */
  features?(Y: Matrix, training: Matrix, options: Options): Matrix;
  /**
   * Result of the rows Y (n×D), one row each, n×q. A map that takes one matrix is given several variables side by side; one that takes more is given the rows of the others
   * after them, and its parameters start where they are.
   */
  apply(p: Readonly<Record<Name, Tensor>>, Y: Tensor2D, ...others: Tensor2D[]): Tensor2D;
  /**
   * true where its rows are linear in those of each variable, beside a constant: y = u + v, y = xA + b. Expectations under Gaussian rows of them are then closed, or of one dimension.
   */
  readonly affine?: true;
  /** For maps onto a manifold: coordinates of the variable that it is given, on which paths stay. */
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

/** Makes a map; what is given replaces the default parameters. Options are plain JSON. */
export type MapFactory<Name extends string, Options = undefined> = (
  overrides?: Overrides<Name>,
  options?: Options,
) => LatentMap;

/**
 * A new back-constraint from one function with tensor operations. The built-in maps are made with it.
 *
 * @param definition - name, parameters and the map; `features` for what does not depend on the parameters
 * @returns a factory `(overrides?, options?) => LatentMap`
 * @throws InvalidInputError when the name is not one word of letters and digits; when a model is made, for a parameter that is not one
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

/** Weight of a parameter's way from where it began, beside the mean square of a point's distance to where it is to be. */
const RIDGE = 1e-6;
/** A start need not be exact: of a map that is linear in its parameters, this is near enough to the regression to be taken for it. */
const LIMITS = { maxIterations: 100, relativeDecrease: 1e-7 };

/** A map to initialize: the features of the N points, and the latents that it should give for them. */
interface MapAtStart {
  readonly name: string;
  /** N rows */
  readonly features: Matrix;
  /** N×q */
  readonly latents: Matrix;
  readonly apply: (p: TensorMap, features: Tensor2D) => Tensor2D;
}

/**
 * The parameters of a map moved to where ridge regression puts them: the least of ‖g(F; A) − X‖² + N·r·‖A − A₀‖² over its free
 * parameters, A₀ being where they began. Those named in `held` stay, and those of closed bounds.
 *
 * @throws InvalidInputError when the map does not give N×q latents
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
 * What a map gave, when it is one row for each of `rows` observations and `width` wide.
 *
 * @param of - what its columns are, in an error
 * @throws InvalidInputError that names the map and both shapes
 */
function checkedShape(name: string, X: Tensor2D, rows: number, width: number, of = 'latents'): Tensor2D {
  if (X?.rank === 2 && X.shape[0] === rows && X.shape[1] === width) return X;
  throw new InvalidInputError(
    `Map '${name}' must give one row of ${of} for each of ${rows} observations, ${width} wide, but its result has shape [${X?.shape}].`,
  );
}

/** The parameters of a map, when what it gives at their start is one row for each observation and as wide as it must be. */
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
