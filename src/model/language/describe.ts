import { withFloat64 } from '../../engine/tensors/float64/scope.ts';
import type { AnyModel } from '../model.ts';
import { shapeOf } from '../parameter.ts';
import { drawnWithoutNoise, reasonsMissing, silentOfNewRows } from './derived.ts';
import { fittedGraph } from './fittedGraph.ts';
import { reasonNotDrawn } from './priorDraws.ts';
import { isGaussian } from './variable.ts';
import { compiledModel } from './variablesModel.ts';

/**
 * A model of variables in words: its variables with their shapes, densities and what they are given; its parameters; which densities say nothing of new
 * rows; and what its fits cannot do, with the reason.
 *
 * @throws InvalidInputError for a model that was not made of variables
 * @example
 * ```ts
 * describe(model); // 'plain: 90 points\nVariables\n  z: latent, 90×2 ~ standardNormal …'
 * ```
 */
export function describeModel(model: AnyModel): string {
  return withFloat64(() => {
    const compiled = compiledModel(model, 'describe', 0);
    const { graph, parameters, startOf } = compiled;
    const values = Object.fromEntries(Object.entries(parameters).map(([path, { initial }]) => [path, initial]));
    const notDrawn = reasonNotDrawn(compiled);
    const fitted = fittedGraph(compiled, values);
    const missing: Record<string, string> = {
      ...reasonsMissing(fitted),
      ...(notDrawn !== undefined && { priorDraws: notDrawn }),
    };
    const variables = graph.nodes.map((node) => {
      const { name, variable, given, densities, plate } = node;
      const { rows, columns } = startOf(node);
      const terms = densities.map(({ density, isFactor, term }) =>
        isFactor ? `factor ${density.name} (term ${term})` : `~ ${density.name}`,
      );
      const map = variable.role === 'mapped' ? [`= ${variable.map.name}`] : [];
      const inferred = variable.role === 'latent' && isGaussian(variable) ? ['inferred as Gaussian rows'] : [];
      const each = plate !== undefined ? [`one row a value of ${plate}`] : [];
      const of = given.length > 0 ? [`given ${given.join(', ')}`] : [];
      return `  ${name}: ${variable.role}, ${rows}×${columns} ${[...map, ...terms, ...of, ...each, ...inferred].join(', ')}`.trimEnd();
    });
    const entries = Object.entries(parameters).map(([path, { support, free, initial, transform }]) => {
      const shape = shapeOf(initial);
      return `  ${path}: ${free ? (transform?.name ?? transform?.title ?? support) : 'held'}${shape.length > 0 ? `, ${shape.join('×')}` : ''}`;
    });
    const silent = missing.project === undefined ? silentOfNewRows(fitted) : [];
    const withoutNoise = missing.sample === undefined ? drawnWithoutNoise(fitted) : [];
    const cannot = Object.entries(missing).map(([ability, reason]) => `  ${ability}: ${reason}`);
    return [
      `${model.name}: ${graph.points} points`,
      'Variables',
      ...variables,
      'Parameters',
      ...entries,
      ...(silent.length > 0 ? ['Without a say in where new rows are placed', ...silent.map((own) => `  ${own}`)] : []),
      ...(withoutNoise.length > 0 ? ['Drawn without noise only', ...withoutNoise.map((own) => `  ${own}`)] : []),
      ...(cannot.length > 0 ? ['Not available', ...cannot] : []),
    ].join('\n');
  });
}
