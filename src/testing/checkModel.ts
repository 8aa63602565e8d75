import * as v from 'valibot';
import { InvalidInputError, LatentFieldError } from '../core/errors.ts';
import { Matrix } from '../core/matrix.ts';
import { checkGiven, namedOptions, type OptionsIn, typed } from '../core/options.ts';
import { seededRandom } from '../core/random.ts';
import { withEngine } from '../engine/dense/index.ts';
import { matrixTensor } from '../engine/tensors/doubles.ts';
import { withFloat64 } from '../engine/tensors/float64/scope.ts';
import * as op from '../engine/tensors/ops.ts';
import { assemblyOf } from '../model/givenModel.ts';
import { scalesAreHeld } from '../model/language/degenerateScales.ts';
import type { FittedVariables } from '../model/language/derived.ts';
import { compiledModel, type VariablesPosterior } from '../model/language/variablesModel.ts';
import type { AnyModel, ParameterValues } from '../model/model.ts';
import { checkFinite, logDensity } from '../model/objective.ts';
import { evaluate, type GivenValues, givenValues, logDensityOf } from '../model/open.ts';
import { entriesOf, type Parameter, type ParameterValue, shapeOf, valueFrom } from '../model/parameter.ts';
import type { RowsByName } from '../model/rowModel.ts';
import type { Transform } from '../model/transform.ts';
import { layOut, naturalEntries, valuesByPath } from '../model/variables.ts';
import { modelFromJSON } from '../models/modelFromJSON.ts';
import { type OwnParts, ownKinds } from '../models/ownParts.ts';
import { DRAWS, located, QUADRATURE, STANDARD_ERRORS, within } from './checkDensity.ts';
import { compareWithDifferences, type DifferenceOptions, differenceEntries } from './checkGradient.ts';
import { integrated, type Support, supportBy } from './quadrature.ts';
import {
  agreement,
  type ConformanceReport,
  checkEntries,
  conformance,
  finite,
  type Requirement,
  skip,
} from './report.ts';

const OPTIONS = {
  ...checkEntries,
  ...differenceEntries,
  /** Natural values by path; default the initial ones. */
  values: v.optional(typed<GivenValues>()),
};

/** Options of the check, with factories of custom models and parts by name, as for `loadFit`. */
export interface ModelCheckOptions extends OwnParts, OptionsIn<typeof OPTIONS> {}

/** The only requirement on a model that computes its solution. */
const PLAIN = 'plain JSON';

/**
 * Checks the properties that `fit` requires of every model, built-in or custom: gradients of `evaluate` agree with differences of its objective,
 * terms add up to
 * the objective, and results are deterministic; the description of the model is plain JSON that restores it bit for bit; every free parameter is
 * used; transforms of parameters agree with differences; no tensors leak. For a model of variables, derived quantities are compared too: the density of new rows with its slopes, predictions and
 * draws of observations with their density, and all of these with their values after a JSON round trip. The points of a latent variable are shrunk
 * together with the
 * scales of their density, which finds models without a maximum.
 *
 * @param model - a small model: its objective is evaluated a few hundred times
 * @param options - `values` at which it is checked (default its start, away from closed bounds), `tolerance` of gradients (1e-6), number of `entries`
 * perturbed per value (6), `seed` (1) of
 *   initial values and of the choice of entries, `throws`; `models`, `kernels`, `priors` and others with custom factories, for the JSON round trip
 * @returns a report with every check
 * @throws ConformanceError if one fails, listing all failures, unless `throws` is false
 * @example
 * ```ts
 * import { checkModel } from 'latentfield/testing';
 *
 * checkModel(gplvm(Y, { latentDim: 2, kernel: cauchy() }), { kernels: { cauchy }, values: { 'mapping.noise': 0.1 } });
 * ```
 */
