import { InvalidInputError, LatentFieldError } from '../core/errors.ts';
import { describe } from '../core/matrix.ts';
import { evaluate, type GivenValues, givenValues } from '../model/evaluate.ts';
import type { AnyModel, ParameterValues } from '../model/model.ts';
import { entriesOf } from '../model/parameter.ts';
import { layOut, naturalEntries, valuesByPath } from '../model/variables.ts';
import { modelFromJSON } from '../models/modelFromJSON.ts';
import type { OwnParts } from '../models/ownParts.ts';
import { withFloat64 } from '../tensors/float64/scope.ts';
import { agreement } from './agreement.ts';
import { compareWithDifferences, type DifferenceOptions } from './differences.ts';
import { type CheckOptions, type ConformanceReport, conformance, type Requirement } from './report.ts';

/** Factories of your own models and parts by name, as `loadFit` takes them, beside what is checked and how. */
export interface ModelCheckOptions extends CheckOptions, DifferenceOptions, OwnParts {
  /** Natural values by path at which it is checked; its initial ones where none are given. */
  readonly values?: GivenValues;
}

/**
 * Checks that a model, yours or the library's, is what `fit` relies on: `evaluate` gives gradients that agree with differences of its
 * objective, terms that add up to it, and the same numbers every time; the model's description is plain JSON, from which it comes back with the same
 * bits; no tensor is left behind.
 *
 * @param model - a small one: its objective is evaluated some hundred times
 * @param options - `values` at which it is checked, `tolerance` of gradients (1e-6), `entries` moved of each value (6), `seed` (1) of
 *   initial values and of the choice of entries, `throws`; `models`, `kernels`, `priors` and others with the factories of your own, for the way back from JSON
 * @returns a report with every check
 * @throws ConformanceError when one fails, listing all that do, unless `throws` is false
 * @example
 * ```ts
 * import { checkModel } from 'latentfield/testing';
 *
 * checkModel(gplvm(Y, { latentDim: 2, kernel: cauchy() }), { kernels: { cauchy }, values: { 'mapping.noise': 0.1 } });
 * ```
 */
export function checkModel(model: AnyModel, options: ModelCheckOptions = {}): ConformanceReport {
  if (typeof model?.assemble !== 'function') {
    throw new InvalidInputError(`checkModel takes a model, but ${describe(model)} was given.`);
  }
  const { seed = 1, values = {}, tolerance = 1e-6, entries = 6, throws, ...own } = options;
  const at = (): ParameterValues => ({ ...initialValues(model, seed), ...givenValues(values) });
  const objective = (moved: ParameterValues) => evaluate(model, moved as GivenValues, { seed }).objective;

  const requirements: Requirement[] = [
    [
      'gradients',
      () => {
        const { gradients } = evaluate(model, at() as GivenValues, { seed });
        const numbers = Object.entries(gradients).map(([path, gradient]) => [path, entriesOf(gradient)] as const);
        return compareWithDifferences(objective, at(), Object.fromEntries(numbers), { tolerance, entries, seed });
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
      'plain JSON',
      () => {
        const json = model.toJSON();
        const text = JSON.stringify(json);
        if (JSON.stringify(plain(json)) === text) return `${text.length} characters`;
        throw new LatentFieldError(
          'it holds something else than objects, lists, texts, finite numbers, truth values and null',
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
  return conformance(`Model '${model.name}'`, { seed, ...(throws !== undefined && { throws }) }, requirements);
}

function initialValues(model: AnyModel, seed: number): ParameterValues {
  return withFloat64(() => {
    const assembly = model.assemble(seed);
    assembly.dispose();
    const layout = layOut(assembly.parameters);
    return valuesByPath(layout, naturalEntries(layout, {}));
  });
}

/** The value with everything that JSON cannot say replaced by text. */
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
