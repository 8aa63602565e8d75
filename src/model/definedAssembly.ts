import * as tf from '@tensorflow/tfjs-core';
import { InvalidInputError } from '../core/errors.ts';
import { describe } from '../core/matrix.ts';
import { lazily } from '../core/progressiveWork.ts';
import { withGetters } from '../core/withGetters.ts';
import type { Scalar, Tensor, Tensor2D } from '../tensors/tensorflow.ts';
import type { Assembly, FreeEntries, ParameterValues, TermContext } from './model.ts';
import type { AnyDefinition, ModelContext } from './modelDefinition.ts';
import { nesting, type Parts, parametersByPath, type ValuesOf } from './part.ts';
import { disposed, withLocation } from './withLocation.ts';

/** The model at its data, ready to be evaluated. */
export function assembled<Data, P extends Parts, C>(
  definition: AnyDefinition<Data, P, C>,
  data: Data,
  parts: P,
  owner: string,
): Assembly {
  const parameters = parametersByPath(owner, parts);
  const constants = definition.constants?.(data, parts) as C;
  const tensors = tensorsIn(constants).map((tensor) => tf.keep(tensor));
  const held = definition.held?.(data, parts);
  const pointwise = definition.pointwise?.(data, parts);
  const { curvature, findings } = definition;
  const nested = nesting(owner, parts);
  return {
    parameters,
    ...(held !== undefined && { held }),
    ...(pointwise !== undefined && { pointwise }),
    ...(curvature !== undefined && {
      curvature: (values: ParameterValues, entries: FreeEntries) => curvature(values, data, constants, entries),
    }),
    ...(findings !== undefined && { findings: (values: ParameterValues) => findings(values, data, constants) }),
    terms: (values, context) => {
      const v = nested(values);
      const full = contextOf(definition, data, v, { parts, constants }, context, owner);
      const { terms } = definition;
      if (typeof terms === 'function') {
        return checkedTerms(
          owner,
          withLocation(`The terms of ${owner}`, () => terms(v, data, full)),
        );
      }
      const found: Record<string, Scalar> = {};
      for (const [term, density] of Object.entries(terms)) {
        found[term] = withLocation(`Term '${term}' of ${owner}`, () => density(v, data, full));
      }
      return checkedTerms(owner, found);
    },
    dispose: () => {
      for (const tensor of tensors) tensor.dispose();
      disposeOf(constants);
    },
  };
}

/** Gives back what constants hold beside tensors. */
export function disposeOf(constants: unknown): void {
  const { dispose } = (constants ?? {}) as { dispose?: unknown };
  if (typeof dispose === 'function') dispose();
}

function tensorsIn(value: unknown): Tensor[] {
  if (value instanceof tf.Tensor) return [value];
  if (Array.isArray(value)) return value.flatMap(tensorsIn);
  const isPlain = typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
  return isPlain ? Object.values(value).flatMap(tensorsIn) : [];
}

/** What a model's functions are given at some values. */
export function contextOf<Data, P extends Parts, C>(
  definition: AnyDefinition<Data, P, C>,
  data: Data,
  v: ValuesOf<P>,
  own: Pick<ModelContext<P, C>, 'parts' | 'constants' | 'memory'>,
  context: TermContext,
  owner: string,
): ModelContext<P, C> {
  const { iteration, batch } = context;
  const plain = {
    iteration,
    ...own,
    ...(batch !== undefined && { batch }),
    onJitter: (jitter: number) => context.onJitter(jitter),
    onRank: (rank: number) => context.onRank(rank),
  };
  const full: ModelContext<P, C> = withGetters(plain, {
    random: () => context.random,
    latents: lazily(() => {
      const latents = withLocation(`The latents of ${owner}`, () => latentsOf(definition, owner)(v, data, full));
      return checkedLatents(owner, latents);
    }),
  });
  return full;
}

function latentsOf<Data, P extends Parts, C>({ latents }: AnyDefinition<Data, P, C>, owner: string) {
  if (latents !== undefined) return latents;
  throw new InvalidInputError(`The definition of ${owner} has no latents that terms could ask for.`);
}

function checkedLatents(owner: string, X: unknown): Tensor2D {
  if (X instanceof tf.Tensor && X.rank === 2) return X as Tensor2D;
  const given = X instanceof tf.Tensor ? `a tensor of shape [${X.shape}]` : describe(X);
  throw new InvalidInputError(`The latents of ${owner} must be a matrix, one row a point, but ${given} was returned.`);
}

/**
 * The terms of a model, each a scalar that is still there.
 *
 * @throws InvalidInputError for one that is not, naming it
 */
function checkedTerms(owner: string, terms: unknown): Readonly<Record<string, Scalar>> {
  if (typeof terms !== 'object' || terms === null || terms instanceof tf.Tensor || Object.keys(terms).length === 0) {
    throw new InvalidInputError(`The terms of ${owner} must be scalars by name, but ${describe(terms)} was returned.`);
  }
  for (const [name, term] of Object.entries(terms as Readonly<Record<string, unknown>>)) {
    if (!(term instanceof tf.Tensor)) {
      throw new InvalidInputError(
        `Term '${name}' of ${owner} must be a scalar tensor, but ${describe(term)} was returned.`,
      );
    }
    if (term.isDisposed) throw disposed(`Term '${name}' of ${owner}`);
    if (term.rank !== 0) {
      throw new InvalidInputError(
        `Term '${name}' of ${owner} must be a scalar tensor, but its shape is [${term.shape}]. Sum it.`,
      );
    }
  }
  return terms as Readonly<Record<string, Scalar>>;
}
