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
} from '../../model/solver.ts';
