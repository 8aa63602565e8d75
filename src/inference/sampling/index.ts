export {
  essBulk,
  essMean,
  essQuantile,
  essSd,
  essTail,
  mcseMean,
  mcseMean as mcse,
  mcseQuantile,
  mcseSd,
  rHat,
} from './convergence.ts';
export type { ChainsLike } from './givenDraws.ts';
export {
  type LeaveOneOut,
  loo,
  type PredictiveAccuracy,
  type PsisOptions,
  psis,
  type SmoothedWeights,
  waic,
} from './psis.ts';
