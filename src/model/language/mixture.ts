import { InvalidInputError } from '../../core/errors.ts';
import { givenList, namedOptions } from '../../core/options.ts';
import type { Random } from '../../core/random.ts';
import { doublesOf } from '../../engine/tensors/doubles.ts';
import * as op from '../../engine/tensors/ops.ts';
import type { Tensor, Tensor1D, Tensor2D } from '../../engine/tensors/tensorflow.ts';
import type { ParameterValues, TensorMap } from '../model.ts';
import { isParameter, type Parameter } from '../parameter.ts';
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
  /** How probable each component is: a simplex that is learned (equal weights unless given), or a list of weights to start from. */
  readonly weights?: Parameter | readonly number[] | undefined;
}

/** A component in its place. */
interface Component {
  readonly density: Density;
  /** Prefix of its parameters' names. */
  readonly prefix: string;
}

/**
 * A mixture of densities: each row is of one of the components, and which one is summed over, log p(row | given) = log Σ_k w_k·p_k(row | given).
 *
 * Its parameters are `weights` and those of the components under their names: `standardNormal.precision`, a second one's `standardNormal2.precision`.
 *
 * @param components - at least two densities under which rows are independent: they return one number a row
 * @param options - see {@link MixtureOptions}
 * @throws InvalidInputError for fewer than two components, ones that are not densities, weights that are not as many, and, when it is evaluated, a component
 * that does not return one number a row
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
  const given = givenList(components, 'mixture', 'a list of densities');
  const own = namedOptions(options, 'mixture', ['weights']);
  if (given.length < 2) {
    throw new InvalidInputError(`mixture takes at least two densities, but ${given.length} was given.`);
  }
  const count = new Map<string, number>();
  const parts = given.map((each, k): Component => {
    const density = densityOf(each, `Component ${k} of a mixture`);
    const number = (count.get(density.name) ?? 0) + 1;
    count.set(density.name, number);
    return { density, prefix: `${density.name}${number === 1 ? '' : number}.` };
  });
  const weights = weightsOf(own.weights, parts.length);
  const all = (has: (density: Density) => unknown) => parts.every(({ density }) => has(density));
  const logs = (p: TensorMap, rows: Rows, context: DensityContext) => {
    const n = rows.value.shape[0];
    const each = parts.map((part, k) => {
      const { density } = part;
      const [own, ofPart] = [ownOf(part, p), contextOf(context, parts, k)];
      // A density that sums over its independent rows has a term for each of them as new rows.
      const ofRows = density.independent === true ? density.condition?.(own, rows, ofPart).logPredictive : undefined;
      const term = checkedTerm(
        ofRows?.(rows) ?? density.logDensity(own, rows, ofPart),
        n,
        `component '${density.name}' of a mixture`,
      );
      if (term.rank === 1) return op.reshape<Tensor2D>(term, [n, 1]);
      throw new InvalidInputError(
        `Component '${part.density.name}' of a mixture must return one number a row, but its log density is one of all rows together. Mix densities of independent rows.`,
      );
    });
    return op.add<Tensor2D>(op.concat(each, 1), op.log(op.reshape<Tensor2D>(p.weights!, [1, parts.length])));
  };
  const logDensity = (p: TensorMap, rows: Rows, context: DensityContext) => logSumExp(logs(p, rows, context));
  return Object.freeze<Density>({
    kind: 'density',
    name: 'mixture',
    normalized: all(({ normalized }) => normalized),
    exact: all(({ exact }) => exact),
    centered: all(({ centered }) => centered),
    takesMissing: all(({ takesMissing }) => takesMissing),
    independent: true,
    ...(all(({ support }) => support) && { support: unionOf(parts.map(({ density }) => density.support!)) }),
    ...(all(({ functions }) => functions !== undefined && functions === parts[0]!.density.functions) && {
      functions: parts[0]!.density.functions!,
      functionStart: parts[0]!.density.functionStart!,
    }),
    parameters: (start) => ({
      weights,
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
    logDensity,
    condition: (p, fitted, context) => conditional(parts, p, fitted, context, logDensity),
    ...(all(({ sample }) => sample) && {
      sample: (p: TensorMap, random: Random, shape: readonly [number, number], given: readonly Tensor2D[]) =>
        chosen(
          p,
          shape[0],
          random,
          parts.map((part) => part.density.sample!(ownOf(part, p), random, shape, given)),
        ),
    }),
  });
}

/** Values that one of these supports has. */
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

