/**
 * Parts that fits and results load on first use. They share one module, because bundlers split a page's code by the sets of its dynamic imports:
 * eighteen of them cost each page 12 kB. Few imports stay separate: the usual solver, which most fits load, and parts of one model.
 */
export { startFreeThreads, startThreads } from './engine/threads.ts';
export { placed, reconstructed } from './fields/placement/placement.ts';
export { checkpointOf, resumedFrom } from './inference/checkpoint/checkpoint.ts';
export { saving } from './inference/checkpoint/checkpointFile.ts';
export { batchObjective, epochsOf, epochwise, gatheredFrom } from './inference/fit/batchObjective.ts';
export { callersFunction } from './inference/fit/callersFunction.ts';
export { chosenModel } from './inference/fit/chosenModel.ts';
export { computedFit, fitStep, stageStep } from './inference/fit/computedFit.ts';
export { computation, onlyPoint } from './inference/fit/computedRun.ts';
export { notebookDisplay } from './inference/fit/notebookDisplay.ts';
export { shortlisted, startsFrom } from './inference/fit/perturbedStarts.ts';
export { imputedRows, projectedRows, reconstructedRows, translatedRows } from './inference/fit/placingAbilities.ts';
export { remembering } from './inference/fit/remembering.ts';
export { checkUnbounded, startError } from './inference/fit/searchErrors.ts';
export { geodesicPoints } from './inference/geometry/geometry.ts';
export { withFrozenVariables } from './inference/solvers/frozenVariables.ts';
export { runInWorkers } from './inference/workers/runInWorkers.ts';
export { contractionFindings, scaleFindings, scalesAreHeld } from './model/language/degenerateScales.ts';
export { startedFromRows } from './model/language/sourcedRows.ts';
export { startMapOf, tsneMapOf } from './model/language/startMaps.ts';
export { manifoldMaps } from './model/manifoldMaps.ts';
