import { InvalidInputError } from '../core/errors.ts';
import type { Matrix } from '../core/matrix.ts';
import { checkDefinition, checkMembers, checkName, type Member } from '../core/options.ts';
import type { Random } from '../core/random.ts';
import type { Graph } from '../engine/graph/graph.ts';
import { matrixTensor } from '../engine/tensors/doubles.ts';
import * as op from '../engine/tensors/ops.ts';
import type { Scalar, Tensor, Tensor1D, Tensor2D } from '../engine/tensors/tensorflow.ts';
import type { Kernel } from '../kernels/kernel.ts';
import type { FieldShowing, Forecasting } from '../model/abilities.ts';
import type { Density, DensityContext, Rows, RowsShape, SparsePrecision } from '../model/language/density.ts';
import type { ParameterValues, TensorMap } from '../model/model.ts';
import { entriesOf, type Parameter, type ParameterLike, type ParameterValue } from '../model/parameter.ts';
import { type Overrides, type OwnParameters, overriddenParameters } from '../model/part.ts';
import type { LearnedByLayer } from '../model/posterior.ts';

/** What a prior on the latents may know beside them. */
export interface PriorContext<Data = unknown, Constants = unknown> {
  /** N×D observations, as the mapping sees them (centered and scaled when the model does so). */
  readonly observations: Tensor2D;
  /** What the prior was made with beside its parameters: a graph, labels, options. */
  readonly data: Data;
  /** What `prepare` returned for these observations. */
  readonly constants: Constants;
  /** Called with the jitter that a factorization needed. */
  readonly onJitter?: (jitter: number) => void;
}

/** What a model hands to a prior: the prior knows its own data. */
export type GivenContext = Omit<PriorContext, 'data'>;

/** Mean of the row after each row of x (n×q). */
export type Transition = (x: Tensor2D) => Tensor2D;

/** A prior on the latents: one named term of a model's log density. A plain frozen description. */
export interface Prior<A = unknown> {
  readonly kind: 'prior';
  /** In types only: what fits of a model with it can do. */
  readonly '~abilities'?: A;
  /** Its term's name, and the segment of its parameters' paths. */
  readonly name: string;
  /** Its parameters by name. */
  readonly parameters: Readonly<Record<string, Parameter>>;
  /** Its options other than parameters, as plain JSON; undefined if there are none. */
  readonly toJSON: () => unknown;
  /** Constants that depend on the observations (N×D) only: computed once, then part of every context. */
  readonly prepare: (observations: Matrix) => unknown;
  /**
   * log p(X) at the natural values p, as a scalar tensor. The context may be left out, or a part of it, for priors that do not read it.
   *
   * @throws InvalidInputError for a prior that reads what is missing, naming it
   */
  readonly logDensity: (p: TensorMap, X: Tensor2D, context?: Partial<GivenContext>) => Scalar;
  /** log p(x_i) of each row of X (n entries), when its rows are independent: a prior on new points too. */
  readonly pointLogDensity?: (p: TensorMap, X: Tensor2D) => Tensor1D;
  /** What a prior on sequences expects next, given the latents X. */
  readonly transition?: (p: TensorMap, X: Tensor2D, context: GivenContext) => Transition;
  /** For layers that are random fields over the points: the field at natural values p and latents X (N×q). */
  readonly field?: (p: ParameterValues, X: Matrix, constants: unknown) => LearnedByLayer;
  /** For layers on latents: the graph along which these are near each other, which preconditions a search. */
  readonly graph?: Graph;
  /** The Hessian of log p(X) in X (N×q), (Nq)² numbers row by row, for priors that know it: solvers that ask for curvature need it of all. */
  readonly hessian?: (p: ParameterValues, X: Matrix, constants: unknown) => Float64Array;
  /** The parameter of free latents, moved within what the prior allows only. */
  readonly restrict?: (latents: Parameter) => Parameter;
  /** As the density of a variable, or a factor of one: `latent({ dim: 2, density: standardNormal() })`. */
  readonly density: Density;
}

/** Reads parts of a prior's saved data that the prior does not write itself. */
export interface SavedParts {
  /** The kernel that `kernelToJSON` wrote; `path` is where it stands in the data, for errors. */
  kernel(json: unknown, path: string): Kernel;
}

