import { InvalidInputError, OptimizationError } from '../../core/errors.ts';
import { Matrix } from '../../core/matrix.ts';
import { type FittedTable, matchedObservations, type NamedTable, rememberedTable } from '../../core/namedTable.ts';
import { firstNotFinite, positiveZeros, withPlainNumbers } from '../../core/plainNumbers.ts';
import { checksums } from '../../core/saved.ts';
import { type EngineChoice, withEngine } from '../../engine/dense/index.ts';
import { sharedMemory } from '../../engine/memory.ts';
import type { AnyAbilities, PredictedLatents } from '../../model/abilities.ts';
import { DIVIDED, type Fit, type FitJSON, type FitOutcome, type FittedModel } from '../../model/fit.ts';
import type { AnyModel, Model } from '../../model/model.ts';
import { type AnyPosterior, type Prediction, rememberPosterior } from '../../model/posterior.ts';
import { type Abilities, abilitiesOf, withGraph } from './fitAbilities.ts';

/**
 * A fit from its model and what the optimizer found, or what a file holds. It has the members that the model's posterior has something
 * for, and no others.
 *
 * @param engine - the linear algebra of everything that the fit computes; undefined where the environment says
 */
export function createFit<P, A>(model: Model<P, A>, found: FitOutcome, engine?: EngineChoice): Fit<P, A> {
  const outcome = positiveZeros(found);
  const made: AnyPosterior = withEngine(sharedMemory(), engine, () => model.posterior(outcome.values));
  if (!(made.latents instanceof Matrix)) {
    throw new InvalidInputError(
      `The posterior of the model '${model.name}' has no latents. Return a Matrix, one row a point.`,
    );
  }
  const { table } = model;
  const posterior = posteriorOn(engine, made);
  const { values, objective, terms, trace, status, message, diagnostics } = finiteOutcome(outcome, made);
  // In one order, however the fit came about: its text is then the same too.
  const rest = { objective, terms, trace, status, message, diagnostics };
  const { latents: _, ...parameters } = values;
  const fitted: FittedModel = {
    model: model.name,
    latents: posterior.latents,
    ...(table !== undefined && { table }),
    ...rest,
    parameters: Object.freeze(parameters),
    toJSON: () => savedFit(model, values, { ...rest, ...(table !== undefined && { table }) }),
  };
  const abilities: Abilities = namingColumns(
    abilitiesOf(posterior, (Y) => matchedObservations(Y, table)),
    table,
  );
  const evidence = posterior.distribution === undefined ? {} : { evidence: boundOf(terms) };
  // The posterior provides what the model's types promise: the conformance kit tests that.
  const members = withGraph({ ...fitted, ...evidence, ...abilities }, posterior);
  // Not among the members that are listed: notebooks ask for it by its symbol.
  const whole = Object.freeze(Object.defineProperty(members, NOTEBOOK, { value: () => displayed(fitted) }));
  return rememberPosterior(whole, posterior) as unknown as Fit<P, A>;
}

/** By which notebooks of JavaScript (Deno's kernel of Jupyter, and Quarto with it) ask a value how it is shown. */
const NOTEBOOK = Symbol.for('Jupyter.display');

async function displayed(fitted: FittedModel) {
  const { notebookDisplay } = await import('./notebookDisplay.ts');
  return notebookDisplay(fitted);
}

function savedFit(
  model: AnyModel,
  values: FitOutcome['values'],
  rest: Omit<FitOutcome, 'values'> & Pick<FitJSON, 'table'>,
): FitJSON {
  const entries = Object.entries(values).map(([path, value]) => [
    path,
    value instanceof Matrix ? value.toArrays() : value,
  ]);
  const saved = {
    format: 'latentfield-fit',
    version: 2,
    model: model.toJSON(),
    ...withPlainNumbers({ values: Object.fromEntries(entries), ...rest }),
  } as const;
  return { ...saved, checksums: checksums(saved, DIVIDED) };
}

/** The bound on the log density of the observations, without priors of hyperparameters. */
function boundOf(terms: FitOutcome['terms']): number {
  return Object.entries(terms).reduce((sum, [name, part]) => (name.startsWith('hyper.') ? sum : sum + part), 0);
}

/** An outcome that is not finite, in its objective, latents or eigenvalues, has 'failed', whatever its model or solver says, and a message that names what is not. */
function finiteOutcome(outcome: FitOutcome, { latents, eigenvalues }: AnyPosterior): FitOutcome {
  const place = firstNotFinite(latents.data);
  const row = Math.floor(place / latents.columns);
  const broken = [
    ...(Number.isFinite(outcome.objective) ? [] : [`the objective is ${outcome.objective}`]),
    ...(place < 0 ? [] : [`row ${row}, column ${place % latents.columns} of the latents is ${latents.data[place]}`]),
    ...(eigenvalues === undefined || eigenvalues.every(Number.isFinite) ? [] : ['an eigenvalue is not finite']),
  ];
  if (broken.length === 0 || outcome.status === 'failed') return outcome;
  const message = `Failed: ${broken.join(' and ')}. Look for points that are the same, columns that are constant and entries of very different size.`;
  return { ...outcome, status: 'failed', message: `${message} ${outcome.message}` };
}

