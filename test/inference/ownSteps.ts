import { Matrix } from '../../src/core/matrix.ts';
import type { Model, ParameterValues, RefinementPoint } from '../../src/model/model.ts';
import { real } from '../../src/model/parameter.ts';
import * as op from '../../src/tensors/ops.ts';
import type { Scalar } from '../../src/tensors/tensorflow.ts';
import { densityModel } from './densityModel.ts';

const density = (x: number) => -10 * (x * x - 1) ** 2 + x;
const slope = (x: number) => -40 * x * (x * x - 1) + 1;
const bend = (x: number) => -120 * x * x + 40;

/**
 * log p = −10(x² − 1)² + x, with a low maximum near −1, where it starts, and a high one near 1. The solver is content with a slope of 5;
 * the model's own steps go half of Newton's way each, until the slope is below 1e-6.
 */
export function twoPeaks(): Model {
  const x = (values: ParameterValues) => (values.latents as Matrix).at(0, 0);
  const model = densityModel(
    { latents: real(Matrix.from([[-1.2]])) },
    ({ latents }) => op.sum(op.add(op.mul(-10, op.square(op.sub(op.square(latents!), 1))), latents!)) as Scalar,
  );
  return {
    ...model,
    tolerance: 5,
    *refine(values, { steps, memory }) {
      let at = x(values);
      let taken = (memory?.taken as number | undefined) ?? 0;
      const point = (): RefinementPoint => ({
        values: { latents: Matrix.from([[at]]) },
        objective: density(at),
        gradients: { latents: [slope(at)] },
        iterations: taken,
        evaluations: taken,
      });
      while (taken < steps && Math.abs(slope(at)) > 1e-6) {
        at -= (0.5 * slope(at)) / bend(at);
        taken++;
        const saved = { taken };
        if (yield { ...point(), memory: () => saved }) break;
      }
      const kktResidual = Math.abs(slope(at));
      return { ...point(), kktResidual, converged: kktResidual <= 1e-6, course: `${taken} steps`, message: '' };
    },
  };
}