export interface PriorDefinition<Name extends string, Data = undefined, Constants = undefined> {
  /** Letters and digits, a letter first. */
  readonly name: string;
  /** Default parameters; a bare number is `positive`. They may depend on the data. None unless given. */
  readonly parameters?: OwnParameters<Name> | ((data: Data) => OwnParameters<Name>);
  /** How data that are not plain JSON are written and read. */
  readonly data?: {
    toJSON(data: Data): unknown;
    fromJSON(json: unknown, read: SavedParts): Data;
  };
  /**
   * log p(x_i) of each row of X, n entries, when the density is their product: it is then a prior on new points too, which are
   * placed with it.
   */
  pointLogDensity?(p: Readonly<Record<Name, Tensor>>, X: Tensor2D): Tensor1D;
  /** Constants that depend on the observations (N×D) only, computed once: plain numbers, no tensors. */
  prepare?(observations: Matrix, data: Data): Constants;
  /**
   * log p(X) of the latents X (N×q), a scalar, with its normalizing constant where the prior is proper; of an improper prior the
   * exponent.
   */
  logDensity(p: Readonly<Record<Name, Tensor>>, X: Tensor2D, context: PriorContext<Data, Constants>): Scalar;
  /** For priors on sequences: the mean of the row after each row of x (n×q), given the latents X (N×q). */
  transition?(p: Readonly<Record<Name, Tensor>>, X: Tensor2D, context: PriorContext<Data, Constants>): Transition;
  /**
   * For layers that are random fields over the points: the field at natural values p and latents X (N×q), which fits then show. `free` are
   * the parameters that are not held.
   */
  field?(
    p: Readonly<Record<Name, ParameterValue>>,
    X: Matrix,
    data: Data,
    constants: Constants,
    free: ReadonlySet<Name>,
  ): LearnedByLayer;
  /** For layers on latents: the graph along which these are near each other, which preconditions a search, if there is one. */
  graph?(data: Data): Graph | undefined;
  /**
   * The Hessian of log p(X) in X (N×q), (Nq)² numbers row by row, for priors that know it and whose parameters are all held. Solvers such as `newton()` need
   * it of all priors of a model.
   */
  hessian?(data: Data): PriorHessian<Name, Constants> | undefined;
  /** A draw of n×q latents from the prior itself. */
  sample?(p: Readonly<Record<Name, Tensor>>, random: Random, shape: readonly [number, number], data: Data): Tensor2D;
  /** E[log p(X)] where the rows of X are Gaussians with these means and variances, n entries where rows are independent; sampled without it. */
  expected?(p: Readonly<Record<Name, Tensor>>, X: op.GaussianRows): Scalar | Tensor1D;
  /**
   * Q, N×N, where log p(X) is c − ½·Σ_d x_dᵀQx_d with one matrix for all columns; undefined where these data make it another. Its expectation under Gaussian rows follows
   * from it, and `gaussianLatents({ correlated: true })` takes its correlations from it.
   */
  precision?(
    p: Readonly<Record<Name, Tensor>>,
    rows: number,
    context: PriorContext<Data, Constants>,
  ): Tensor2D | SparsePrecision | undefined;
  /** Whether `precision` makes no N×N matrix, so that any number of rows will do. */
  readonly isSparse?: true;
  /** For priors that keep something of the latents as it starts: how the parameter of free latents is restricted to that, if it is. */
  restrict?(data: Data): ((latents: Parameter) => Parameter) | undefined;
}

const MEMBERS: Readonly<Record<keyof PriorDefinition<string>, Member>> = {
  name: 'anything',
  parameters: 'anything',
  data: 'anything',
  pointLogDensity: 'function, if any',
  prepare: 'function, if any',
  logDensity: 'function',
  transition: 'function, if any',
  field: 'function, if any',
  graph: 'function, if any',
  hessian: 'function, if any',
  restrict: 'function, if any',
  sample: 'function, if any',
  expected: 'function, if any',
  precision: 'function, if any',
  isSparse: 'anything',
};

/** The second derivatives of a prior's log density in X at natural values p. */
export type PriorHessian<Name extends string, Constants> = (
  p: Readonly<Record<Name, ParameterValue>>,
  X: Matrix,
  constants: Constants,
) => Float64Array;

