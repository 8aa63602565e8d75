// Names that docstrings use without a declaration.
import type { Draws, FitOf, Graph, gplvm, Kernel, Model, ObjectiveFunction, PriorFactory } from 'latentfield';
import type { SymbolicFactor } from './declarations/numerics/sparse/symbolicFactor.js';

declare global {
  /** Observations, N×D. */
  const Y: number[][];
  /** Latents, N×q. */
  const X: number[][];
  /** N×N. */
  const distances: number[][];
  /** New observations, of as many columns. */
  const Ynew: number[][];
  const labels: string[];
  /** Binary, counted and graded observations, N×D. */
  const pixels: number[][];
  const counts: number[][];
  const grades: number[][];
  const model: Model;
  const result: FitOf<ReturnType<typeof gplvm>>;
  const graph: Graph;
  const objective: ObjectiveFunction;
  const saved: string;
  const values: Float64Array;
  const pattern: { readonly starts: Int32Array };
  const symbolic: SymbolicFactor;
  function show(...given: unknown[]): void;
  /** Draws from the posterior of the model. */
  const draws: Draws;
  function test(name: string, run: () => void): void;
  /** A custom kernel and a custom prior. */
  function cauchy(parameters?: { lengthscale?: number | number[] }): Kernel;
  const heavyTails: PriorFactory<'strength'>;
}
