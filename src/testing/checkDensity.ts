import * as tf from '@tensorflow/tfjs-core';
import * as v from 'valibot';
import { square } from '../core/elementary/index.ts';
import { InvalidInputError, LatentFieldError } from '../core/errors.ts';
import { describe, Matrix, type MatrixLike } from '../core/matrix.ts';
import { namedOptions, type OptionsIn, typed } from '../core/options.ts';
import { lazily } from '../core/progressiveWork.ts';
import { type Random, seededRandom } from '../core/random.ts';
import { joinedRows } from '../core/rowMatrices.ts';
import { doublesOf, matrixTensor, tensorMatrix } from '../engine/tensors/doubles.ts';
import { valueAndGradients } from '../engine/tensors/gradients.ts';
import * as op from '../engine/tensors/ops.ts';
import type { Scalar, Tensor2D } from '../engine/tensors/tensorflow.ts';
import { isLikelihood, type Likelihood } from '../model/entrywise/likelihood.ts';
import { type DensityLike, densityOf, type RowMoments } from '../model/language/density.ts';
import type { TensorMap } from '../model/model.ts';
import { type GivenValues, givenValues } from '../model/open.ts';
import { valueTensors } from '../model/part.ts';
import { type DifferenceOptions, differenceEntries, gradientAgreement } from './checkGradient.ts';
import {
  alongColumn,
  chosenRows,
  conditionOf,
  type DensityAt,
  densityAt,
  integrated,
  isContinuous,
  normalNodes,
  type PlainRows,
  type ReadyDensity,
  randomEntry,
  rowTensors,
  type Support,
  supportBy,
  withEntries,
  withRow,
} from './quadrature.ts';
import {
  agreement,
  type ConformanceReport,
  checkEntries,
  conformance,
  finite,
  type Requirement,
  randomPoints,
  Skip,
  skip,
  withCoincident,
} from './report.ts';
import { movedValues, totalByDraws } from './totalProbability.ts';

const OPTIONS = {
  ...checkEntries,
  ...differenceEntries,
  /** Number of columns of the value (1). With several, one is integrated over if the density supports missing entries, otherwise none. */
  columns: v.optional(typed<number>()),
  /** Numbers of columns of its parent variables: by default as many parents as a likelihood has functions, one with 2 columns for a process, otherwise none. */
  givenColumns: v.optional(typed<readonly number[]>()),
  /** Number of rows, from 2 (6). */
  rows: v.optional(typed<number>()),
  /** Rows of the value, instead of standard normal ones. */
  value: v.optional(typed<MatrixLike>()),
  /** Values of the parent variables, instead of standard normal ones; new rows have the same values in another order. */
  given: v.optional(typed<readonly MatrixLike[]>()),
  /** Natural values of its parameters by name; default their initial ones. */
  values: v.optional(typed<GivenValues>()),
  /** Support of the entries of the value, as in `defineDensity`; default the density's support. */
  support: v.optional(typed<Support>()),
};

export interface DensityCheckOptions extends OptionsIn<typeof OPTIONS> {}

/** Error of quadrature for total probabilities, and for moments relative to the largest. */
export const QUADRATURE = 1e-6;
/** Rounding error of sums, relative to the largest. */
const ROUNDING = 1e-10;
/** Scale factor of distant rows relative to the rows in other checks. */
const FAR = 4;
/** Number of draws whose means are compared. */
export const DRAWS = 400;
/** Largest deviation of means of draws, in standard errors. */
export const STANDARD_ERRORS = 5;

/**
 * Checks that all parts of a density describe the same distribution: its log density against its gradients, its rows and its normalizing constant;
 * densities of new rows against the conditional of the joint density; moments against quadrature; draws against the slopes of the log density
 * (Stein's identity); expectations against means of draws; and rows with missing entries against the integral over the missing entries.
 *
 * @param part - a density, or a part with one: a prior, a likelihood, a Gaussian process
 * @param options - see {@link DensityCheckOptions}; `tolerance` of gradients (1e-7), number of `entries` perturbed per value (30), `seed` (1), `throws`
 * @returns a report with every check
 * @throws ConformanceError if one fails, listing all failures, unless `throws` is false
 * @example
 * ```ts
 * import { checkDensity } from 'latentfield/testing';
 *
 * checkDensity(gaussianProcess({ kernel: rbf(), noise: 0.1 }), { columns: 2 });
 * ```
 */
