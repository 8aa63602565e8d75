export type { Fit, FitDiagnostics, FitJSON, FitStatus, TraceEntry } from '../core/fit.ts';
export { type FitOptions, fit } from './fit.ts';
export { minimize } from './minimize.ts';
export { nearestNeighbourError } from './scores/nearestNeighbourError.ts';
export type { Progress, Solution, Status } from './solution.ts';
export { solve } from './solve.ts';
export type { SolveOptions } from './solveOptions.ts';
export { lbfgs } from './solvers/lbfgs.ts';
export type { Solver } from './solvers/solver.ts';
