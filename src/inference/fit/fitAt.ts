import * as v from 'valibot';
import { InvalidInputError } from '../../core/errors.ts';
import type { NamedTable } from '../../core/namedTable.ts';
import { checkOptions, seedOption } from '../../core/options.ts';
import { type EngineChoice, engineChoice } from '../../engine/dense/index.ts';
import type { FitOf } from '../../model/fit.ts';
import { assemblyOf, checkModelGiven } from '../../model/givenModel.ts';
import type { AnyModel, Model } from '../../model/model.ts';
import { checkFinite, type LogDensity, logDensity } from '../../model/objective.ts';
import type { AnyPosterior } from '../../model/posterior.ts';
import { naturalEntries, type VariableLayout, valuesByPath } from '../../model/variables.ts';
import { projectedGradientNorm } from '../minimize/scaledObjective.ts';
import { boxOf } from './bestSolution.ts';
import { createFit } from './createFit.ts';
import { type GivenStart, limitsOf, openProblem, valuesGiven } from './fitProblem.ts';
import { remembering } from './rememberedColumns.ts';

/** Options of {@link fitAt}. */
export interface FitAtOptions {
  /** Seed of the model's own values, where they are drawn; 0 unless given. */
  readonly seed?: number | undefined;
  /** Which linear algebra to use; 'auto' unless given or named by LATENTFIELD_ENGINE. */
  readonly engine?: EngineChoice | undefined;
  /** The table that the observations come from, as `fit` takes it. */
  readonly table?: NamedTable | undefined;
}

const schema = v.strictObject({
  seed: seedOption,
  engine: v.optional(engineChoice),
  table: v.optional(v.any()),
});

/**
 * The fit of a model at given values, without a search: its predictions, projections and samples are those at exactly these values, and its
 * `objective` is what {@link evaluate} gives there.
 *
 * @param model - a model with parameters, such as `gplvm(Y, { latentDim: 2 })`
 * @param values - natural (constrained) values by path, `latents` among them where they are free; the model's own where none are given. Or a fit of a
 * model with the same paths
 * @param options - see {@link FitAtOptions}
 * @returns a fit of status 'stopped', whose `diagnostics.gradientNorm` says how far from a maximum the values are
 * @throws InvalidInputError for an unknown path, a wrong shape or a value outside its support; for a model that computes its solution
 * @throws NumericalError when the log density is not finite there
 * @example
 * ```ts
 * const { mean } = fitAt(gplvm(Y, { latentDim: 2 }), { 'mapping.noise': 0.01 }).predict([[0, 0]]);
 * ```
 */
export function fitAt<M extends AnyModel>(model: M, values: GivenStart = {}, options: FitAtOptions = {}): FitOf<M> {
  checkModelGiven(model, 'fitAt');
  const { seed, engine, table } = checkOptions(schema, options, 'fitAt');
  checkHasValues(model);
  const began = performance.now();
  const remembered = remembering(model as Model, table);
  const { compute, layout, chosenEngine, dispose } = openProblem(remembered, { seed, engine });
  dispose();
  const assembly = compute(() => assemblyOf(remembered, seed));
  try {
    const natural = naturalEntries(layout, valuesGiven(layout, values));
    const density = compute(() => logDensity(assembly, layout, natural, { seed }));
    checkFinite(density);
    const { value: objective, terms, jitter, rank } = density;
    const found = valuesByPath(layout, natural);
    const findings = compute(() => assembly.findings?.(found));
    const gradientNorm = compute(() => gradientNormAt(layout, natural, density));
    const kktResidual =
      findings?.kktResidual ?? compute(() => (remembered.posterior(found) as AnyPosterior).kktResidual?.());
    const outcome = {
      ...{ values: found, objective, terms },
      trace: [{ iteration: 0, evaluations: 1, objective, gradientNorm }],
      status: 'stopped',
      message: `No search was made: this is the model at the values that were given.${findings === undefined ? '' : ` ${findings.message}`}`,
      diagnostics: {
        ...{ ...chosenEngine, seed, jitter },
        ...(rank !== undefined && { covarianceRank: rank }),
        ...{ evaluations: 1, iterations: 0, seconds: (performance.now() - began) / 1000, gradientNorm },
        ...(kktResidual !== undefined && { kktResidual }),
      },
    } as const;
    // The types of a model are those of its fits: see createFit.
    return createFit(remembered, outcome, engine) as unknown as FitOf<M>;
  } finally {
    compute(() => assembly.dispose());
  }
}

function checkHasValues({ name, solve, choose, choosesStart, sourced }: AnyModel): void {
  if (solve !== undefined) {
    throw new InvalidInputError(
      `The model '${name}' computes its solution, so it has no parameters that could be given values. Use fit.`,
    );
  }
  if (choose !== undefined && !choosesStart) {
    throw new InvalidInputError(
      `The model '${name}' chooses some of its options by fits of its own. Give these options their values, or use fit.`,
    );
  }
  if (sourced === undefined) return;
  throw new InvalidInputError(
    `The observations of '${name}' are read some rows at a time. Use fit with start and maxEpochs: 0, which reads them.`,
  );
}

/** Largest entry of the projected gradient in the solver's variables. */
function gradientNormAt(layout: VariableLayout, natural: readonly Float64Array[], { gradients }: LogDensity): number {
  const x = new Float64Array(layout.size);
  const gradient = new Float64Array(layout.size);
  layout.variables.forEach(({ start, transform }, i) => {
    if (start < 0) return;
    const own = transform.toUnconstrained(natural[i]!);
    x.set(own, start);
    const slopes = gradients[i] && transform.pullBack(gradients[i], natural[i]!, own);
    if (slopes !== undefined) gradient.set(slopes, start);
  });
  const limits = limitsOf(layout);
  const scale = (i: number) => limits?.scale[i] ?? 1;
  const scaled = {
    x: x.map((entry, i) => entry / scale(i)),
    value: 0,
    gradient: gradient.map((g, i) => -g * scale(i)),
  };
  return projectedGradientNorm(scaled, boxOf(limits, layout.size));
}