export function checkDensity(part: DensityLike, options: DensityCheckOptions = {}): ConformanceReport {
  namedOptions(options, 'checkDensity', OPTIONS);
  const density = densityOf(part, 'What checkDensity is given');
  const { seed = 1, support = density.support === undefined ? 'real' : supportBy(density.support) } = options;
  const rows = rowsOf(part, density.functions, { ...options, support });
  const at = densityAt(density, rows, options.values === undefined ? {} : givenValues(options.values), seed);
  const requirements = densityRequirements(at, rows, {
    ...options,
    seed,
    support,
    isGiven: options.given !== undefined,
  });
  return conformance(`Density '${density.name}'`, options, requirements);
}

function rowsOf(part: DensityLike, functions: number | undefined, options: DensityCheckOptions): PlainRows {
  const { rows = 6, columns = 1, seed = 1, support = 'real' } = options;
  const random = seededRandom(seed);
  const entry = () => randomEntry(support, random);
  const value =
    options.value === undefined
      ? new Matrix(Float64Array.from({ length: rows * columns }, entry), rows, columns)
      : Matrix.from(options.value, "Option 'value'");
  const isProcess = Reflect.get(part, 'kind') === 'gaussianProcess';
  const widths = options.givenColumns ?? (functions ? [functions * value.columns] : isProcess ? [2] : []);
  const given =
    options.given?.map((one, i) => Matrix.from(one, `Entry ${i} of option 'given'`)) ??
    widths.map((width, i) => randomPoints(value.rows, width, seed + 2 + i));
  const other = given.find((one) => one.rows !== value.rows);
  if (value.rows >= 2 && other === undefined) return { value, given };
  throw new InvalidInputError(
    `checkDensity takes at least 2 rows, as many of each variable, but the value has ${value.rows}${other === undefined ? '' : ` and one that it is given ${other.rows}`}.`,
  );
}

interface Settings extends DifferenceOptions {
  readonly seed: number;
  readonly support: Support;
  /** True if the parent values are specified by the caller instead of standard normal ones. */
  readonly isGiven?: boolean;
  /** True for rows of a latent variable. */
  readonly isLatent?: boolean;
  /** Parameter values specified by the caller, which are not moved. */
  readonly values?: GivenValues | undefined;
}

function randomEntries(rows: number, columns: number, support: Support, seed: number): Matrix {
  if (support === 'real') return randomPoints(rows, columns, seed);
  const random = seededRandom(seed);
  const entries = Float64Array.from({ length: rows * columns }, () => randomEntry(support, random));
  return new Matrix(entries, rows, columns);
}

/** Requirements that are valid for all parameters, and may be satisfied by chance at the initial ones. */
const WHERE_PARAMETERS_MOVE = ['normalized', 'moments', 'draws'];

/** All requirements on a density at these rows, some of them also at other values of its free parameters unless values are specified. */
export function densityRequirements(at: DensityAt, rows: PlainRows, settings: Settings): Requirement[] {
  const all = requirementsAt(at, rows, settings);
  const values = settings.values === undefined ? movedValues(at.parameters, at.values) : undefined;
  if (values === undefined) return all;
  const moved = at.at(values);
  const there = new Map(requirementsAt(moved, rows, settings));
  const isThere = lazily(() => Number.isFinite(sumOf(moved.log(rows))));
  return all.map(([name, work]): Requirement => {
    if (!WHERE_PARAMETERS_MOVE.includes(name)) return [name, work];
    return [
      name,
      () => {
        const said = work();
        if (isThere()) located('where its parameters move', there.get(name)!);
        return said;
      },
    ];
  });
}

