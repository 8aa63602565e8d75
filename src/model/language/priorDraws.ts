import * as v from 'valibot';
import { InvalidInputError } from '../../core/errors.ts';
import { checkOptions, type OptionsIn, typed } from '../../core/options.ts';
import { seededRandom } from '../../core/random.ts';
import { matrixTensor, tensorMatrix } from '../../engine/tensors/doubles.ts';
import { withFloat64 } from '../../engine/tensors/float64/scope.ts';
import type { Tensor2D } from '../../engine/tensors/tensorflow.ts';
import { type Approximation, approximationsInWords } from '../approximation.ts';
import type { AnyModel, ParameterValues } from '../model.ts';
import { parameterFrom, shapeOf } from '../parameter.ts';
import { valueTensors } from '../part.ts';
import type { RowsByName } from '../rowModel.ts';
import { assembledGraph, type CompiledGraph, pickedRows } from './compiled.ts';
import { drawnWithoutNoise, reasonsMissing, silentOfNewRows } from './derived.ts';
import { fittedGraph } from './fittedGraph.ts';
import type { Node } from './graph.ts';
import { isGaussian } from './variable.ts';
import { compiledModel } from './variablesModel.ts';

const schema = v.strictObject({
  /** Number of draws, from 1 (1). */
  draws: v.optional(v.pipe(v.number('a whole number from 1'), v.integer(), v.minValue(1)), 1),
  /** Seed of the draws (0). */
  seed: v.optional(v.number('a whole number'), 0),
  /** Natural values of parameters by path; default the model's initial values. */
  values: v.optional(typed<ParameterValues>(), {}),
});

/** Options of draws from the prior of a model. */
export interface SamplePriorOptions extends OptionsIn<typeof schema> {}

/**
 * Draws all variables of a model from their densities, parents first; known variables and parameters are fixed.
 *
 * @param model - a model of variables
 * @param options - see {@link SamplePriorOptions}
 * @returns for each draw, the rows of every variable by name, as many as in the data; observed variables are not centered or scaled
 * @throws InvalidInputError for a model without variables, a variable without a density or with additional factors, and a density that cannot be
 *   sampled
 * @example
 * ```ts
 * const prior = samplePrior(model, { draws: 4, seed: 1 });
 * prior[0]?.y; // Matrix
 * ```
 */
export function samplePrior(
  model: AnyModel & { readonly '~notDrawn'?: never },
  options: SamplePriorOptions = {},
): RowsByName[] {
  const { draws, seed, values: given } = checkOptions(schema, options, 'samplePrior');
  return withFloat64(() => {
    const compiled = compiledModel(model, 'samplePrior', seed);
    const reason = reasonNotDrawn(compiled);
    if (reason !== undefined) throw new InvalidInputError(reason);
    const { graph, parameters, ownTensors, mapped, features, owner, startOf } = compiled;
    const values = Object.fromEntries(
      Object.entries(parameters).map(([path, parameter]) => {
        const own = (given as ParameterValues)[path];
        return [
          path,
          own === undefined ? parameter.initial : parameterFrom(own as number, parameter, `'${path}'`).initial,
        ];
      }),
    );
    const unknown = Object.keys(given as object).find((path) => !(path in parameters));
    if (unknown !== undefined) {
      throw new InvalidInputError(`samplePrior was given a value of '${unknown}', but ${owner} has no such parameter.`);
    }
    const tensors = valueTensors(values);
    const random = seededRandom(seed);
    return Array.from({ length: draws }, () => {
      const current = new Map<string, Tensor2D>();
      for (const node of graph.nodes) {
        const { name, variable, given: needs, densities } = node;
        if (variable.role === 'embedded') continue;
        if (variable.role === 'known') {
          current.set(name, matrixTensor(variable.data));
          continue;
        }
        const rows = needs.map((each, i) => pickedRows(current.get(each)!, node.picked[i], compiled.placesInPlate));
        if (variable.role === 'mapped') {
          const inputs = rows.map((tensor, i) => {
            const own = features(node, i);
            return own === undefined ? tensor : matrixTensor(own);
          });
          current.set(name, mapped(node, tensors, inputs));
          continue;
        }
        const { path, density } = densities[0]!;
        const start = startOf(node);
        current.set(name, density.sample!(ownTensors(path, tensors), random, [start.rows, start.columns], rows));
      }
      return Object.fromEntries([...current].map(([name, tensor]) => [name, tensorMatrix(tensor)]));
    });
  });
}

/** Reason why the variables of a model cannot be drawn from their densities; undefined if they can. */
function reasonNotDrawn({ graph, owner }: Pick<CompiledGraph, 'graph' | 'owner'>): string | undefined {
  for (const { name, variable, densities } of graph.nodes) {
    if (variable.role === 'embedded' || variable.role === 'known') continue;
    const factor = densities.find(({ isFactor }) => isFactor);
    if (factor !== undefined) {
      return `'${name}' of ${owner} has the factor '${factor.density.name}' in addition to its density. Their product cannot be sampled; leave the factor out, or use it as the density.`;
    }
    if (variable.role === 'mapped') continue;
    const [placed] = densities;
    if (placed === undefined) {
      return `'${name}' of ${owner} has no density to draw from. Give it one, such as standardNormal().`;
    }
    if (placed.density.sample === undefined) {
      return `The density '${placed.density.name}' of '${name}' of ${owner} cannot be drawn from: it has no sample. One of your own may have: give it to defineDensity.`;
    }
  }
  return undefined;
}

/**
 * A model of variables in words: its variables with their shapes, densities and parents; its parameters; densities that do not apply to new rows; and
 * abilities that its fits lack, with the reasons.
 *
 * @throws InvalidInputError for a model without variables
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
    const approximations = approximationsOf(compiled, values);
    const fitted = fittedGraph(compiled, values);
    const missing: Record<string, string> = {
      ...reasonsMissing(fitted),
      ...(notDrawn !== undefined && { samplePrior: notDrawn }),
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
      ...(approximations.length > 0
        ? ['Approximations', ...approximations.map((own) => ` ${approximationsInWords([own])}`)]
        : []),
      ...(silent.length > 0 ? ['Without a part in placing new rows', ...silent.map((own) => `  ${own}`)] : []),
      ...(withoutNoise.length > 0 ? ['Drawn without noise only', ...withoutNoise.map((own) => `  ${own}`)] : []),
      ...(cannot.length > 0 ? ['Not available', ...cannot] : []),
    ].join('\n');
  });
}

/** Approximations of a model at these values, without measured errors. */
function approximationsOf(model: CompiledGraph, values: ParameterValues): Approximation[] {
  const isExact = ({ variable, densities }: Node) =>
    !(variable.role === 'latent' && isGaussian(variable)) && densities.every(({ density }) => density.exact);
  if (model.graph.nodes.every(isExact)) return [];
  const found: Approximation[] = [];
  const assembly = assembledGraph(model);
  try {
    assembly.terms(valueTensors(values), {
      ...{ random: seededRandom(0), iteration: 0, onJitter: () => {} },
      onApproximation: (own) => found.push(own),
    });
    return found;
  } finally {
    assembly.dispose();
  }
}
