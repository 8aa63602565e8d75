export type {
  Box,
  Curvature,
  Ending,
  Evaluation,
  Iterate,
  QuadraticDescent,
  QuadraticModel,
  Solver,
  SolverMemory,
  SolverRun,
  Step,
  Steps,
} from '../../model/solver.ts';