function requirementsAt(at: DensityAt, rows: PlainRows, settings: Settings): Requirement[] {
  const { density } = at;
  const { seed, support, isGiven, isLatent } = settings;
  const [n, D] = [rows.value.rows, rows.value.columns];
  const isByRow = lazily(() =>
    at.with(rows, ({ p, rows, context }) => density.logDensity(p, rows, context).rank === 1),
  );
  const saysOneRow = () => {
    try {
      return Number.isFinite(sumOf(at.log(chosenRows(rows, [0]))));
    } catch {
      return false;
    }
  };
  const fresh: PlainRows = {
    value: isContinuous(support) ? randomEntries(n, D, support, seed + 31) : rows.value,
    // Parents of a density may have to lie in some range, such as an exposure above 0.
    given: isGiven
      ? chosenRows(rows, [...Array.from({ length: n - 1 }, (_, i) => i + 1), 0]).given
      : rows.given.map(({ columns }, i) => randomPoints(n, columns, seed + 32 + i)),
  };
  const isIntegrable = D === 1 || density.takesMissing;
  const notIntegrated = `not integrated over ${D} columns: check it with one`;
  const predictiveAlong = (of: PlainRows, row: number, column: number) => (x: Float64Array) =>
    at.predictive(rows, alongColumn(of, row, x, column))!;
  /** Entries that can be integrated over with the others of their rows missing. */
  const columns = Array.from({ length: density.takesMissing ? D : 1 }, (_, d) => d);
  const eachEntry = Array.from({ length: n }, (_, i) => columns.map((d) => [i, d] as const)).flat();

  const ofDraws = (
    of: PlainRows,
    drawsBy: (ready: ReadyDensity) => (random: Random) => Tensor2D,
    isJoint: boolean,
  ): string => {
    const random = seededRandom(seed + 4);
    const drawn = at.with(rows, (ready) => {
      const draw = drawsBy(ready);
      return Array.from({ length: DRAWS }, () => tensorMatrix(draw(random)));
    });
    const other = drawn.find((one) => one.rows !== n || one.columns !== D);
    if (other !== undefined)
      throw new LatentFieldError(`a draw is ${other.rows}×${other.columns}, and must be ${n}×${D}`);
    if (support === 'real') return steinAgreement(drawn, slopesOf(at, rows, of, drawn, isJoint, isByRow()), isJoint);
    if (!isIntegrable || (isJoint && !isByRow())) return skip(notIntegrated);
    for (const [i, d] of eachEntry) {
      const { mean, variance } = integrated(predictiveAlong(of, i, d), support, rows.value.at(i, d));
      const own = drawn.map((one) => one.at(i, d));
      within(`row ${i}`, own, mean, false, variance);
      within(
        `the variance of row ${i}`,
        own.map((entry) => square(entry - mean)),
        variance,
      );
    }
    return `means and variances within ${STANDARD_ERRORS} standard errors`;
  };

  return [
    [
      'a finite log density',
      () => {
        const shape = at.with(rows, ({ p, rows, context }) => {
          const result: unknown = density.logDensity(p, rows, context);
          if (result instanceof tf.Tensor) return result.shape;
          throw new LatentFieldError(`it is ${describe(result)}, and must be a tensor`);
        });
        if (shape.length > 1 || (shape.length === 1 && shape[0] !== n)) {
          throw new LatentFieldError(
            `its shape is [${shape}]; it must be a scalar, or one number for each of ${n} rows`,
          );
        }
        finite(at.log(rows), 'the log density');
        return shape.length === 0 ? 'a scalar' : 'one number per row';
      },
    ],
    ['the same every time', () => agreement(at.log(rows), at.log(rows), 0)],
    ['gradients', () => gradientsAgree(at, rows, settings)],
    [
      'gradients far out',
      () => {
        if (support !== 'real') return skip('its support is not all real numbers');
        const far = { ...rows, value: withEntries(rows.value, (own) => FAR * own) };
        if (!Number.isFinite(sumOf(at.log(far)))) return skip('its log density is not finite there');
        return gradientsAgree(at, far, settings);
      },
    ],
    [
      'rows',
      () => {
        const says = density.independent;
        if (isByRow() && says === false) {
          throw new LatentFieldError('it declares that its rows depend on each other, but returns one number per row');
        }
        const alone = isByRow() || says === true ? at.predictive(rows, rows) : undefined;
        if (alone === undefined) return skip('they depend on each other');
        agreement([sumOf(alone)], [sumOf(at.log(rows))], ROUNDING);
        const moved = {
          ...rows,
          value: chosenRows(rows, [1, ...Array.from({ length: n - 1 }, (_, i) => i + 1)]).value,
        };
        agreement(at.predictive(rows, moved)!.slice(1), alone.slice(1), ROUNDING);
        const some = Int32Array.from([n - 1, 0]);
        const ofSome = at.log(chosenRows(rows, [n - 1, 0]), { rows: some, scale: 1 });
        agreement([sumOf(ofSome)], [alone[n - 1]! + alone[0]!], ROUNDING);
        return 'independent: they add up, all of them and some, and do not see each other';
      },
    ],
    [
      'normalized',
      () => {
        if (!density.normalized) return skip('it is not declared to be');
        const isOneRow = isByRow() || saysOneRow();
        if (!isOneRow || (D > 1 && !(isByRow() && density.takesMissing))) {
          if (support !== 'real') return skip(notIntegrated);
          return totalByDraws(at, isOneRow ? chosenRows(rows, [0]) : rows, seed);
        }
        const along = (i: number, d: number) => (x: Float64Array) =>
          isByRow()
            ? at.log(alongColumn(rows, i, x, d))
            : x.map((_, k) => sumOf(at.log(alongColumn(rows, i, x.slice(k, k + 1), d))));
        // Without parents, all rows are alike.
        const different = eachEntry.filter(([i]) => i === 0 || (isByRow() && rows.given.length > 0));
        const totals = different.map(([i, d]) => integrated(along(i, d), support, rows.value.at(i, d)).total);
        return agreement(
          totals,
          totals.map(() => 1),
          QUADRATURE,
        );
      },
    ],
    [
      'new rows',
      () => {
        const judged = at.predictive(rows, fresh);
        if (judged === undefined) return skip('it does not define them');
        if (judged.length !== n)
          throw new LatentFieldError(`one number per row is needed, ${n}, but ${judged.length} came`);
        finite(judged, 'the log predictive density');
        if (isByRow()) return agreement(judged, at.log(fresh), ROUNDING);
        if (!density.exact) return skip('not compared: they are not declared conditionals of the joint density');
        if (density.independent === true) return 'as the rows that were fitted';
        const before = sumOf(at.log(rows));
        const joint = judged.map((_, i) => sumOf(at.log(withRow(rows, fresh, i))) - before);
        return agreement(judged, joint, 1e-8, Math.max(1, Math.abs(before)));
      },
    ],
    [
      'moments',
      () => {
        const said = at.with(rows, (ready) => {
          const of = conditionOf(density, ready).moments;
          const moments = of && momentsOrSkip(() => of(rowTensors(fresh).given));
          return moments && plainMoments(moments, n, D);
        });
        if (said === undefined) return skip('it gives none');
        if (at.predictive(rows, fresh) === undefined) return skip('not compared: it defines nothing else for new rows');
        if (!isIntegrable) return skip(notIntegrated);
        const found = eachEntry.map(([i, d]) =>
          integrated(predictiveAlong(fresh, i, d), support, said.mean[i * D + d]!),
        );
        const those = (of: Float64Array) => eachEntry.map(([i, d]) => of[i * D + d]!);
        const variances = found.map(({ variance }) => variance);
        const width = Math.sqrt(Math.max(...variances));
        const means = found.map(({ mean }) => mean);
        located('the mean', () => agreement(those(said.mean), means, QUADRATURE, width));
        return located('the variance', () => agreement(those(said.variance), variances, QUADRATURE));
      },
    ],
    [
      'draws',
      () => {
        if (density.sample === undefined) return skip('it makes none');
        return ofDraws(
          rows,
          ({ p, rows }) =>
            (random) =>
              density.sample!(p, random, [n, D], rows.given),
          true,
        );
      },
    ],
    [
      'next',
      () => {
        const said = at.with(rows, (ready) => {
          const before = (lag: number) => op.slice<Tensor2D>(ready.rows.value, [n - lag, 0], [1, D]);
          const next = conditionOf(density, ready).next?.(before, 0);
          if (next === undefined) return undefined;
          const variance = op.add<Tensor2D>(op.zeros([1, D]), next.variance);
          return { mean: tensorMatrix(next.mean), variance: tensorMatrix(variance) };
        });
        if (said === undefined) return skip('it gives none');
        if (rows.given.length > 0) return skip('not compared: what the next row is given is not known');
        for (let d = 0; d < D; d++) {
          const along = (x: Float64Array) =>
            x.map((entry) => {
              const after = { value: withEntries(said.mean, (own, j) => (j === d ? entry : own)), given: [] };
              return sumOf(at.log(withRow(rows, after, 0)));
            });
          const { mean, variance } = integrated(along, support, said.mean.data[d]!);
          located(`the mean of column ${d}`, () =>
            agreement([said.mean.data[d]!], [mean], QUADRATURE, Math.sqrt(variance)),
          );
          located(`the variance of column ${d}`, () => agreement([said.variance.data[d]!], [variance], QUADRATURE));
        }
        return 'mean and variance of the row that follows';
      },
    ],
    [
      'draws of new rows',
      () => {
        const isDrawn = at.with(rows, (ready) => conditionOf(density, ready).sample !== undefined);
        if (!isDrawn) return skip('it makes no separate one');
        const drawsBy = (ready: ReadyDensity) => {
          const conditional = conditionOf(density, ready);
          const { given } = rowTensors(fresh);
          return (random: Random) => conditional.sample!(given, random);
        };
        return ofDraws(fresh, drawsBy, false);
      },
    ],
    [
      'expectations',
      () => {
        const { expected, over } = density.gaussian ?? {};
        if (expected === undefined) return skip('it gives none');
        // Where the value does not vary as a Gaussian, its parents do.
        const isGiven = over === 'given';
        const spread = (of: Matrix) => withEntries(of, (_, i) => 0.1 * (1 + (i % 3)));
        const gaussian = (of: Matrix) => ({ mean: matrixTensor(of), variance: matrixTensor(spread(of)) });
        const said = at.with(rows, ({ p, rows: own, context }) => {
          const moved = isGiven ? { given: rows.given.map(gaussian) } : { value: gaussian(rows.value) };
          return op.valueOf(op.sum<Scalar>(expected(p, { ...own, ...moved }, context)));
        });
        const random = seededRandom(seed + 4);
        const draw = (of: Matrix) =>
          withEntries(of, (mean, i) => mean + Math.sqrt(spread(of).data[i]!) * random.normal());
        const drawn = Array.from({ length: DRAWS }, () =>
          sumOf(at.log({ ...rows, ...(isGiven ? { given: rows.given.map(draw) } : { value: draw(rows.value) }) })),
        );
        return within('it', drawn, said, !density.exact);
      },
    ],
    [
      'missing entries',
      () => {
        if (isLatent) return skip('latents have no missing entries');
        if (!density.takesMissing) return skip('it takes complete rows only');
        const all = withEntries(rows.value, () => 1);
        agreement([sumOf(at.log({ ...rows, present: all }))], [sumOf(at.log(rows))], ROUNDING);
        // One entry of the last row.
        const hole = (n - 1) * D;
        const present = withEntries(all, (own, i) => (i === hole ? 0 : own));
        const without = sumOf(
          at.log({ ...rows, value: withEntries(rows.value, (own, i) => (i === hole ? 0 : own)), present }),
        );
        const whole = (x: number) =>
          sumOf(at.log({ ...rows, value: withEntries(rows.value, (own, i) => (i === hole ? x : own)) }));
        const { total } = integrated((x) => x.map((entry) => whole(entry) - without), support, rows.value.data[hole]!);
        return agreement([total], [1], QUADRATURE);
      },
    ],
    [
      'coincident rows',
      () => {
        if (!isContinuous(support)) return skip('its support is a list');
        const gradients = at.with({ ...rows, value: withCoincident(rows.value) }, ({ p, rows: own, context }) => {
          const free = Object.keys(at.parameters).filter((name) => at.parameters[name]!.free);
          const moved = [own.value, ...free.map((name) => p[name]!)];
          return valueAndGradients(() => op.sum<Scalar>(density.logDensity(p, own, context)), moved).gradients;
        });
        for (const gradient of gradients) finite(gradient ?? [], 'a gradient');
        return 'gradients are finite';
      },
    ],
    ...(isLikelihood(density) ? likelihoodRequirements(density, at, rows) : []),
  ];
}

