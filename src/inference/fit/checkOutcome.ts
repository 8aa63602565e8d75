import { InvalidInputError, LatentFieldError } from '../../core/errors.ts';
import { Matrix } from '../../core/matrix.ts';
import { damagedAt, readingAt } from '../../core/saved.ts';
import type { EngineChoice } from '../../engine/dense/index.ts';
import type { FitOutcome } from '../../model/fit.ts';
import type { Assembly, Model } from '../../model/model.ts';
import { entriesOf } from '../../model/parameterValue.ts';
import { layOut, naturalEntries, type VariableLayout } from '../../model/variables.ts';
import { shortNumber } from '../shortNumber.ts';
import { densityOf, ENGINE_DIFFERENCE } from './fitProblem.ts';
import { computeWith, ONE_THREAD } from './fitThreads.ts';

/**
 * Holds what a file says of an outcome to its model: values of every parameter, of their shapes and in their supports, finite unless the fit
 * has failed, and the objective, evaluated again at them.
 *
 * Where the terms draw random numbers and the file does not say from which seed, as files of form 1 do not, the objective is not compared.
 *
 * @throws InvalidInputError that names the place where the two do not agree
 */
export function checkOutcome(model: Model, outcome: FitOutcome, engine: EngineChoice | undefined): void {
  const hasFailed = outcome.status === 'failed';
  if (!hasFailed) checkFinite(outcome);
  checkSum(outcome);
  if (model.solve !== undefined) checkEmbedding(outcome);
  // Observations that were read from elsewhere are not in the file.
  else if (!hasFailed && model.sourced === undefined)
    computeWith(engine, ONE_THREAD)(() => checkDensity(model, outcome));
}

function checkFinite({ values, objective, terms }: FitOutcome): void {
  for (const [place, value] of [
    ...Object.entries(values).map(([path, entry]) => [`values.${path}`, entry] as const),
    ['objective', objective] as const,
    ...Object.entries(terms).map(([name, term]) => [`terms.${name}`, term] as const),
  ]) {
    const bad = entriesOf(value).find((entry) => !Number.isFinite(entry));
    if (bad !== undefined) throw damagedAt(place, `it holds ${bad}, which only a fit that has failed may.`);
  }
}

/** Terms add up to the objective. */
function checkSum({ objective, terms }: FitOutcome): void {
  const total = Object.values(terms).reduce((sum, term) => sum + term, 0);
  if (!Number.isFinite(objective) || isClose(total, objective, [objective, ...Object.values(terms)])) return;
  throw damagedAt('terms', `they add up to ${shortNumber(total)}, but the objective is ${shortNumber(objective)}.`);
}

function isClose(a: number, b: number, sizes: readonly number[]): boolean {
  return Math.abs(a - b) <= ENGINE_DIFFERENCE * sizes.reduce((most, size) => Math.max(most, Math.abs(size)), 1);
}

function checkEmbedding({ values: { latents, eigenvalues } }: FitOutcome): void {
  if (!(latents instanceof Matrix)) throw damagedAt('values.latents', 'they are no matrix.');
  // Own models may have none.
  if (eigenvalues === undefined || (Array.isArray(eigenvalues) && eigenvalues.length === latents.columns)) return;
  throw damagedAt('values.eigenvalues', `${latents.columns} numbers were expected, one for each latent dimension.`);
}

function checkDensity(model: Model, outcome: FitOutcome): void {
  const { seed, batchSize } = outcome.diagnostics;
  let wasRandom = false;
  const { assembly, layout } = assembled(model, outcome, seed ?? 0);
  try {
    const terms: Assembly['terms'] = (values, context) =>
      assembly.terms(values, {
        ...context,
        get random() {
          wasRandom = true;
          return context.random;
        },
      });
    const watched = { ...assembly, terms };
    const natural = readingAt('values', () => naturalEntries(layout, outcome.values));
    const { value } = densityAt(() => densityOf(model, watched, layout, natural, { seed: seed ?? 0, batchSize }));
    if (wasRandom && seed === undefined) return;
    if (isClose(value, outcome.objective, [value, ...Object.values(outcome.terms)])) return;
    throw damagedAt(
      'objective',
      `it is ${shortNumber(outcome.objective)}, but the model has ${shortNumber(value)} at these values. Its data or values were changed, or a part of your own is another.`,
    );
  } finally {
    assembly.dispose();
  }
}

/** The model, in batches if the values are those of a fit in batches. */
function assembled(model: Model, { values }: FitOutcome, seed: number): { assembly: Assembly; layout: VariableLayout } {
  let missing = '';
  for (const batched of model.points === undefined ? [false] : [false, true]) {
    const assembly = readingAt('model', () => model.assemble(seed, { batched }));
    const layout = layOut(assembly.parameters);
    const absent = layout.variables.find(({ path }) => !Object.hasOwn(values, path));
    if (absent === undefined) return { assembly, layout };
    assembly.dispose();
    missing ||= absent.path;
  }
  throw damagedAt(`values.${missing}`, 'it is missing.');
}

/** Values at which the log density cannot be evaluated are none that a fit ended at. */
function densityAt<T>(evaluate: () => T): T {
  try {
    return evaluate();
  } catch (error) {
    if (!(error instanceof LatentFieldError) || error instanceof InvalidInputError) throw error;
    throw damagedAt('values', `the model cannot be evaluated at them. ${error.message}`, error);
  }
}
