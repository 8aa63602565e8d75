import { InvalidInputError } from '../../core/errors.ts';
import { describe, type Matrix } from '../../core/matrix.ts';
import { checkDefinition, checkMembers, checkName, type Member, unknownName } from '../../core/options.ts';
import type { Random } from '../../core/random.ts';
import type { GaussianRows } from '../../engine/tensors/ops.ts';
import type { Scalar, Tensor, Tensor1D, Tensor2D } from '../../engine/tensors/tensorflow.ts';
import type { Search, TensorMap } from '../model.ts';
import type { Parameter, ParameterValue } from '../parameter.ts';
import { type Overrides, type OwnParameters, overriddenParameters } from '../part.ts';
import type { LearnedByLayer } from '../posterior.ts';
import type {
  Conditional,
  Density,
  DensityContext,
  DensityStart,
  RowMoments,
  Rows,
  RowsShape,
  SearchOfRows,
  SparsePrecision,
  UnderGaussianRows,
} from './density.ts';
import { type DensitySupport, supportOf } from './support.ts';

/** Abilities of a density with this definition; unknown where its type leaves open whether rows are independent. */
export type SaidBy<D> = 'field' extends keyof D
  ? 'field'
  : unknown extends IsIndependent<D>
    ? unknown
    : SaidWhere<IsIndependent<D>, D> | SaidOfNewRows<D>;
type IsIndependent<D> = D extends { readonly independent: infer I extends true | false }
  ? boolean extends I
    ? unknown
    : I
  : D extends { readonly logDensity: (...given: never[]) => infer L }
    ? Scalar | Tensor1D extends L
      ? unknown
      : L extends Tensor1D
        ? true
        : false
    : unknown;
type SaidWhere<Independent, D> =
  | (Independent extends true ? 'rows' : never)
  | ('sample' extends keyof D ? 'draws' | (Independent extends true ? 'sample' : never) : never);
type SaidOfNewRows<D> = D extends { readonly condition: (...given: never[]) => infer K }
  ?
      | ('logPredictive' extends keyof K ? 'rows' : never)
      | Extract<keyof K, 'moments' | 'sample'>
      | (K extends { readonly next: unknown } ? 'next' : 'next' extends keyof K ? 'perhaps next' : never)
  : 'condition' extends keyof D
    ? unknown
    : never;

/** Definition of a density: see {@link defineDensity}. */
export interface DensityDefinition<Name extends string, C = undefined> {
  /** Letters and digits, a letter first. */
  readonly name: string;
  /** Default parameters; a bare number is `positive`. They may depend on the variable. None unless given. */
  readonly parameters?: OwnParameters<Name> | ((start: DensityStart) => OwnParameters<Name>);
  /** Constants, made once for each evaluation of a whole fit: tensors in them are kept until it ends, and `dispose()` is called. */
  prepare?(start: DensityStart): C;
  /**
   * log p(value | given) at the natural values p: n entries (Tensor1D) where rows are independent given what they are given, from which what is
   * said of new rows follows; a scalar otherwise.
   */
  logDensity(p: Values<Name>, rows: Rows, context: DensityContext<C>): Scalar | Tensor1D;
  /** Its conditional for new rows, given the fitted ones: see {@link Conditional}. A density that returns a Tensor1D needs it for moments only. */
  condition?(p: Values<Name>, fitted: Rows, context: DensityContext<C>): Conditional;
  /** A draw of n×D rows from the density itself. */
  sample?(p: Values<Name>, random: Random, shape: readonly [number, number], given: readonly Tensor2D[]): Tensor2D;
  /** Expectations under Gaussian rows, which are sampled without it. */
  readonly gaussian?: {
    /**
     * E[log p] where the value, or what it is given, is Gaussian row by row (`{ mean, variance }`; what is not comes as it is), or a lower bound of it: n entries
     * where rows are independent, by which new rows are placed too.
     */
    expected?(p: Values<Name>, rows: Rows<Tensor2D | GaussianRows>, context: DensityContext<C>): Scalar | Tensor1D;
    /**
     * Q, n×n, where log p(value | given) = c − ½·Σ_d (x_d − μ_d)ᵀQ(x_d − μ_d) with one matrix for all columns. Its expectation under Gaussian rows follows
     * from it, and `gaussianLatents({ correlated: true })` takes its correlations from it.
     */
    precision?(p: Values<Name>, rows: RowsShape, context: DensityContext<C>): Tensor2D | SparsePrecision | undefined;
  } & Pick<UnderGaussianRows, 'over' | 'isSparse'>;
  /** For random fields over the rows. */
  readonly field?: {
    /** The field at natural values p and rows X (n×D), which fits then show. */
    learned(p: Readonly<Record<Name, ParameterValue>>, X: Matrix, constants: C): LearnedByLayer;
  };
  /** How its maximum is searched for. */
  readonly search?: {
    /** The Hessian of the log density in its value, (nD)² numbers row by row: solvers such as `newton()` need it of all densities of latents. It counts where no parameter is free. */
    hessian?(p: Readonly<Record<Name, ParameterValue>>, X: Matrix, constants: C): Float64Array;
    /** Iterations, tolerances and solver of the search that suits it. */
    readonly settings?: Search;
  } & Pick<SearchOfRows, 'restrict' | 'graph'>;
  /** false where the log density is an exponent without its normalizing constant. */
  readonly normalized?: boolean;
  /** false where `logPredictive` is not the conditional of the joint density, as for bounds. */
  readonly exact?: boolean;
  /** true where columns of observations are to have mean 0. */
  readonly centered?: boolean;
  /** true where rows with missing entries are taken, by `rows.present`. */
  readonly takesMissing?: boolean;
  /**
   * Values that an entry of an observation may have: 'real' (the default), 'counts' from 0, an interval such as `{ above: 0 }` or `{ from: 0, to: 1 }`, or a list of all
   * values. Observations outside of it are refused.
   */
  readonly support?: DensitySupport;
  /** true or false where rows are independent or not, whatever its log density returns; without it, its log density shows it. */
  readonly independent?: boolean;
}