/** Variance of the functions where they are uncertain. */
const SPREAD = 0.3;

/** Requirements on a density of entries given functions. */
function likelihoodRequirements(likelihood: Likelihood, at: DensityAt, rows: PlainRows): Requirement[] {
  const [F] = rows.given as readonly [Matrix];
  const { expectation, functions, takesRows } = likelihood;
  const entriesAt = (f: Matrix) =>
    at.with(rows, ({ p, rows: { value } }) => doublesOf(likelihood.entryDensity(p, matrixTensor(f), value)).slice());
  const isOne = functions === 1 && !takesRows;
  return [
    [
      'entries',
      () => {
        if (!isOne) return skip('they depend on several functions');
        const moved = withEntries(F, (own, i) => (i === 0 ? own + 0.5 : own));
        return agreement(entriesAt(moved).slice(1), entriesAt(F).slice(1), 0);
      },
    ],
    [
      'uncertain functions',
      () => {
        if (!isOne) return skip('an entry depends on several functions');
        return at.with(rows, ({ p, rows: { value, given } }) => {
          const f = given[0]!;
          const spread = op.mul<Tensor2D>(SPREAD, op.onesLike(f));
          const agree = (what: string, own: Tensor2D, expected: Tensor2D) =>
            located(what, () => agreement(doublesOf(own), doublesOf(expected), UNCERTAIN));
          if (expectation !== undefined) {
            // One node after the other: a parameter may have an entry per row.
            const entries = normalNodes()
              .map(({ value: z, weight }) => {
                const moved = op.add<Tensor2D>(f, Math.sqrt(SPREAD) * z);
                return op.mul<Tensor2D>(weight, likelihood.entryDensity(p, moved, value));
              })
              .reduce((sum, own) => op.add<Tensor2D>(sum, own));
            agree('the expected log density', expectation(p, f, spread, value), entries);
          }
          const { mean, variance } = momentsOrSkip(() => likelihood.moments(p, f, spread));
          // Functions at all nodes, a block of rows for each.
          const nodes = normalNodes();
          const all = op.concat<Tensor2D>(
            nodes.map(({ value: z }) => op.add<Tensor2D>(f, Math.sqrt(SPREAD) * z)),
            0,
          );
          const weights = op.tensor(
            nodes.map(({ weight }) => weight),
            [nodes.length, 1, 1],
          );
          const averaged = (of: Tensor2D) =>
            op.sum<Tensor2D>(op.mul(weights, op.reshape(of, [nodes.length, ...f.shape])), 0);
          const known = likelihood.moments(p, all, op.zerosLike(all));
          agree('the mean', mean, averaged(known.mean));
          const squares = op.add<Tensor2D>(known.variance, op.square(known.mean));
          return agree('the mean square', op.add(variance, op.square(mean)), averaged(squares));
        });
      },
    ],
  ];
}

