import { InvalidInputError } from '../../core/errors.ts';
import { givenList, namedOptions } from '../../core/options.ts';
import type { Random } from '../../core/random.ts';
import { doublesOf } from '../../engine/tensors/doubles.ts';
import * as op from '../../engine/tensors/ops.ts';
import type { Tensor, Tensor1D, Tensor2D } from '../../engine/tensors/tensorflow.ts';
import type { ParameterValues, TensorMap } from '../model.ts';
import { isParameter, type Parameter, type ParameterLike } from '../parameter.ts';
import { simplex } from '../structuredParameters.ts';
import {
  type Conditional,
  checkedTerm,
  type Density,
  type DensityContext,
  type DensityLike,
  densityOf,
  parametersOf,
  type RowMoments,
  type Rows,
} from './density.ts';
import { type ObservationSupport, observationSupport } from './support.ts';

/** Options of a mixture. */
export interface MixtureOptions {
  /** Probabilities of the components: a simplex that is learned (default with equal initial weights), or a list of initial weights. */
  readonly weights?: Parameter | readonly number[] | undefined;
}

/** A component with the prefix of its parameters. */
interface Component {
  readonly density: Density;
  /** Prefix of its parameters' names. */
  readonly prefix: string;
}

/**
 * A mixture of densities: each row belongs to one of the components, which is summed over, log p(row | parents) = log Σ_k w_k·p_k(row | parents).
 *
 * Its parameters are `weights` and the components' parameters under the components' names, such as `standardNormal.precision`, and
 * `standardNormal2.precision` for a second component of the same name.
 *
 * @param components - at least two densities with independent rows: they return one number per row
 * @param options - see {@link MixtureOptions}
 * @throws InvalidInputError for fewer than two components, components that are not densities, a different number of weights, and, on evaluation, a
 *   component that does not return one number per row
 * @see Bishop 2006, §9.2
 * @example
 * ```ts
 * import { defineDensity, fixed, latent, mixture, real } from 'latentfield';
 * import * as op from 'latentfield/ops';
 *
 * // log N(x | m, I) of each row
 * const around = defineDensity({
 *   name: 'around',
 *   parameters: { mean: real([0, 0]) },
 *   logDensity: (p, { value }) =>
 *     op.sub(op.mul(-0.5, op.sum(op.square(op.sub(value, p.mean)), 1)), value.shape[1] * 0.5 * Math.log(2 * Math.PI)),
 * });
 * const z = latent({ dim: 2, density: mixture([around({ mean: real([-1, 0]) }), around({ mean: real([1, 0]) })]) });
 * ```
 */
export function mixture(components: readonly DensityLike[], options: MixtureOptions = {}): Density {
  const own = namedOptions(options, 'mixture', ['weights']);
  const { parts, rowLogs, members, sampled } = componentsOf(components, 'mixture');
  const weights = probabilities(own.weights, parts.length, "Option 'weights' of mixture");
  const logDensity = (p: TensorMap, rows: Rows, context: DensityContext) =>
    op.logSumExp<Tensor1D>(op.add(rowLogs(p, rows, context), op.log(op.reshape(p.weights!, [1, parts.length]))), 1);
  return Object.freeze<Density>({
    ...members({ weights }),
    name: 'mixture',
    independent: true,
    logDensity,
    condition: (p, fitted, context) => conditional(parts, p, fitted, context, logDensity),
    ...(sampled && {
      sample: (p: TensorMap, random: Random, shape: readonly [number, number], given: readonly Tensor2D[]) => {
        const draws = sampled(p, random, shape, given);
        return chosen(draws, drawnComponents(p, shape[0], random));
      },
    }),
  });
}

/** Parts of a density that sums over components: these, log p_k(row | parents) of each row, the members that follow, and a draw of rows from each component. */
interface Components {
  readonly parts: readonly Component[];
  readonly rowLogs: (p: TensorMap, rows: Rows, context: DensityContext) => Tensor2D;
  readonly members: (own: Readonly<Record<string, Parameter>>) => Omit<Density, 'name' | 'independent' | 'logDensity'>;
  readonly sampled:
    | ((
        p: TensorMap,
        random: Random,
        shape: readonly [number, number],
        given: readonly Tensor2D[],
      ) => readonly Tensor2D[])
    | undefined;
}

