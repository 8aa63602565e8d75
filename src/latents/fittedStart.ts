import type { Matrix } from '../core/matrix.ts';
import { minimize } from '../inference/minimize/minimize.ts';
import { lbfgs } from '../inference/solvers/lbfgs.ts';
import type { TensorMap } from '../model/model.ts';
import { objectiveOf } from '../model/objective.ts';
import { entriesOf, fixed, type Parameter, shapeOf, valueFrom } from '../model/parameter.ts';
import { layOut, toNatural, toUnconstrained } from '../model/variables.ts';
import { matrixTensor } from '../tensors/matrixTensor.ts';
import * as op from '../tensors/ops.ts';
import type { Scalar, Tensor2D } from '../tensors/tensorflow.ts';
import { checkedShape } from './mapShape.ts';

/** Weight of a parameter's way from where it began, beside the mean square of a point's distance to where it is to be. */
const RIDGE = 1e-6;
/** A start need not be exact: of a map that is linear in its parameters, this is near enough to the regression to be taken for it. */
const LIMITS = { maxIterations: 100, relativeDecrease: 1e-7 };

/** What a map is to begin with: where it is at its parameters, and where its latents are to be. */
interface MapAtStart {
  readonly name: string;
  /** N rows */
  readonly features: Matrix;
  /** N×q */
  readonly latents: Matrix;
  readonly apply: (p: TensorMap, features: Tensor2D) => Tensor2D;
}

/**
 * The parameters of a map moved to where ridge regression puts them: the least of ‖g(F; A) − X‖² + N·r·‖A − A₀‖² over its free
 * parameters, A₀ being where they began. Those named in `held` stay, and those of closed bounds.
 *
 * @throws InvalidInputError when the map does not give N×q latents
 */
export function fittedStart(
  { name, features, latents, apply }: MapAtStart,
  parameters: Readonly<Record<string, Parameter>>,
  held: readonly string[],
): Readonly<Record<string, Parameter>> {
  const moving = Object.entries(parameters).map(([path, parameter]): [string, Parameter] => {
    // L-BFGS knows no closed bounds.
    if (held.includes(path) || parameter.support === 'box') return [path, fixed(parameter.initial)];
    const { prior: _, ...withoutPrior } = parameter;
    return [path, withoutPrior];
  });
  const layout = layOut(Object.fromEntries(moving));
  if (layout.size === 0) return parameters;
  const began = layout.variables.map(({ parameter }) => entriesOf(parameter.initial));
  const terms = (values: TensorMap) => {
    const X = apply(values, matrixTensor(features));
    checkedShape(name, X, latents.rows, latents.columns);
    const misfit = op.sum<Scalar>(op.squaredDifference(X, matrixTensor(latents)));
    const moved = layout.variables.flatMap(({ path, start, shape }, i) =>
      start < 0 ? [] : [op.sum<Scalar>(op.squaredDifference(values[path]!, op.tensor(began[i]!, [...shape])))],
    );
    const ridge = moved.reduce((total, part) => op.add<Scalar>(total, part));
    return { misfit: op.neg(misfit), ridge: op.mul<Scalar>(-RIDGE * latents.rows, ridge) };
  };
  const objective = objectiveOf({ parameters, terms, dispose() {} }, layout);
  const start = toUnconstrained(layout, began);
  // A map that is not finite where it begins is reported by the fit.
  if (!Number.isFinite(objective(start).value)) return parameters;
  const { x } = minimize(objective, start, lbfgs(), LIMITS);
  const natural = toNatural(layout, x);
  return Object.fromEntries(
    layout.variables.map(({ path, start: at }, i) => {
      const parameter = parameters[path]!;
      if (at < 0) return [path, parameter];
      return [path, { ...parameter, initial: valueFrom(natural[i]!, shapeOf(parameter.initial)) }];
    }),
  );
}