/** Error of expectations under uncertain functions, relative to the largest. */
const UNCERTAIN = 1e-7;

function momentsOrSkip<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof InvalidInputError) return skip('it gives none');
    throw error;
  }
}

/** Gradients of the sum in the value, the parents and free parameters; one must arrive in each parameter. */
function gradientsAgree(at: DensityAt, all: PlainRows, settings: Settings): string {
  const { density, parameters, values } = at;
  const free = Object.keys(parameters).filter((name) => parameters[name]!.free);
  const moved = {
    ...Object.fromEntries(free.map((name) => [`parameter ${name}`, values[name]!])),
    ...(isContinuous(settings.support) && { value: all.value }),
    ...Object.fromEntries(all.given.map((one, i) => [`given ${i}`, one])),
  };
  return at.with(all, ({ p, rows, context }) => {
    const sum = (t: TensorMap): Scalar => {
      const own = Object.fromEntries(free.map((name) => [name, t[`parameter ${name}`]!]));
      const value = (t.value ?? rows.value) as Tensor2D;
      const given = rows.given.map((_, i) => t[`given ${i}`] as Tensor2D);
      return op.sum<Scalar>(density.logDensity({ ...p, ...own }, { value, given }, context));
    };
    const t = valueTensors(moved);
    const { gradients } = valueAndGradients(() => sum(t), Object.values(t));
    // A density may use its parents only, as expectations of a field do.
    const unused = Object.keys(t).filter((name, i) => name !== 'value' && gradients[i] === undefined);
    if (unused.length === 0) return gradientAgreement(sum, moved, settings);
    throw new LatentFieldError(
      `no gradient arrives in ${unused.map((name) => `'${name}'`).join(', ')}: the log density does not use it`,
    );
  });
}