/**
 * The components of a density that sums over them.
 *
 * @throws InvalidInputError for fewer than two components, and components that are not densities
 */
export function componentsOf(components: readonly DensityLike[], owner: string): Components {
  const given = givenList(components, owner, 'a list of densities');
  if (given.length < 2) {
    throw new InvalidInputError(`${owner} takes at least two densities, but ${given.length} was given.`);
  }
  const count = new Map<string, number>();
  const parts = given.map((each, k): Component => {
    const density = densityOf(each, `Component ${k} of a ${owner}`);
    const number = (count.get(density.name) ?? 0) + 1;
    count.set(density.name, number);
    return { density, prefix: `${density.name}${number === 1 ? '' : number}.` };
  });
  const all = (has: (density: Density) => unknown) => parts.every(({ density }) => has(density));
  return {
    parts,
    rowLogs: (p, rows, context) =>
      op.concat(
        parts.map((part, k) => termsOf(part, k, p, rows, context)),
        1,
      ),
    members: (own) => ({
      kind: 'density',
      normalized: all(({ normalized }) => normalized),
      exact: all(({ exact }) => exact),
      centered: all(({ centered }) => centered),
      takesMissing: all(({ takesMissing }) => takesMissing),
      ...(all(({ support }) => support) && { support: unionOf(parts.map(({ density }) => density.support!)) }),
      ...(all(({ functions }) => functions !== undefined && functions === parts[0]!.density.functions) && {
        functions: parts[0]!.density.functions!,
        functionStart: parts[0]!.density.functionStart!,
      }),
      parameters: (start) => ({
        ...own,
        ...Object.fromEntries(
          parts.flatMap(({ density, prefix }) =>
            Object.entries(parametersOf(density, start)).map(([key, parameter]) => [prefix + key, parameter]),
          ),
        ),
      }),
      prepare: (start) => {
        const prepared = parts.map(({ density }) => density.prepare?.(start));
        const dispose = () => {
          for (const own of prepared) (own as { dispose?: () => void } | undefined)?.dispose?.();
        };
        return Object.assign(prepared, { dispose });
      },
    }),
    sampled: all(({ sample }) => sample)
      ? (p, random, shape, given) => parts.map((part) => part.density.sample!(ownOf(part, p), random, shape, given))
      : undefined,
  };

  /** log p_k of each row, n×1. */
  function termsOf(part: Component, k: number, p: TensorMap, rows: Rows, context: DensityContext): Tensor2D {
    const { density } = part;
    const n = rows.value.shape[0];
    const [own, ofPart] = [ownOf(part, p), contextOf(context, parts, k)];
    // A density that sums over its independent rows has a term for each of them as new rows.
    const ofRows = density.independent === true ? density.condition?.(own, rows, ofPart).logPredictive : undefined;
    const term = checkedTerm(
      ofRows?.(rows) ?? density.logDensity(own, rows, ofPart),
      n,
      `component '${density.name}' of a ${owner}`,
    );
    if (term.rank === 1) return op.reshape<Tensor2D>(term, [n, 1]);
    throw new InvalidInputError(
      `Component '${density.name}' of a ${owner} must return one number per row, but its log density is one number for all rows together. Take densities of independent rows.`,
    );
  }
}

/** Values supported by at least one component. */
function unionOf(all: readonly ObservationSupport[]): ObservationSupport {
  const [values, ...others] = all.map((own) => own.values);
  const areEqual = others.every((own) => JSON.stringify(own) === JSON.stringify(values));
  return observationSupport(
    'the mixture',
    (y, rowMean) => {
      const refused = all.map(({ refuses }) => refuses(y, rowMean));
      return refused.includes(undefined) ? undefined : [...new Set(refused)].join(', or ');
    },
    areEqual ? values : undefined,
  );
}

/** K probabilities: a simplex, as it is, or from initial values; equal ones by default. */
export function probabilities(given: ParameterLike | undefined, count: number, what: string): Parameter {
  const own = given === undefined ? simplex(count) : isParameter(given) ? given : simplex(given);
  const { initial } = own;
  const entries = Array.isArray(initial) ? (initial as readonly number[]) : [];
  const sum = entries.reduce((total, entry) => total + entry, 0);
  if (entries.length === count && entries.every((entry) => entry > 0) && Math.abs(sum - 1) <= 1e-8) return own;
  throw new InvalidInputError(
    `${what} must contain ${count} numbers above 0 that add up to 1, one per component, but ${JSON.stringify(initial)} was given.`,
  );
}

