import { checksums } from '../../core/checksum.ts';
import { InvalidInputError } from '../../core/errors.ts';
import { Matrix } from '../../core/matrix.ts';
import { matchedObservations } from '../../core/namedTable.ts';
import { withPlainNumbers } from '../../core/plainNumbers.ts';
import { positiveZeros } from '../../core/positiveZeros.ts';
import { DIVIDED, type Fit, type FitJSON, type FitOutcome, type FittedModel } from '../../model/fit.ts';
import type { AnyModel, Model } from '../../model/model.ts';
import type { AnyPosterior } from '../../model/posterior.ts';
import { type EngineChoice, withEngine } from '../../numerics/dense/index.ts';
import { sharedMemory } from '../../numerics/memory.ts';
import { finiteOutcome } from './finiteOutcome.ts';
import { type Abilities, abilitiesOf, withGraph } from './fitAbilities.ts';
import { posteriorOn } from './posteriorOn.ts';
import { namingColumns } from './rememberedColumns.ts';

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
  // What the types of a model say of its fits, its posterior keeps: tests of the conformance kit see to that.
  return Object.freeze(withGraph({ ...fitted, ...evidence, ...abilities }, posterior)) as unknown as Fit<P, A>;
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