/** Slopes of the log density at draws: for all rows jointly, or for each new row separately. Draws of independent rows are evaluated together, one below the other. */
function slopesOf(
  at: DensityAt,
  fitted: PlainRows,
  of: PlainRows,
  drawn: readonly Matrix[],
  isJoint: boolean,
  isByRow: boolean,
): Float64Array[] {
  const { density } = at;
  return at.with(fitted, (ready) => {
    const { p, context } = ready;
    const conditional = isJoint ? {} : conditionOf(density, ready);
    const slopesAt = (rows: PlainRows) => {
      const around = rowTensors(rows);
      const sum = () => op.sum<Scalar>(conditional.logPredictive?.(around) ?? density.logDensity(p, around, context));
      return valueAndGradients(sum, [around.value]).gradients[0]!;
    };
    if (conditional.logPredictive === undefined && !(isByRow && density.independent !== false))
      return drawn.map((value) => slopesAt({ ...of, value }));
    const all = slopesAt({
      value: joinedRows(drawn),
      given: of.given.map((one) => joinedRows(drawn.map(() => one))),
      ...(of.present && { present: joinedRows(drawn.map(() => of.present!)) }),
    });
    const { length } = drawn[0]!.data;
    return drawn.map((_, k) => all.slice(k * length, (k + 1) * length));
  });
}