/** Makes a prior; what is given replaces the default parameters. `A` is what fits of a model with it can do. */
export interface PriorFactory<Name extends string, Data = undefined, A = unknown> {
  (overrides?: Overrides<Name>, data?: Data): Prior<A>;
  /** The prior again from its parameters and what its `toJSON` wrote. */
  readonly restore: (parameters: Readonly<Record<string, ParameterLike>>, data: unknown, read: SavedParts) => Prior<A>;
}

/**
 * A new prior on the latents from one function with tensor operations. The built-in priors are made with it.
 *
 * @param definition - name, default parameters and log density; `prepare` for constants that rest on the observations
 * @returns a factory `(overrides?, data?) => Prior`
 * @throws InvalidInputError when the name is not one word of letters and digits or a parameter is not one
 * @example
 * ```ts
 * import { definePrior, fixed } from 'latentfield';
 * import * as op from 'latentfield/ops';
 *
 * // log p(X) = −strength·Σ log(1 + x²): heavy tails
 * const heavyTails = definePrior({
 *   name: 'heavyTails',
 *   parameters: { strength: fixed(1) },
 *   logDensity: (p, X) => op.mul(op.neg(p.strength), op.sum(op.log1p(op.square(X)))),
 * });
 * ```
 */
export function definePrior<Name extends string = never, Data = undefined, Constants = undefined>(
  definition: PriorDefinition<Name, Data, Constants> & Required<Pick<PriorDefinition<Name, Data, Constants>, 'field'>>,
): PriorFactory<Name, Data, FieldShowing>;
export function definePrior<Name extends string = never, Data = undefined, Constants = undefined>(
  definition: PriorDefinition<Name, Data, Constants> &
    Required<Pick<PriorDefinition<Name, Data, Constants>, 'transition'>>,
): PriorFactory<Name, Data, Forecasting>;
export function definePrior<Name extends string = never, Data = undefined, Constants = undefined>(
  definition: PriorDefinition<Name, Data, Constants>,
): PriorFactory<Name, Data>;
export function definePrior<Name extends string, Data, Constants>(
  definition: PriorDefinition<Name, Data, Constants>,
): PriorFactory<Name, Data, FieldShowing & Forecasting> {
  const { name, parameters = {} as OwnParameters<Name> } = checkDefinition(definition, 'definePrior');
  checkName(name, 'A prior');
  checkMembers(definition, 'definePrior', MEMBERS);
  const needs = (what: string, example: string): never => {
    throw new InvalidInputError(`Prior '${name}' needs ${what}: give them to its log density, as ${example}.`);
  };
  const factory = (overrides = {} as Overrides<Name>, given?: Data): Prior<FieldShowing & Forecasting> => {
    const data = given as Data;
    const defaults = typeof parameters === 'function' ? parameters(data) : parameters;
    const own = (p: TensorMap) => p as Readonly<Record<Name, Tensor>>;
    const full = ({
      onJitter,
      observations,
      constants,
    }: Partial<GivenContext> = {}): PriorContext<Data, Constants> => ({
      data,
      ...(onJitter && { onJitter }),
      get observations() {
        return observations ?? needs('the observations', '{ observations: op.tensor(Y) }');
      },
      get constants() {
        if (constants === undefined && definition.prepare !== undefined) {
          return needs('the constants that it prepares of the observations', '{ constants: prior.prepare(Y) }');
        }
        return constants as Constants;
      },
    });
    const { transition } = definition;
    const restrict = definition.restrict?.(data);
    const graph = definition.graph?.(data);
    const started = Object.freeze(overriddenParameters(`Prior '${name}'`, defaults, overrides));
    const hessian = definition.hessian?.(data);
    const free = new Set(Object.keys(started).filter((key) => started[key as Name].free));
    const prior: Omit<Prior<FieldShowing & Forecasting>, 'density'> = {
      kind: 'prior',
      name,
      parameters: started,
      toJSON: () => (definition.data === undefined ? data : definition.data.toJSON(data)),
      prepare: (observations) => definition.prepare?.(observations, data),
      logDensity: (p, X, context) => definition.logDensity(own(p), X, full(context)),
      ...(definition.pointLogDensity && {
        pointLogDensity: (p: TensorMap, X: Tensor2D) => definition.pointLogDensity!(own(p), X),
      }),
      ...(transition === undefined
        ? {}
        : { transition: (p: TensorMap, X: Tensor2D, context: GivenContext) => transition(own(p), X, full(context)) }),
      ...(definition.field !== undefined && {
        field: (p: ParameterValues, X: Matrix, constants: unknown) =>
          definition.field!(
            p as Readonly<Record<Name, ParameterValue>>,
            X,
            data,
            constants as Constants,
            free as ReadonlySet<string> as ReadonlySet<Name>,
          ),
      }),
      ...(graph === undefined ? {} : { graph }),
      ...(hessian === undefined || free.size > 0
        ? {}
        : {
            hessian: (p: ParameterValues, X: Matrix, constants: unknown) =>
              hessian(p as Readonly<Record<Name, ParameterValue>>, X, constants as Constants),
          }),
      ...(restrict === undefined ? {} : { restrict }),
    };
    const { sample, expected, precision, isSparse } = definition;
    return Object.freeze<Prior<FieldShowing & Forecasting>>({
      ...prior,
      density: priorDensity(prior, {
        ...(precision && {
          precision: (p: TensorMap, { rows }: RowsShape, context: DensityContext) =>
            precision.call(definition, own(p), rows, full(givenFrom(context))),
        }),
        ...(isSparse && { isSparse }),
        ...(sample && { sample: (p, random, shape) => sample.call(definition, own(p), random, shape, data) }),
        ...(expected && {
          expected: (p, { value }) => expected.call(definition, own(p), value as op.GaussianRows),
        }),
      }),
    });
  };
  const restore: PriorFactory<Name, Data, FieldShowing & Forecasting>['restore'] = (parameters, json, read) =>
    factory(
      parameters as Overrides<Name>,
      definition.data === undefined ? (json as Data) : definition.data.fromJSON(json, read),
    );
  return Object.assign(factory, { restore });
}

