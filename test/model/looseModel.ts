import { defineDensity, defineModel, fixedAt, latent, observed, type Parameter, shared } from 'latentfield';
import type * as op from 'latentfield/ops';

type Values = Readonly<Record<string, op.Tensor>>;

/** A log density of the parameters and of the points, in a model that is about nothing else. */
export type LooseDensity = (v: Values, random: { normal(): number }) => op.Scalar;

/**
 * A model of points and parameters under their own names, with log densities by name: the term of the first is `y`, those of others `y.name`. The paths of what is free are
 * the names of the parameters, and of what is held `y.name`.
 *
 * @param isHeld - whether the points are held where they start
 */
export const looseModel = (
  name: string,
  points: readonly (readonly number[])[],
  parameters: Readonly<Record<string, Parameter>>,
  densities: Readonly<Record<string, LooseDensity>>,
  isHeld = false,
) =>
  defineModel({
    name,
    variables: (_: undefined) => {
      const start = points.map((row) => [...row]);
      const own = Object.fromEntries(Object.entries(parameters).map(([key, p]) => [key, p.free ? shared(p) : p]));
      const free = Object.fromEntries(Object.entries(own).filter(([, parameter]) => parameter.free));
      const rows = latent({ dim: start[0]!.length, ...(isHeld ? { posterior: fixedAt(start) } : { init: start }) });
      const [density, ...factors] = Object.entries(densities).map(([term, logDensity]) =>
        defineDensity({
          name: term,
          parameters: own,
          normalized: false,
          logDensity: (p, { given }, { random }) => logDensity({ ...p, points: given[0]! }, random),
        })(),
      );
      const y = observed(
        start.map(() => [0]),
        { density: density!, factors, given: rows },
      );
      return { points: rows, y, ...free };
    },
  });