export function checkModel(model: AnyModel, options: ModelCheckOptions = {}): ConformanceReport {
  namedOptions(options, 'checkModel', { ...OPTIONS, ...ownKinds });
  checkGiven(model, 'checkModel', 'a model', ({ assemble }) => typeof assemble === 'function');
  const { seed = 1, values = {}, tolerance = 1e-6, entries = 6, throws, ...own } = options;
  const at = (): ParameterValues => ({ ...initialValues(model, seed), ...givenValues(values) });
  const objective = (moved: ParameterValues) => evaluate(model, moved as GivenValues, { seed }).objective;

  const requirements: Requirement[] = [
    [
      'gradients',
      () => {
        const { gradients } = evaluate(model, at() as GivenValues, { seed });
        const joint = jointParameters(model, seed);
        const values = at();
        const numbers = Object.entries(gradients).map(([path, gradient]) => {
          const own = joint.get(path);
          if (own === undefined) return [path, entriesOf(gradient)] as const;
          const natural = entriesOf(values[path]!);
          return [path, own.pullBack(entriesOf(gradient), natural, own.toUnconstrained(natural))] as const;
        });
        const natural = (moved: ParameterValues) =>
          changed(moved, joint, (entries, own, path) => valueFrom(own.toNatural(entries), shapeOf(values[path]!)));
        const free = changed(values, joint, (entries, own) => Array.from(own.toUnconstrained(entries)));
        return compareWithDifferences(
          (moved) => valueAt(model, natural(moved), seed),
          free,
          Object.fromEntries(numbers),
          {
            tolerance,
            entries,
            seed,
          },
        );
      },
    ],
    ['transforms', () => transformsAgree(model, at(), seed)],
    [
      'every parameter is used',
      () => {
        const opened = logDensityOf(model, { seed });
        try {
          return `${opened.evaluate(opened.start).gradient.length} numbers`;
        } finally {
          opened.dispose();
        }
      },
    ],
    [
      'terms add up to the objective',
      () => {
        const result = evaluate(model, at() as GivenValues, { seed });
        const terms = Object.values(result.terms);
        const size = terms.reduce((sum, term) => sum + Math.abs(term), 0);
        return agreement([terms.reduce((sum, term) => sum + term, 0)], [result.objective], 1e-13, size);
      },
    ],
    ['the same every time', () => agreement([objective(at())], [objective(at())], 0)],
    [
      PLAIN,
      () => {
        const json = model.toJSON();
        const text = JSON.stringify(json);
        if (JSON.stringify(plain(json)) === text) return `${text.length} characters`;
        throw new LatentFieldError(
          'it contains something other than objects, lists, texts, finite numbers, truth values and null',
        );
      },
    ],
    [
      'JSON round trip',
      () => {
        const again = modelFromJSON(JSON.parse(JSON.stringify(model.toJSON())), own);
        const { objective: remade } = evaluate(again, at() as GivenValues, { seed });
        return agreement([remade], [objective(at())], 0);
      },
    ],
  ];
  const report = { seed, ...(throws !== undefined && { throws }) };
  const title = `Model '${model.name}'`;
  if (model.solve !== undefined) {
    const reason = 'the model computes its solution';
    const skipped = requirements.map(([name, work]): Requirement => [name, name === PLAIN ? work : () => skip(reason)]);
    return conformance(title, report, skipped);
  }
  const derived = derivedRequirements(model, at, own, { tolerance, entries, seed });
  if (derived.length > 0) {
    const compiled = () => withFloat64(() => compiledModel(model, 'checkModel', seed));
    requirements.push(['there is a maximum', () => scalesAreHeld(model, compiled(), at(), objective)]);
  }
  return conformance(title, report, [...requirements, ...derived]);
}

/** Objective without gradients, which differences evaluate many times. */
const valueAt = (model: AnyModel, at: ParameterValues, seed: number): number =>
  withFloat64(({ memory64 }) =>
    withEngine(memory64, undefined, () => {
      const assembly = assemblyOf(model, seed);
      try {
        const layout = layOut(assembly.parameters);
        const natural = naturalEntries(layout, at);
        const density = logDensity(assembly, layout, natural, { seed, differentiated: false });
        checkFinite(density);
        return density.value;
      } finally {
        assembly.dispose();
      }
    }),
  );

/** Number of rows of a model of variables that are checked. */
const ROWS = 3;

