import { InvalidInputError } from '../core/errors.ts';
import type { Matrix } from '../core/matrix.ts';
import type { Embedding } from './computation.ts';
import type { Model, ModelJSON, ParameterValues } from './model.ts';
import type { ComputedDefinition } from './modelDefinition.ts';

/** A model whose solution is computed: it has no variables, and nothing to evaluate at. */
export function computedModel<Data>(
  { name, solve, posterior }: ComputedDefinition<Data>,
  data: Data,
  toJSON: () => ModelJSON,
): Model {
  return Object.freeze<Model>({
    name,
    solve: (context) => solve(data, context),
    assemble: () => {
      throw new InvalidInputError(
        `The solution of the model '${name}' is computed: it has a closed form or a search of its own, and no parameters to evaluate at. Use fit(model).`,
      );
    },
    posterior: ({ latents, eigenvalues, ...parameters }) => {
      const found = {
        latents: latents as Matrix,
        eigenvalues: Float64Array.from((eigenvalues as readonly number[] | undefined) ?? []),
        parameters,
      };
      return {
        latents: found.latents,
        ...(eigenvalues !== undefined && { eigenvalues: found.eigenvalues }),
        ...posterior?.(found, data),
      };
    },
    toJSON,
  });
}

/** The values of a computed solution, by path, as fits and files keep them. */
export function valuesOfEmbedding({ latents, eigenvalues, parameters }: Embedding): ParameterValues {
  return { latents, ...(eigenvalues !== undefined && { eigenvalues: Array.from(eigenvalues) }), ...parameters };
}
