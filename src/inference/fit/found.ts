import type { AnyPosterior } from '../../model/posterior.ts';
import type { Outcome } from './bestOf.ts';
import type { FitProblem } from './fitProblem.ts';

/**
 * The outcome with what its model has to say about it: how far its optimality conditions are from being met, and whether it is an
 * optimum that means nothing, which is 'degenerate' then and not 'converged'.
 */
export function found({ model, compute, valuesAt, findingsAt }: FitProblem, outcome: Outcome): Outcome {
  if (model.solve !== undefined) return outcome;
  const { x } = outcome.point;
  const findings = findingsAt(x);
  const kktResidual =
    findings === undefined ? compute(() => violationOf(model.posterior(valuesAt(x)))) : findings.kktResidual;
  const isDegenerate = findings?.isDegenerate === true && outcome.status === 'converged';
  return {
    ...outcome,
    ...(isDegenerate && { status: 'degenerate' }),
    message: findings === undefined ? outcome.message : `${outcome.message} ${findings.message}`,
    diagnostics: { ...outcome.diagnostics, ...(kktResidual !== undefined && { kktResidual }) },
  };
}

const violationOf = ({ kktResidual }: AnyPosterior) => kktResidual?.();
