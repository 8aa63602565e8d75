export { certainExpectations } from './certain.ts';
export { closedExpectations } from './closedForm.ts';
export { type ExpectationInputs, type Expectations, totalsOf } from './expectations.ts';
export { drawnNodes, gridNodes, type LatentNodes, quadratureExpectations } from './quadrature.ts';