type Values<Name extends string> = Readonly<Record<Name, Tensor>>;

/** In types: a definition that shows a field. */
export interface FieldMember {
  readonly field: unknown;
}

/** Members of definitions, for checks of their names. */
export const DENSITY_MEMBERS: Readonly<Record<keyof DensityDefinition<string>, Member>> = {
  ...{ name: 'anything', parameters: 'anything', support: 'anything', normalized: 'anything', exact: 'anything' },
  ...{ centered: 'anything', takesMissing: 'anything', independent: 'anything' },
  ...{ prepare: 'function, if any', logDensity: 'function', condition: 'function, if any', sample: 'function, if any' },
  ...{ gaussian: 'anything', field: 'anything', search: 'anything' },
};

/** Members that are functions, called on their definition. */
const FUNCTIONS = ['prepare', 'logDensity', 'condition', 'sample'] as const;

/** Those that the density has as they are. */
const VALUES = [
  'normalized',
  'exact',
  'centered',
  'takesMissing',
  'independent',
  'gaussian',
  'field',
  'search',
] as const;

/** Members of each group. */
const GROUPS = {
  gaussian: { expected: 'function, if any', precision: 'function, if any', over: 'anything', isSparse: 'anything' },
  field: { learned: 'function' },
  search: { hessian: 'function, if any', restrict: 'function, if any', graph: 'anything', settings: 'anything' },
} as const satisfies Record<string, Readonly<Record<string, Member>>>;

const SAID: readonly (keyof Conditional)[] = [
  ...(['logPredictive', 'moments', 'uncertainMoments', 'hasGaussianNoise', 'expected'] as const),
  ...(['relevance', 'slopes', 'sample', 'next'] as const),
];
const MOMENTS: readonly (keyof RowMoments)[] = ['mean', 'variance', 'noise', 'observed', 'covariances'];

/** Returns what a function of a density returned. @throws InvalidInputError for what is no object, and for a member that is not known */
function checkedResult<T extends object>(result: T, what: string, known: readonly string[]): T {
  if (typeof result !== 'object' || result === null) {
    throw new InvalidInputError(
      `${what} must be an object with some of ${known.join(', ')}, but is ${describe(result)}.`,
    );
  }
  const unknown = Object.keys(result).find((key) => !known.includes(key));
  if (unknown === undefined) return result;
  throw unknownName('member', unknown, known, what);
}

