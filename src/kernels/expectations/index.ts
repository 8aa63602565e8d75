export { closedExpectations } from './closedForm.ts';
export {
  certainExpectations,
  drawnNodes,
  type ExpectationInputs,
  type Expectations,
  gridNodes,
  type LatentNodes,
  quadratureExpectations,
  totalsOf,
  whitenedProducts,
} from './expectations.ts';
