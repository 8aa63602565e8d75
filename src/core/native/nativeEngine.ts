import { InvalidInputError } from '../errors.ts';
import type { Float64Memory } from '../float64/memory.ts';
import type { LinearAlgebraEngine } from '../linalg/engine.ts';
import { findNative } from './findNative.ts';

/**
 * Dense linear algebra by the system's BLAS and LAPACK, on `memory` in place.
 *
 * @param library - file of the library; found as by `findNative` when left out
 * @throws InvalidInputError that says what is missing and how to install it
 */
export function nativeEngine(memory: Float64Memory, library?: string): LinearAlgebraEngine {
  const found = findNative(library === undefined ? {} : { library });
  if ('reason' in found) throw new InvalidInputError(`The native engine is not available. ${found.reason}`);
  return found.engine(memory);
}
