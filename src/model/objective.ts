import { NumericalError, OptimizationError } from '../core/errors.ts';
import { withFloat64 } from '../tensors/float64/scope.ts';
import { valueAndGradients } from '../tensors/gradients.ts';
import * as op from '../tensors/ops.ts';
import type { Scalar, Tensor } from '../tensors/tensorflow.ts';
import { hyperparameterFactors } from './hyperparameterFactors.ts';
import type { Assembly, EvaluationReport, TensorMap } from './model.ts';
import { toNatural, type VariableLayout } from './variables.ts';

/** The log density of a model at some natural values. */
export interface LogDensity {
  /** Sum of the terms. */
  readonly value: number;
  /** Each factor's part by its name. */
  readonly terms: Readonly<Record<string, number>>;
  /** Gradient in the natural values of each free variable, in the order of the layout; undefined where none arrives or was asked for. */
  readonly gradients: readonly (Float64Array | undefined)[];
  readonly report: EvaluationReport;
}

/**
 * Evaluates the sum of a model's factors and its gradients, on the float64 backend, leaving no tensor behind.
 *
 * @param differentiated - false leaves the gradients out, and the work for them
 */
export function logDensity(
  assembly: Assembly,
  layout: VariableLayout,
  natural: readonly Float64Array[],
  differentiated = true,
): LogDensity {
  return withFloat64(() => {
    const report: EvaluationReport = { jitter: 0 };
    const terms: Record<string, number> = {};
    const tensors = layout.variables.map(({ shape }, i) => op.tensor(natural[i]!, [...shape]));
    const values: TensorMap = Object.fromEntries(layout.variables.map(({ path }, i) => [path, tensors[i]!]));
    const free = layout.variables.flatMap(({ start }, i) => (differentiated && start >= 0 ? [i] : []));
    const sum = () => {
      const parts = [...assembly.factors, ...hyperparameterFactors(layout)].map((factor) => {
        const part = factor.logDensity(values, report);
        terms[factor.name] = op.valueOf(part);
        return part;
      });
      return parts.reduce((total: Scalar, part) => op.add(total, part) as Scalar);
    };
    const xs: Tensor[] = free.map((i) => tensors[i]!);
    const { value, gradients } =
      xs.length === 0 ? { value: op.valueOf(sum()), gradients: [] } : valueAndGradients(sum, xs);
    const all: (Float64Array | undefined)[] = layout.variables.map(() => undefined);
    free.forEach((i, k) => {
      all[i] = gradients[k];
    });
    return { value, terms, gradients: all, report };
  });
}

/** The negative log density as a function of the solver's variables. */
export interface Objective {
  (unconstrained: Float64Array): { value: number; gradient: Float64Array };
  /** The largest jitter that any evaluation so far needed. */
  jitter(): number;
}

/**
 * What a solver minimises: minus the log density, in the unconstrained variables.
 *
 * @throws OptimizationError when a free parameter receives no gradient, naming its path
 */
export function objectiveOf(assembly: Assembly, layout: VariableLayout): Objective {
  let largest = 0;
  const objective = (unconstrained: Float64Array) => {
    const natural = toNatural(layout, unconstrained);
    const { value, gradients, report } = logDensity(assembly, layout, natural);
    if (report.jitter > largest) largest = report.jitter;
    const gradient = new Float64Array(layout.size);
    const idle: string[] = [];
    layout.variables.forEach(({ path, start, size, transform }, i) => {
      if (start < 0) return;
      const part = gradients[i];
      if (part === undefined) idle.push(`'${path}'`);
      else gradient.set(transform.pullBack(part, natural[i]!, unconstrained.subarray(start, start + size)), start);
    });
    if (idle.length > 0) {
      throw new OptimizationError(
        `No gradient arrives at ${idle.join(', ')}: the objective does not depend on it through operations that TensorFlow.js ` +
          'differentiates. Use it in the covariance or prior with tensor operations, or hold it with fixed(…).',
      );
    }
    for (let i = 0; i < gradient.length; i++) gradient[i] = -gradient[i]!;
    return { value: -value, gradient };
  };
  return Object.assign(objective, { jitter: () => largest });
}

/** Throws a NumericalError that names the terms that are not finite. */
export function checkFinite({ value, terms }: LogDensity): void {
  if (Number.isFinite(value)) return;
  const broken = Object.entries(terms).filter(([, part]) => !Number.isFinite(part));
  throw new NumericalError(
    `The log density is ${value}: ${broken.map(([name, part]) => `term '${name}' is ${part}`).join(', ')}. ` +
      'Check the values that were given, or start from other ones.',
  );
}