/** A prior as the density of the latents of a model of variables. */
function priorDensity(
  prior: Omit<Prior, 'density'>,
  own: Pick<Density, 'sample' | 'expected' | 'precision' | 'isSparse'>,
): Density {
  const { name, parameters, pointLogDensity, transition, field, restrict } = prior;
  return Object.freeze<Density>({
    kind: 'density',
    name,
    normalized: own.sample !== undefined,
    exact: true,
    centered: false,
    takesMissing: false,
    independent: pointLogDensity !== undefined,
    parameters: () => parameters,
    prepare: (start): PreparedPrior => ({
      prepared: prior.prepare(start.observations),
      observations: () => start.observations,
    }),
    logDensity: (p, { value }, context) =>
      pointLogDensity === undefined || context.batch === undefined
        ? prior.logDensity(p, value, givenFrom(context))
        : pointLogDensity(p, value),
    ...((pointLogDensity || transition) && {
      condition: (p: TensorMap, fitted: Rows, context: DensityContext) => ({
        ...(pointLogDensity && { logPredictive: ({ value }: Rows) => pointLogDensity(p, value) }),
        ...(transition && {
          next: (before: Tensor2D) => {
            const step = transition(p, fitted.value, givenFrom(context));
            const [rows, columns] = before.shape;
            return step(op.slice(before, [rows - 1, 0], [1, columns]) as Tensor2D);
          },
        }),
      }),
    }),
    ...(field && {
      field: (p: ParameterValues, X: Matrix, constants: unknown) => field(p, X, (constants as PreparedPrior).prepared),
    }),
    ...(restrict && { restrict }),
    ...own,
  });
}

/** The context of an evaluation as a prior is given it. */
function givenFrom({ constants, onJitter }: DensityContext): GivenContext {
  const { prepared, observations } = constants as PreparedPrior;
  return {
    constants: prepared,
    onJitter,
    get observations() {
      return matrixTensor(observations());
    },
  };
}

interface PreparedPrior {
  readonly prepared: unknown;
  readonly observations: () => Matrix;
}

/** The prior, unless one of these parameters of it starts below 0; 0 itself turns a term off. */
export function notNegative(prior: Prior, names: readonly string[]): Prior {
  for (const name of names) {
    const [value] = entriesOf(prior.parameters[name]!.initial);
    if (value! >= 0) continue;
    throw new InvalidInputError(
      `Option '${name}' of ${prior.name} must be a number from 0, but ${value} was given. 0 turns it off.`,
    );
  }
  return prior;
}
