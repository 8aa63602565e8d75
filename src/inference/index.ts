export type { Approximation, Measured } from '../model/approximation.ts';
export type {
  Fit,
  FitDiagnostics,
  FitJSON,
  FitOf,
  FitStatus,
  FittedModel,
  FitWarning,
  LoadedFit,
  TraceEntry,
  WithoutLatents,
} from '../model/fit.ts';
export type { Box, Ending, Iterate, Solver, SolverMemory, SolverRun, Step, Steps } from '../model/solver.ts';
export type {
  AssessedParts,
  Assessment,
  DimensionRow,
  Finding,
  LabelScores,
  Structure,
  SummaryLine,
} from './assessment/assessment.ts';
export { doubtSentence, LEAST_TRUSTWORTHINESS } from './assessment/assessment.ts';
export type { Calibration, Coverage } from './assessment/calibration.ts';
export { type CompareMapsOptions, compareMaps, type MapComparison } from './assessment/compareMaps.ts';
export type { Stability } from './assessment/stability.ts';
export type { Checkpoint } from './checkpoint/checkpoint.ts';
export { type SolverStateJson, stateFromJson, stateToJson } from './checkpoint/checkpointFile.ts';
export type { FitStep } from './fit/createFit.ts';
export { type FitAtOptions, fit, fitAt, fitSteps } from './fit/fit.ts';
export type { FitOptions } from './fit/fitOptions.ts';
export type { GivenStart } from './fit/fitProblem.ts';
export { chosenRows, type KnownRows, knownRowsOf, type TypicalPrediction, typicalPrediction } from './fit/knownRows.ts';
export type { Origin, Restarts } from './fit/restarts.ts';
export type { Stage } from './fit/run.ts';
export { type Geodesic, type Geometry, type GeometryOptions, geometry, type PathOptions } from './geometry/geometry.ts';
export {
  type LaplaceApproximation,
  type LaplaceOptions,
  type LaplacePoints,
  laplaceApproximation,
} from './laplaceApproximation.ts';
export { minimize, solve } from './minimize/minimize.ts';
export type { ObjectiveFunction } from './minimize/scaledObjective.ts';
export { predictInSlices, type SliceOptions } from './minimize/slices.ts';
export type { Progress, Solution, SolverState, Status } from './minimize/solution.ts';
export type { SolveOptions } from './minimize/solveOptions.ts';
export * from './sampling/index.ts';
export {
  type Clustering,
  clusteringAccuracy,
  type KMeansOptions,
  kMeans,
  type NormalizedMutualInformationOptions,
  normalizedMutualInformation,
  type Partition,
} from './scores/clusterings.ts';
export { type Mask, negativeLogPredictiveDensity, rootMeanSquaredError } from './scores/heldOutEntries.ts';
export {
  type LocalScoreOptions,
  type LocalScores,
  localScores,
  type NeighborPair,
  type OverallScores,
  usualNeighbors,
} from './scores/localScores.ts';
export {
  continuity,
  nearestNeighborError,
  neighborhoodPreservations,
  trustworthiness,
} from './scores/neighborScores.ts';
export { type LabelPrediction, type PredictLabelsOptions, predictLabels } from './scores/predictLabels.ts';
export type { Split } from './selection/scores.ts';
export {
  heldOutDensity,
  nearestNeighborScore,
  type ScoredFit,
  type SelectionScore,
  trustworthinessScore,
} from './selection/scores.ts';
export {
  type OptionGrid,
  type Selection,
  type SelectionRow,
  type SelectionSettings,
  selectOptions,
  type TrainingPart,
} from './selection/selectOptions.ts';
export type { AdamOptions } from './solvers/adam.ts';
export * from './solvers/builtIn.ts';
export type { LbfgsOptions, PairOptions } from './solvers/lbfgs.ts';
export type { NewtonOptions } from './solvers/newton.ts';
export type { ScgOptions } from './solvers/scg.ts';
export type { NodeThread, WorkerLike, WorkerPool, Workers, WorkersWithParts } from './workers/pool.ts';