function checkedConditional(name: string, result: Conditional): Conditional {
  const own = checkedResult(result, `What condition of the density '${name}' returns`, SAID);
  const { moments } = own;
  if (moments === undefined) return own;
  const what = `What moments of the density '${name}' returns`;
  return { ...own, moments: (given) => checkedResult(moments.call(own, given), what, MOMENTS) };
}

const DEFAULTS = {
  kind: 'density',
  normalized: true,
  exact: true,
  centered: false,
  takesMissing: false,
  independent: undefined,
} as const;

function withoutHessian({ hessian: _, ...search }: SearchOfRows): SearchOfRows {
  return search;
}

/** Makes a density; what is given replaces the default parameters. */
export type DensityFactory<Name extends string, Said = unknown> = (overrides?: Overrides<Name>) => Density<Said>;

/**
 * A custom density: how the rows of a variable are distributed given those of others. Its one function is the log density; where that returns a
 * number for each row, rows are independent, and fits judge new rows by the same function.
 *
 * @param given - see {@link DensityDefinition}
 * @returns a factory `(overrides?) => Density` for `latent({ density })`, `observed(Y, { density })` and `factors`
 * @throws InvalidInputError for a name that is not one word, a member that is not known, or a parameter that is not one
 * @example
 * ```ts
 * import { defineDensity, positive } from 'latentfield';
 * import * as op from 'latentfield/ops';
 *
 * // Rows are independent: log p(x) = −Σ_d [|x_d|/b + log 2b]
 * const doubleExponential = defineDensity({
 *   name: 'doubleExponential',
 *   parameters: { width: positive(1) },
 *   logDensity: (p, { value }) => op.neg(op.sum(op.add(op.div(op.abs(value), p.width), op.log(op.mul(2, p.width))), 1)),
 * });
 * ```
 */
export function defineDensity<Name extends string = never, C = undefined, const D = unknown>(
  given: DensityDefinition<Name, C> & D,
): DensityFactory<Name, SaidBy<D>> {
  const definition: DensityDefinition<Name, C> = given;
  const { name, parameters = {} as OwnParameters<Name> } = checkDefinition(definition, 'defineDensity');
  checkName(name, 'A density');
  checkMembers(definition, 'defineDensity', DENSITY_MEMBERS);
  const owner = `Density '${name}'`;
  const support = supportOf(`density '${name}'`, definition.support);
  for (const [group, known] of Object.entries(GROUPS)) {
    const own = Reflect.get(definition, group) as object | undefined;
    if (own !== undefined)
      checkMembers(checkDefinition(own, `${group} of defineDensity`), `${group} of defineDensity`, known);
  }
  const bound = Object.fromEntries(
    FUNCTIONS.flatMap((key) => (definition[key] ? [[key, definition[key].bind(definition)]] : [])),
  );
  const values = VALUES.flatMap((key) => (definition[key] === undefined ? [] : [[key, definition[key]]]));
  const { condition, search, ...others } = { ...Object.fromEntries(values), ...bound } as unknown as Omit<
    Density,
    '~says'
  >;
  return (overrides = {} as Overrides<Name>) => {
    const started =
      typeof parameters === 'function'
        ? (start: DensityStart) => overriddenParameters(owner, parameters(start), overrides)
        : Object.freeze(overriddenParameters(owner, parameters, overrides));
    const isHeld = typeof started === 'object' && Object.values<Parameter>(started).every(({ free }) => !free);
    return Object.freeze<Density<SaidBy<D>>>({
      ...DEFAULTS,
      ...others,
      name,
      parameters: started,
      ...(support && { support }),
      ...(search && { search: isHeld || search.hessian === undefined ? search : withoutHessian(search) }),
      ...(condition && {
        condition: (p: TensorMap, fitted: Rows, context: DensityContext) =>
          checkedConditional(name, condition(p, fitted, context)),
      }),
      call: { name, arguments: Object.keys(overrides).length === 0 ? [] : [overrides] },
    });
  };
}

/** The density with the call that makes it again. */
export const calledBy = <D extends Density>(density: D, ...args: readonly unknown[]): D =>
  Object.freeze({ ...density, call: { name: density.name, arguments: args } });
