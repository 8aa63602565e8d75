import { withFloat64 } from '../core/float64/scope.ts';
import { type EngineChoice, linearAlgebra, withEngine } from '../core/linalg/index.ts';
import type { Model, ParameterValues } from '../core/model.ts';
import { type LogDensity, logDensity, objectiveOf } from '../core/objective.ts';
import {
  layOut,
  naturalEntries,
  toNatural,
  toUnconstrained,
  type VariableLayout,
  valuesByPath,
} from '../core/variables.ts';
import type { ObjectiveFunction } from './scaledObjective.ts';

/** A model as a minimisation problem: its tensors, which `dispose` gives back, and its solver's variables. */
export interface FitProblem {
  readonly model: Model;
  readonly seed: number;
  readonly layout: VariableLayout;
  /** The model's initial values, in the solver's variables. */
  readonly start: Float64Array;
  /** Minus the log density, of the solver's variables. */
  readonly objective: ObjectiveFunction;
  /** Name of the linear algebra engine that evaluates it. */
  readonly engine: string;
  /** Runs numerics on the float64 backend with that engine; nothing of the caller's. */
  compute<T>(work: () => T): T;
  /** Natural values by path. */
  valuesAt(x: Float64Array): ParameterValues;
  /** Works after `dispose` too, for a point that somebody kept. */
  densityAt(x: Float64Array): LogDensity;
  dispose(): void;
}

/** Makes a model ready to be fitted. */
export function openProblem(model: Model, seed: number, engine: EngineChoice | undefined): FitProblem {
  const compute = <T>(work: () => T): T => withFloat64(({ memory64 }) => withEngine(memory64, engine, work));
  const assemble = () => compute(() => model.assemble(seed));
  const assembly = assemble();
  const layout = layOut(assembly.parameters);
  let disposed = false;
  return {
    model,
    seed,
    layout,
    start: toUnconstrained(layout, naturalEntries(layout, {})),
    objective: objectiveOf(assembly, layout),
    engine: withFloat64(({ memory64 }) => withEngine(memory64, engine, () => linearAlgebra(memory64).name)),
    compute,
    valuesAt: (x) => valuesByPath(layout, toNatural(layout, x)),
    densityAt(x) {
      const current = disposed ? assemble() : assembly;
      try {
        return compute(() => logDensity(current, layout, toNatural(layout, x)));
      } finally {
        if (current !== assembly) current.dispose();
      }
    },
    dispose() {
      if (!disposed) assembly.dispose();
      disposed = true;
    },
  };
}