/** Requirements on the quantities derived from a model of variables; none for other models. */
function derivedRequirements(
  model: AnyModel,
  at: () => ParameterValues,
  own: OwnParts,
  differences: DifferenceOptions,
): Requirement[] {
  const of = (one: AnyModel) => (one.posterior(at()) as Partial<VariablesPosterior>).variables;
  const supports = () =>
    new Map(
      withFloat64(() => compiledModel(model, 'checkModel', 0)).graph.nodes.flatMap(({ name, densities: [placed] }) => {
        const support = placed?.density.support;
        return support === undefined ? [] : [[name, supportBy(support)] as const];
      }),
    );
  let variables: FittedVariables | undefined;
  try {
    variables = of(model);
  } catch (error) {
    const rethrow = () => {
      // If the model cannot be evaluated at these values, the requirements on every model report it.
      evaluate(model, at() as GivenValues, { seed: differences.seed ?? 1 });
      throw error;
    };
    return [['what follows of new rows', rethrow]];
  }
  if (variables === undefined) return [];
  const { missing, observed, latents, known, values, observations } = variables;
  const first = (matrix: Matrix) => new Matrix(matrix.data.slice(0, ROWS * matrix.columns), ROWS, matrix.columns);
  const pick = (names: readonly { readonly name: string }[], from: RowsByName): RowsByName =>
    Object.fromEntries(names.map(({ name }) => [name, first(from[name]!)]));
  const knownRows = pick(known, values);
  const rows = { ...pick(observed, observations), ...knownRows };
  const places = { ...pick(latents, values), ...knownRows };
  const side = (from: RowsByName): Matrix =>
    Matrix.from(Array.from({ length: ROWS }, (_, i) => latents.flatMap(({ name }) => Array.from(from[name]!.row(i)))));
  const requirements: Requirement[] = [];
  if (!('project' in missing)) {
    requirements.push([
      'the density of new rows',
      () => {
        const X = side(places);
        const sum = ({ X: moved }: ParameterValues) =>
          variables.density(moved as Matrix, rows).posterior.reduce((total, one) => total + one, 0);
        const { gradient, posterior } = variables.density(X, rows);
        finite(posterior, 'the density of new rows');
        const row = (matrix: Matrix) => new Matrix(matrix.data.slice(0, matrix.columns), 1, matrix.columns);
        const alone = variables.density(
          row(X),
          Object.fromEntries(Object.entries(rows).map(([name, own]) => [name, row(own)])),
        );
        agreement(alone.posterior, posterior.slice(0, 1), 1e-9);
        return compareWithDifferences(sum, { X }, { X: gradient.data }, differences);
      },
    ]);
  }
  if (!('predict' in missing)) {
    for (const { name, columns } of observed) {
      requirements.push([
        `predictions of '${name}'`,
        () => predictionsAgree(variables, name, columns, places, side(places), supports().get(name) ?? 'real'),
      ]);
    }
  }
  const notDrawn = 'sample' in missing ? missing.sample : reasonNotSampled(variables, places);
  if (!('predict' in missing) && !('sample' in missing)) {
    requirements.push([
      'draws',
      () =>
        notDrawn === undefined ? drawsAgree(variables, places, differences.seed ?? 1) : `not compared: ${notDrawn}`,
    ]);
  }
  requirements.push([
    'the same after JSON',
    () => {
      const again = of(modelFromJSON(JSON.parse(JSON.stringify(model.toJSON())), own))!;
      const answers = (one: FittedVariables) => [
        ...('predict' in missing
          ? []
          : Object.values(one.predict(places, true)).flatMap(({ mean, variance }) => [...mean.data, ...variance.data])),
        ...(notDrawn !== undefined
          ? []
          : Object.values(one.sample(places, seededRandom(1), true)).flatMap(({ data }) => [...data])),
        ...('project' in missing ? [] : one.density(side(places), rows).posterior),
        ...(one.ahead?.(2, standardNormals(8)).paths.flatMap(({ data }) => [...data]) ?? []),
      ];
      return agreement(answers(again), answers(variables), 0);
    },
  ]);
  return requirements;
}

/** Standard normal numbers in n rows, with the requested number of columns. */
function standardNormals(n: number): (columns: number) => Matrix {
  const random = seededRandom(1);
  return (columns) => Matrix.zeros(n, columns).map(() => random.normal());
}