/** Parameters of a component, without the prefix. */
function ownOf<T>({ prefix }: Component, p: Readonly<Record<string, T>>): Record<string, T> {
  const own: Record<string, T> = {};
  for (const [key, value] of Object.entries(p)) if (key.startsWith(prefix)) own[key.slice(prefix.length)] = value;
  return own;
}

/** The context of a component, with its constants, and values without the prefix. */
function contextOf(context: DensityContext, parts: readonly Component[], k: number): DensityContext {
  return Object.create(context, {
    constants: { get: () => (context.constants as readonly unknown[])[k] },
    values: { get: (): ParameterValues | undefined => context.values && ownOf(parts[k]!, context.values) },
  }) as DensityContext;
}

function conditional(
  parts: readonly Component[],
  p: TensorMap,
  fitted: Rows,
  context: DensityContext,
  logDensity: (p: TensorMap, rows: Rows, context: DensityContext) => Tensor1D,
): Conditional {
  const each = parts.map((part, k) => part.density.condition?.(ownOf(part, p), fitted, contextOf(context, parts, k)));
  const draws = parts.map(({ density }, k) => {
    const own = each[k]?.sample;
    if (own !== undefined) return own;
    const sample = density.sample;
    return (
      sample &&
      ((given: readonly Tensor2D[], random: Random) =>
        sample(ownOf(parts[k]!, p), random, [given[0]!.shape[0], fitted.value.shape[1]], given))
    );
  });
  return {
    logPredictive: (rows) => logDensity(p, rows, context),
    ...(each.every((own) => own?.moments !== undefined) && {
      moments: (given: readonly Tensor2D[]) =>
        mixedMoments(
          p,
          each.map((own) => own!.moments!(given)),
        ),
    }),
    // Without givens new rows are draws of the density itself.
    ...(fitted.given.length > 0 &&
      draws.every((own) => own !== undefined) && {
        sample: (given: readonly Tensor2D[], random: Random) =>
          chosen(
            draws.map((own) => own!(given, random)),
            drawnComponents(p, given[0]!.shape[0], random),
          ),
      }),
  };
}

/** Mean and variance of a mixture: the variance within components plus the variance of their means. */
function mixedMoments({ weights }: TensorMap, each: readonly RowMoments[]): RowMoments {
  const share = (k: number) => op.slice(weights!, [k], [1]);
  const sum = (of: (moments: RowMoments) => Tensor) =>
    each.map((own, k) => op.mul<Tensor2D>(share(k), of(own))).reduce((total, own) => op.add<Tensor2D>(total, own));
  const mean = sum((own) => own.mean);
  const noise = sum(({ mean: own, noise = op.scalar(0) }) => op.mul(noise, op.onesLike(own)));
  const variance = sum((own) => op.add(own.variance, op.square(op.sub(own.mean, mean))));
  return { mean, variance, noise };
}

/** A component for each row, drawn with the weights. */
const drawnComponents = ({ weights }: TensorMap, rows: number, random: Random): number[] => {
  const shares = doublesOf(weights!);
  return Array.from({ length: rows }, () => drawnIndex(shares, random));
};

/** An index, drawn with these probabilities. */
export function drawnIndex(shares: ArrayLike<number>, random: Random): number {
  const place = random.uniform();
  let end = 0;
  for (let k = 0; k < shares.length; k++) {
    end += shares[k]!;
    if (place < end) return k;
  }
  return shares.length - 1;
}

/** Rows, each from the draw of its component. */
export function chosen(draws: readonly Tensor2D[], component: readonly number[]): Tensor2D {
  const of = (k: number) =>
    op.tensor<Tensor2D>(
      Float64Array.from(component, (own) => (own === k ? 1 : 0)),
      [component.length, 1],
    );
  return draws.map((draw, k) => op.mul<Tensor2D>(of(k), draw)).reduce((sum, part) => op.add<Tensor2D>(sum, part));
}