function weightsOf(given: MixtureOptions['weights'], count: number): Parameter {
  const weights = given === undefined ? simplex(count) : isParameter(given) ? given : simplex(given);
  const { initial } = weights;
  const entries = Array.isArray(initial) ? (initial as readonly number[]) : [];
  const sum = entries.reduce((total, entry) => total + entry, 0);
  if (entries.length === count && entries.every((entry) => entry > 0) && Math.abs(sum - 1) <= 1e-8) return weights;
  throw new InvalidInputError(
    `Option 'weights' of mixture must hold ${count} numbers above 0 that add up to 1, one a component, but ${JSON.stringify(initial)} was given.`,
  );
}

/** Parameters of a component by its own names. */
function ownOf<T>({ prefix }: Component, p: Readonly<Record<string, T>>): Record<string, T> {
  const own: Record<string, T> = {};
  for (const [key, value] of Object.entries(p)) if (key.startsWith(prefix)) own[key.slice(prefix.length)] = value;
  return own;
}

/** The context of a component: with its own constants, and values by its own names. */
function contextOf(context: DensityContext, parts: readonly Component[], k: number): DensityContext {
  return Object.create(context, {
    constants: { get: () => (context.constants as readonly unknown[])[k] },
    values: { get: (): ParameterValues | undefined => context.values && ownOf(parts[k]!, context.values) },
  }) as DensityContext;
}

/** log Σ_k exp(a_nk) of each row, which does not overflow. */
function logSumExp(a: Tensor2D): Tensor1D {
  const most = op.max<Tensor2D>(a, 1, true);
  const sum = op.log(op.sum(op.exp(op.sub(a, most)), 1));
  return op.add<Tensor1D>(sum, op.reshape(most, [a.shape[0]]));
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
            p,
            given[0]!.shape[0],
            random,
            draws.map((own) => own!(given, random)),
          ),
      }),
  };
}

/** Mean and variance of a mixture: that within components, and that of their means. */
function mixedMoments({ weights }: TensorMap, each: readonly RowMoments[]): RowMoments {
  const share = (k: number) => op.slice(weights!, [k], [1]);
  const sum = (of: (moments: RowMoments) => Tensor) =>
    each.map((own, k) => op.mul<Tensor2D>(share(k), of(own))).reduce((total, own) => op.add<Tensor2D>(total, own));
  const mean = sum((own) => own.mean);
  const noise = sum(({ mean: own, noise = op.scalar(0) }) => op.mul(noise, op.onesLike(own)));
  const variance = sum((own) => op.add(own.variance, op.square(op.sub(own.mean, mean))));
  return { mean, variance, noise };
}

/** Rows of the components' draws, each of the component that is drawn for it. */
function chosen({ weights }: TensorMap, rows: number, random: Random, draws: readonly Tensor2D[]): Tensor2D {
  let sum = 0;
  const ends = doublesOf(weights!).map((share) => {
    sum += share;
    return sum;
  });
  const component = Array.from({ length: rows }, () => {
    const place = random.uniform();
    const k = ends.findIndex((end) => place < end);
    return k < 0 ? ends.length - 1 : k;
  });
  const of = (k: number) =>
    op.tensor<Tensor2D>(
      Float64Array.from(component, (own) => (own === k ? 1 : 0)),
      [rows, 1],
    );
  return draws.map((draw, k) => op.mul<Tensor2D>(of(k), draw)).reduce((sum, part) => op.add<Tensor2D>(sum, part));
}