/** Compares predictions with noise with the moments of the density of new rows, if one of its columns can be integrated. */
function predictionsAgree(
  variables: FittedVariables,
  name: string,
  columns: number,
  places: RowsByName,
  X: Matrix,
  support: Support,
): string {
  const said = variables.predict(places, true)[name]!;
  for (const [what, matrix] of [
    ['mean', said.mean],
    ['variance', said.variance],
  ] as const) {
    finite(matrix.data, `the ${what}`);
    if (matrix.rows === ROWS && matrix.columns === columns) continue;
    throw new LatentFieldError(`the ${what} is ${matrix.rows}×${matrix.columns}, and must be ${ROWS}×${columns}`);
  }
  const negative = variables.predict(places, false)[name]!.variance.data.find((own) => own < 0);
  if (negative !== undefined) throw new LatentFieldError(`a variance is ${negative}, below 0`);
  const givens = variables.known.map(({ name }) => name);
  const along = (row: number, column: number) => (entries: Float64Array) => {
    const copies = (matrix: Matrix) => Matrix.from(Array.from(entries, () => Array.from(matrix.row(row))));
    const alone = new Matrix(new Float64Array(entries.length * columns).fill(Number.NaN), entries.length, columns);
    entries.forEach((entry, i) => {
      alone.data[i * columns + column] = entry;
    });
    const known = Object.fromEntries(givens.map((name) => [name, copies(places[name]!)]));
    return variables.density(copies(X), { [name]: alone, ...known }).density;
  };
  try {
    // A category is observed in all columns of its levels, or not at all.
    const alone = Matrix.from([Array.from({ length: columns }, (_, j) => (j === 0 ? 1 : Number.NaN))]);
    if (Array.isArray(support) && support.includes(1)) variables.checkRows({ [name]: alone });
    along(0, 0)(Float64Array.of(said.mean.data[0]!));
  } catch (error) {
    if (error instanceof InvalidInputError)
      return 'not integrated: the density takes complete rows of several columns only';
    throw error;
  }
  const found = Array.from(said.mean.data, (mean, i) =>
    integrated(along(Math.floor(i / columns), i % columns), support, mean),
  );
  agreement(
    found.map(({ total }) => total),
    found.map(() => 1),
    QUADRATURE,
  );
  const variances = found.map(({ variance }) => variance);
  const means = found.map(({ mean }) => mean);
  agreement(said.mean.data, means, QUADRATURE, Math.sqrt(Math.max(...variances)));
  return agreement(said.variance.data, variances, QUADRATURE);
}

/** Reason why observations cannot be drawn although their moments are known; undefined if they can. */
function reasonNotSampled(variables: FittedVariables, places: RowsByName): string | undefined {
  try {
    variables.sample(places, seededRandom(1), true);
    return undefined;
  } catch (error) {
    if (error instanceof InvalidInputError) return error.message;
    throw error;
  }
}

/** Compares draws with the means and variances of predictions. */
function drawsAgree(variables: FittedVariables, places: RowsByName, seed: number): string {
  const random = seededRandom(seed);
  const draws = Array.from({ length: DRAWS }, () => variables.sample(places, random, true));
  for (const [name, { mean, variance }] of Object.entries(variables.predict(places, true))) {
    mean.data.forEach((center, i) => {
      const drawn = draws.map((draw) => draw[name]!.data[i]!);
      within(`entry ${i} of '${name}'`, drawn, center, false, variance.data[i]!);
    });
  }
  return `means within ${STANDARD_ERRORS} standard errors of ${DRAWS} draws`;
}

/** Most variables of a parameter whose transform is checked. */
const MOST_TRANSFORMED = 30;
/** Step of differences of transforms, and their error relative to the largest derivative. */
const [STEP, TRANSFORM_ERROR] = [1e-4, 1e-6];

