export type { Fit, FitDiagnostics, FitJSON, FitStatus, TraceEntry } from '../core/fit.ts';
export type { Checkpoint } from './checkpoint.ts';
export { fit } from './fit.ts';
export type { FitOptions } from './fitOptions.ts';
export type { FitStep } from './fitStep.ts';
export { fitSteps } from './fitSteps.ts';
export { type LaplaceApproximation, type LaplaceOptions, laplaceApproximation } from './laplaceApproximation.ts';
export { minimize } from './minimize.ts';
export type { Origin, Restarts } from './restartOrigins.ts';
export type { ObjectiveFunction } from './scaledObjective.ts';
export { clusteringAccuracy } from './scores/clusteringAccuracy.ts';
export type { Partition } from './scores/contingency.ts';
export { type Clustering, type KMeansOptions, kMeans } from './scores/kMeans.ts';
export type { Mask } from './scores/maskedEntries.ts';
export { nearestNeighbourError } from './scores/nearestNeighbourError.ts';
export { negativeLogPredictiveDensity } from './scores/negativeLogPredictiveDensity.ts';
export {
  type NormalizedMutualInformationOptions,
  normalizedMutualInformation,
} from './scores/normalizedMutualInformation.ts';
export { rootMeanSquaredError } from './scores/rootMeanSquaredError.ts';
export { continuity, trustworthiness } from './scores/trustworthiness.ts';
export type { Progress, Solution, Status } from './solution.ts';
export { solve } from './solve.ts';
export type { SolveOptions } from './solveOptions.ts';
export type { SolverState } from './solverState.ts';
export {
  type AdamOptions,
  adam,
  type LbfgsOptions,
  lbfgs,
  lbfgsb,
  type PairOptions,
  type ScgOptions,
  type Solver,
  scg,
} from './solvers/index.ts';
export type { Box, Ending, Iterate, SolverMemory, SolverRun, Step, Steps } from './solvers/solver.ts';
export { type SolverStateJson, stateFromJson, stateToJson } from './stateJson.ts';
export type { NodeThread, WorkerLike, WorkerPool } from './workers/pool.ts';
