import { InvalidInputError } from '../../core/errors.ts';
import { Matrix } from '../../core/matrix.ts';
import { differenceStep } from '../../engine/centralDifferences.ts';
import { doublesOf } from '../../engine/tensors/doubles.ts';
import { matrixTensor, tensorMatrix } from '../../engine/tensors/matrixTensor.ts';
import * as op from '../../engine/tensors/ops.ts';
import type { Tensor2D } from '../../engine/tensors/tensorflow.ts';
import { type PullBack, pointsAround, pullBackOf, pullBackSum, pulledBack, slopesFrom } from '../pullBack.ts';
import type { FittedGraph } from './fittedGraph.ts';
import type { Node } from './graph.ts';

/**
 * Expected metric of the noise-free functions at rows Z of the only root, summed over the observed variables or that of one.
 *
 * @throws InvalidInputError for a model with another random variable on the way, or without moments
 */
export function expectedMetric(of: FittedGraph, Z: Matrix, view?: string): PullBack {
  const { model, latents, known, observed, roots, values } = of;
  const { graph, owner, seen, columns } = model;
  // Without a latent variable that of what is mapped from known rows.
  const root = latents.length > 0 ? roots[0] : graph.shown.variable.role === 'mapped' ? graph.shown.name : undefined;
  if (root === undefined || roots.length > 1 || known.length > 0 || latents.length > 1) {
    const others = [...latents, ...known].map(({ name }) => `'${name}'`).join(', ');
    throw new InvalidInputError(
      `A metric is one of the points of a single latent variable, but what is observed of ${owner} depends on ${others || 'no latent variable'}.`,
    );
  }
  return of.at((fitted) => {
    const step = differenceStep(values[root]!.data, values[root]!.columns);
    const before = (node: Node, z: Matrix) => {
      const current = of.newValues(fitted, new Map([[root, matrixTensor(z)]]), {});
      return node.given.map((each) => current.get(each)!);
    };
    const parts = observed
      .filter(({ name }) => view === undefined || view === name)
      .map((node): PullBack => {
        const conditional = fitted.conditional(node.densities[0]!, node);
        const deviation =
          seen.get(node.name)?.standardization.deviation ?? new Float64Array(columns.get(node.name)!).fill(1);
        if (conditional.slopes !== undefined) {
          const given = before(node, Z);
          const { mean, covariances } = conditional.slopes(given);
          const width = given.reduce((sum, { shape }) => sum + shape[1], 0);
          const own = pullBackOf(tensorMatrix(mean), covariances().map(tensorMatrix), deviation, width);
          if (node.given.length === 1 && node.given[0] === root) return own;
          const around = op.concat(before(node, pointsAround(Z, step)), 1) as Tensor2D;
          return pulledBack(own, slopesFrom(tensorMatrix(around), step));
        }
        const moments = conditional.moments?.(before(node, pointsAround(Z, step)));
        if (moments === undefined) {
          throw new InvalidInputError(
            `There is no metric of '${node.name}' of ${owner}: its density '${node.densities[0]!.density.name}' gives no moments of new rows.`,
          );
        }
        const isCertain = doublesOf(moments.variance).every((variance) => variance === 0);
        const slopes = slopesFrom(tensorMatrix(moments.mean), step);
        const { mean } = pullBackOf(slopes, undefined, deviation, Z.columns);
        return { mean, spread: isCertain ? Matrix.zeros(mean.rows, mean.columns) : undefined };
      });
    return pullBackSum(parts);
  });
}