/** Wraps members so that what they compute runs on one engine. */
type During = <T>(work: () => T) => T;

/** The same part with an engine at work in all that it computes: its functions, and members that are computed when they are read. */
type Place = (part: object, during: During) => object;

/** Parts of a posterior that compute something themselves. */
const PARTS: Readonly<Record<string, Place>> = {
  mapping: placed({}),
  placement: placed({}),
  distribution: placed({}),
  field: placed({}),
  variables: placed({}),
  views: (views, during) =>
    Object.fromEntries(Object.entries(views).map(([name, view]) => [name, placed({})(view, during)])),
};

/**
 * The posterior with an engine at work in everything that it computes; as it is where none was chosen. What it computes when it is read, such
 * as the graph of a layer, is computed then, not here.
 */
export function posteriorOn(engine: EngineChoice | undefined, posterior: AnyPosterior): AnyPosterior {
  if (engine === undefined) return posterior;
  return placed(PARTS)(posterior, (work) => withEngine(sharedMemory(), engine, work)) as AnyPosterior;
}

function placed(parts: Readonly<Record<string, Place>>): Place {
  return (part, during) => {
    const read = (name: string) => {
      const member: unknown = during(() => Reflect.get(part, name));
      if (typeof member === 'function') return (...given: unknown[]) => during(() => member.apply(part, given));
      const place = parts[name];
      return place !== undefined && typeof member === 'object' && member !== null ? place(member, during) : member;
    };
    const members = Object.keys(part).map((name) => [name, { get: () => read(name), enumerable: true }]);
    return Object.defineProperties({}, Object.fromEntries(members));
  };
}

/** Latents when there is no embedding yet. */
export const NO_LATENTS: Matrix = Matrix.zeros(0, 0);

/** Names of the abilities of fits. */
const ABILITIES: Readonly<Record<keyof AnyAbilities | 'toJSON', true>> = {
  project: true,
  reconstruct: true,
  predict: true,
  interpolate: true,
  sample: true,
  impute: true,
  forecast: true,
  graph: true,
  precision: true,
  covariance: true,
  eigenvalues: true,
  latentVariances: true,
  relevance: true,
  evidence: true,
  missingLogDensity: true,
  toJSON: true,
};

/**
 * The fit of a model that was stopped before it had computed a solution: its latents have no rows, and its objective is NaN. What rests on a
 * solution throws an OptimizationError that says so.
 */
export function unsolvedFit(model: string, { values: _, ...outcome }: FitOutcome): Fit {
  const fitted = { model, latents: NO_LATENTS, parameters: Object.freeze({}), ...outcome };
  for (const name of Object.keys(ABILITIES)) {
    Object.defineProperty(fitted, name, {
      get: () => {
        throw new OptimizationError(
          `This fit of '${model}' has no '${name}', since it was stopped before there was an embedding. Fit again, with more time.`,
        );
      },
    });
  }
  return Object.freeze(fitted) as unknown as Fit;
}

/**
 * The model whose fits remember a table.
 *
 * @throws InvalidInputError when it is not one, or not that of the model's observations
 */
export function remembering(model: Model, table: NamedTable | undefined): Model {
  if (table === undefined) return model;
  const remembered = rememberedTable(table);
  const { observations, views } = model.toJSON() as { observations?: unknown; views?: unknown };
  if (views !== undefined) {
    throw new InvalidInputError(
      `The model '${model.name}' has several views, which no one table holds. Leave out table.`,
    );
  }
  const { rows, columns } = table.observations;
  if (Array.isArray(observations) && observations.length > 0) {
    const [first] = observations as readonly (readonly unknown[])[];
    if (observations.length !== rows || first!.length !== columns) {
      throw new InvalidInputError(
        `The table is ${rows}×${columns}, but the observations of '${model.name}' are ${observations.length}×${first!.length}. Give the table that they come from.`,
      );
    }
  }
  return Object.freeze({ ...model, table: remembered });
}

/** Abilities of a fit that name the columns of their predictions. */
function namingColumns(abilities: Abilities, table: FittedTable | undefined): Abilities {
  if (table === undefined || 'translate' in abilities) return abilities;
  const { impute, predict, interpolate, forecast } = abilities as Partial<AnyAbilities>;
  const { columns } = table;
  const named = <P extends Prediction>(prediction: P): P => ({ ...prediction, columns });
  const naming: Partial<AnyAbilities> = {
    ...(impute && {
      impute: (Y, options) => {
        const filled = impute(Y, options);
        return filled instanceof Promise ? filled.then(named) : named(filled);
      },
    }),
    ...(predict && { predict: (X, options) => named(predict(X, options)) }),
    ...(interpolate && {
      interpolate: ((...given: Parameters<typeof interpolate>) => {
        const found: PredictedLatents | Promise<PredictedLatents> = interpolate(...given);
        return found instanceof Promise ? found.then(named) : named(found);
      }) as typeof interpolate,
    }),
    ...(forecast && { forecast: (steps) => named(forecast(steps)) }),
  };
  return { ...abilities, ...naming };
}
