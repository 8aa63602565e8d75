export type {
  Box,
  Ending,
  Evaluation,
  Iterate,
  Solver,
  SolverMemory,
  SolverRun,
  Step,
  Steps,
} from '../../core/solver.ts';
