import { counted } from '../../core/counted.ts';
import type { Refinement } from '../../model/model.ts';
import { shortNumber } from '../shortNumber.ts';
import type { Outcome } from './bestOf.ts';

/** What says how a model's own steps ended. */
interface Ending {
  /** Whether there were to be any. */
  readonly goesOn: boolean;
  /** The limit that they reached, as `name = number`. */
  readonly limit: string | undefined;
  /** The tolerance that was given, when it is met. */
  readonly within: { readonly gradientNorm: number; readonly tolerance: number } | undefined;
  /** Who stopped them. */
  readonly stoppedBy: string | undefined;
}

/** How a fit ended whose model took steps of its own after the solver: the status, and sentences that say so. */
export function refinedCourse(before: Outcome, end: Refinement, ending: Ending): Pick<Outcome, 'status' | 'message'> {
  if (!ending.goesOn) return { status: before.status, message: `${before.message} ${end.message}` };
  const status = statusOf(end, ending);
  const { course } = end;
  if (status === 'converged' && before.status === 'converged' && (before.diagnostics.iterations > 0 || course === '')) {
    return { status, message: `${before.message} ${course === '' ? '' : `${course} followed. `}${end.message}` };
  }
  const message = `${how(status, end, ending)} ${end.message}`;
  if (before.diagnostics.iterations === 0 && before.status === 'converged') return { status, message };
  const solver = before.status === 'failed' ? 'could go no further' : 'had come to its own end';
  return { status, message: `${message} Before that the solver ${solver}: ${before.message}` };
}

function statusOf({ converged }: Refinement, { within, stoppedBy, limit }: Ending): Outcome['status'] {
  if (converged || within !== undefined) return 'converged';
  if (stoppedBy !== undefined) return 'stopped';
  return limit === undefined ? 'failed' : 'maxIterations';
}

function how(
  status: Outcome['status'],
  { converged, evaluations, course }: Refinement,
  { within, stoppedBy, limit }: Ending,
): string {
  const after =
    course === '' ? "before the model's own steps" : `after ${course} (${counted(evaluations, 'evaluation')})`;
  switch (status) {
    case 'converged':
      if (converged || within === undefined) return `Converged ${after}.`;
      return (
        `Converged: the largest entry of the projected gradient, ${shortNumber(within.gradientNorm)}, is within the tolerance ` +
        `${shortNumber(within.tolerance)} ${after}.`
      );
    case 'stopped':
      return `Stopped by ${stoppedBy} ${after}.`;
    case 'maxIterations':
      return `Reached the limit of ${limit} before converging, ${after}.`;
    default:
      return `Failed: the model's own steps led no further ${after}.`;
  }
}