/** Compares gradients and log |∂x/∂u| of the transforms of free parameters with differences of x(u), the determinant where x and u have as many entries. */
function transformsAgree(model: AnyModel, values: ParameterValues, seed: number): string {
  const layout = withFloat64(() => {
    const assembly = model.assemble(seed);
    assembly.dispose();
    return layOut(assembly.parameters);
  });
  const checked = layout.variables.filter(({ start, width }) => start >= 0 && width <= MOST_TRANSFORMED);
  if (checked.length === 0) return skip(`no free parameter has at most ${MOST_TRANSFORMED} entries`);
  for (const { path, transform } of checked) {
    const x = entriesOf(values[path]!);
    const u = transform.toUnconstrained(x);
    const slopes = <T extends Float64Array>(of: (u: Float64Array) => T, k: number) => {
      const at = (step: number) => of(u.map((entry, i) => (i === k ? entry + step : entry)));
      const below = at(-STEP);
      return at(STEP).map((entry, i) => (entry - below[i]!) / (2 * STEP));
    };
    /** ∂x/∂u_k, for each variable k. */
    const rows = Array.from(u, (_, k) => slopes(transform.toNatural, k));
    located(`the gradient of '${path}' by its pullBack`, () => {
      const gradient = x.map((_, i) => 1 + (i % 3));
      const expected = rows.map((row) => row.reduce((sum, entry, i) => sum + entry * gradient[i]!, 0));
      return agreement(transform.pullBack(gradient, x, u), expected, TRANSFORM_ERROR);
    });
    const said = transform.logJacobian?.(u);
    if (said === undefined) continue;
    located(`the gradient of the logJacobian of '${path}'`, () => {
      const expected = Array.from(
        u,
        (_, k) => slopes((at) => Float64Array.of(transform.logJacobian!(at).value), k)[0]!,
      );
      return agreement(said.gradient, expected, TRANSFORM_ERROR, Math.max(1, ...expected.map(Math.abs)));
    });
    if (u.length !== x.length) continue;
    located(`the logJacobian of '${path}'`, () => {
      const J = Matrix.from(rows);
      const log = withFloat64(() => {
        const products = matrixTensor(J);
        const factor = op.cholesky(op.matMul<op.Tensor2D>(products, products, false, true));
        return op.valueOf(op.sum<op.Scalar>(op.log(op.diagPart(factor))));
      });
      return agreement([said.value], [log], TRANSFORM_ERROR, Math.max(1, Math.abs(log)));
    });
  }
  return `${checked.length} of them agree with differences`;
}

/** Transforms of parameters whose entries depend on each other, such as a simplex: their variables are perturbed instead. */
function jointParameters(model: AnyModel, seed: number): ReadonlyMap<string, Transform> {
  return withFloat64(() => {
    const assembly = model.assemble(seed);
    assembly.dispose();
    return new Map(
      layOut(assembly.parameters).variables.flatMap(({ path, parameter: { transform } }) =>
        transform?.variables === undefined ? [] : [[path, transform] as const],
      ),
    );
  });
}

/** Values with these paths changed. */
const changed = (
  values: ParameterValues,
  joint: ReadonlyMap<string, Transform>,
  change: (entries: Float64Array, own: Transform, path: string) => ParameterValue,
): ParameterValues => ({
  ...values,
  ...Object.fromEntries(Array.from(joint, ([path, own]) => [path, change(entriesOf(values[path]!), own, path)])),
});

function initialValues(model: AnyModel, seed: number): ParameterValues {
  return withFloat64(() => {
    const assembly = model.assemble(seed);
    assembly.dispose();
    const layout = layOut(assembly.parameters);
    const values = valuesByPath(layout, naturalEntries(layout, {}));
    return Object.fromEntries(
      layout.variables.map(({ path, parameter }) => [path, insideBounds(values[path]!, parameter)]),
    );
  });
}

/** Minimum distance from closed bounds, in the typical size of an entry, since differences are computed to both sides. */
const FROM_BOUND = 0.1;

function insideBounds(value: ParameterValue, { support, free, lower, upper, scale }: Parameter): ParameterValue {
  if (support !== 'box' || !free) return value;
  const entries = Array.from(entriesOf(value), (entry, i) => {
    const size = Math.max(scale?.[i] ?? 1, Math.abs(entry));
    const distance = Math.min(FROM_BOUND * size, (upper - lower) / 4);
    return Math.min(Math.max(entry, lower + distance), upper - distance);
  });
  return valueFrom(Float64Array.from(entries), shapeOf(value));
}

/** Plain value with everything that JSON cannot represent replaced by text. */
function plain(value: unknown): unknown {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : 'not finite';
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || Object.getPrototypeOf(value) !== Object.prototype) return `a ${typeof value}`;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, entry]) => entry !== undefined)
      .map(([key, entry]) => [key, plain(entry)]),
  );
}