/**
 * Compares draws with the slopes s = ∂log p/∂x at them: E[s_b] = 0 and E[(x_a − E x_a)·s_b] = −δ_ab. Only entries of the same row are compared,
 * unless rows are drawn jointly.
 *
 * @see Stein, A bound for the error in the normal approximation, Proc. 6th Berkeley Symp. (1972)
 */
function steinAgreement(drawn: readonly Matrix[], slopes: readonly Float64Array[], isJoint: boolean): string {
  const { columns, data } = drawn[0]!;
  const means = data.map((_, a) => sumOf(drawn.map((one) => one.data[a]!)) / drawn.length);
  const entry = (i: number) => `row ${Math.floor(i / columns)}, column ${i % columns}`;
  for (let b = 0; b < data.length; b++) {
    within(
      `the mean slope in ${entry(b)}`,
      slopes.map((own) => own[b]!),
      0,
    );
    for (let a = 0; a < data.length; a++) {
      if (!isJoint && Math.floor(a / columns) !== Math.floor(b / columns)) continue;
      const mean = means[a]!;
      within(
        `the mean product of ${entry(a)} with the slope in ${entry(b)}`,
        drawn.map((one, k) => (one.data[a]! - mean) * slopes[k]![b]!),
        a === b ? -1 : 0,
      );
    }
  }
  // Over all entries together, which is a weaker check than each entry alone.
  within(
    'the mean product of entries with their own slopes',
    drawn.map((one, k) => sumOf(one.data.map((x, a) => (x - means[a]!) * slopes[k]![a]!)) / data.length),
    -1,
  );
  return `Stein's identity within ${STANDARD_ERRORS} standard errors of ${drawn.length} draws`;
}

