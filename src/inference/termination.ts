import { projectedGradientNorm } from './scaledObjective.ts';
import { shortNumber } from './shortNumber.ts';
import type { Progress, Status } from './solution.ts';
import type { SolveSettings } from './solveOptions.ts';
import type { Box, Iterate } from './solvers/solver.ts';

/** How a run ended, as a status and the beginning of a sentence. */
export interface End {
  readonly status: Status;
  readonly how: string;
}

/** Whether the iterate is stationary: no entry of x − P(x − g) exceeds the tolerance. */
export function testGradient(iterate: Readonly<Iterate>, box: Box, { tolerance }: SolveSettings): End | undefined {
  const gradientNorm = projectedGradientNorm(iterate, box);
  if (gradientNorm > tolerance) return undefined;
  return {
    status: 'converged',
    how:
      `Converged: the largest entry of the projected gradient, ${shortNumber(gradientNorm)}, is within the tolerance ` +
      shortNumber(tolerance),
  };
}

/** Whether an iteration changed the value too little to go on. */
export function testDecrease(value: number, previous: number, { relativeDecrease }: SolveSettings): End | undefined {
  const decrease = (previous - value) / Math.max(Math.abs(previous), Math.abs(value), 1);
  if (decrease > relativeDecrease) return undefined;
  return {
    status: 'converged',
    how:
      `Converged: the last iteration lowered the value by ${shortNumber(decrease)} of its size, within ` +
      `relativeDecrease ${shortNumber(relativeDecrease)}`,
  };
}

/** Tells the caller's callback; it may ask to stop. */
export function reportTo({ onProgress }: SolveSettings, progress: Progress): End | undefined {
  if (onProgress === undefined || onProgress(progress) !== false) return undefined;
  return { status: 'stopped', how: 'Stopped by onProgress, which returned false' };
}

export function limitOf(iterations: number, { maxIterations }: SolveSettings): End | undefined {
  if (iterations < maxIterations) return undefined;
  return { status: 'maxIterations', how: `Reached the limit of maxIterations = ${maxIterations} before converging` };
}

/** What forbids another evaluation: the signal, or a limit on evaluations or time. */
export function interruptionOf(evaluations: number, began: number, settings: SolveSettings): End | undefined {
  const { signal, maxEvaluations, maxSeconds } = settings;
  if (signal?.aborted) return { status: 'stopped', how: 'Stopped by the abort signal' };
  if (evaluations >= maxEvaluations) {
    return {
      status: 'maxIterations',
      how: `Reached the limit of maxEvaluations = ${maxEvaluations} before converging`,
    };
  }
  if (performance.now() - began >= maxSeconds * 1000) {
    return { status: 'stopped', how: `Stopped at the limit of maxSeconds = ${maxSeconds}` };
  }
  return undefined;
}
