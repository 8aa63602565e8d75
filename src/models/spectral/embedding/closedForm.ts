import { InvalidInputError } from '../../../core/errors.ts';
import type { Matrix } from '../../../core/matrix.ts';
import type {
  AnyPaths,
  Embedding,
  EmbeddingSteps,
  Model,
  ModelJSON,
  ParameterValues,
  Posterior,
} from '../../../model/model.ts';

/** What a model in closed form, or one that solves itself, is made of. */
export interface ClosedForm {
  readonly name: string;
  embed(): Embedding | EmbeddingSteps;
  /** What the model can do beside showing its latents. */
  readonly abilities?: (values: ParameterValues) => Partial<Posterior>;
  toJSON(): ModelJSON;
}

/** A model that is solved, not searched for by `fit`, which returns its solution. */
export function closedFormModel<A>({ name, embed, abilities, toJSON }: ClosedForm): Model<AnyPaths, A, 'byItself'> {
  return Object.freeze<Model<AnyPaths, A, 'byItself'>>({
    name,
    embed,
    assemble: () => {
      throw new InvalidInputError(
        `The model '${name}' has a closed form or a search of its own, and no parameters to evaluate at. Use fit(model).`,
      );
    },
    posterior: (values) => ({
      latents: values.latents as Matrix,
      eigenvalues: Float64Array.from(values.eigenvalues as readonly number[]),
      ...abilities?.(values),
    }),
    toJSON,
  });
}

/** The term of a model that maximises a trace: the sum of the eigenvalues it keeps, or minus it where it keeps the smallest. */
export function traceTerm(eigenvalues: Float64Array, sign: 1 | -1): Pick<Embedding, 'objective' | 'terms'> {
  const objective = sign * eigenvalues.reduce((sum, value) => sum + value, 0);
  return { objective, terms: { trace: objective } };
}