/**
 * Compares the mean of draws with its expectation, or with a lower bound of it.
 *
 * @param known - variance of the draws; default the variance of the sample
 */
export function within(what: string, drawn: readonly number[], said: number, atLeast = false, known?: number): string {
  const mean = sumOf(drawn) / drawn.length;
  const variance = known ?? drawn.reduce((sum, one) => sum + square(one - mean), 0) / (drawn.length - 1);
  const error = Math.sqrt(variance / drawn.length) + 1e-12 * Math.max(1, Math.abs(mean));
  const distance = (said - mean) / error;
  if (Number.isFinite(distance) && (atLeast ? distance : Math.abs(distance)) <= STANDARD_ERRORS) {
    return `within ${STANDARD_ERRORS} standard errors of ${drawn.length} draws`;
  }
  throw new LatentFieldError(
    `${what} should be ${said}, but the mean of ${drawn.length} draws is ${mean}, with a standard error of ${error.toExponential(1)}`,
  );
}

/** Mean and variance of observations, n×D, as plain numbers. */
function plainMoments({ mean, variance, noise, covariances, observed }: RowMoments, n: number, D: number) {
  const shapeOf = (what: string, { shape }: { readonly shape: readonly number[] }, allowed: readonly string[]) => {
    if (allowed.includes(String(shape))) return;
    throw new LatentFieldError(`${what} has shape [${shape}], and must have [${allowed.join('] or [')}]`);
  };
  shapeOf('the mean', mean, [`${n},${D}`]);
  shapeOf('the variance', variance, [`${n},${D}`, `${n},1`]);
  const means = new Float64Array(doublesOf(mean));
  const spread = doublesOf(op.mul(variance, op.ones([1, D])));
  finite(means, 'the mean');
  finite(spread, 'the variance');
  const negative = spread.findIndex((entry) => entry < 0);
  if (negative >= 0) throw new LatentFieldError(`entry ${negative} of the variance is ${spread[negative]}, below 0`);
  const variances = new Float64Array(doublesOf(op.add(op.mul(variance, op.ones([1, D])), noise ?? op.scalar(0))));
  const [first] = covariances?.() ?? [];
  if (first !== undefined) {
    const entries = doublesOf(first);
    const diagonal = Float64Array.from({ length: n }, (_, i) => entries[i * (n + 1)]!);
    located('the diagonal of covariances', () =>
      agreement(
        diagonal,
        Float64Array.from({ length: n }, (_, i) => spread[i * D]!),
        1e-8,
      ),
    );
  }
  if (observed === undefined) return { mean: means, variance: variances };
  const own = observed();
  shapeOf('the mean of observations', own.mean, [`${n},${D}`]);
  shapeOf('the variance of observations', own.variance, [`${n},${D}`]);
  return { mean: new Float64Array(doublesOf(own.mean)), variance: new Float64Array(doublesOf(own.variance)) };
}

export function located(what: string, work: () => string): string {
  try {
    return work();
  } catch (error) {
    if (error instanceof Skip) throw error;
    throw new LatentFieldError(`${what}: ${(error as Error).message}`);
  }
}

const sumOf = (numbers: ArrayLike<number>): number => Array.from(numbers).reduce((sum, one) => sum + one, 0);
