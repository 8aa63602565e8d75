import { InvalidInputError } from '../../core/errors.ts';
import type { Solver } from '../../model/solver.ts';
import * as builtIn from './builtIn.ts';

/** A built-in solver as plain data. */
export interface SolverJSON {
  readonly name: string;
  readonly options: object;
}

const factories: Readonly<Record<string, (options: object) => Solver>> = builtIn;

/**
 * Solver as plain data, which {@link solverFromJSON} can restore.
 *
 * @throws InvalidInputError for a solver that is not built in, or that has a function among its options
 */
export function solverToJSON({ name, options }: Solver): SolverJSON {
  if (options === undefined || !Object.hasOwn(factories, name)) {
    throw new InvalidInputError(
      `The solver '${name}' does not come with the library, so a worker cannot rebuild it. Omit the option workers.`,
    );
  }
  const own = Object.entries(options).find(([, value]) => typeof value === 'function');
  if (own !== undefined) {
    throw new InvalidInputError(
      `The ${own[0]} of ${name} is a function, which cannot go to a worker. Give a number, or leave the option workers out.`,
    );
  }
  return { name, options };
}

export function solverFromJSON({ name, options }: SolverJSON): Solver {
  return factories[name]!(options);
}
