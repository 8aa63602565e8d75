import { InvalidInputError, NumericalError, plainError } from '../../core/errors.ts';
import type { EngineChoice } from '../../engine/dense/index.ts';
import type { Model, ModelJSON } from '../../model/model.ts';
import { type FitProblem, openProblem } from '../fit/fitProblem.ts';
import { type RunSettings, runFrom } from '../fit/run.ts';
import { solverFromJSON } from '../solvers/json.ts';
import { type Job, posted, type Reply, type Request } from './messages.ts';

/** Worker's end of the message channel. */
export interface WorkerPort {
  post(reply: Reply): void;
  listen(onRequest: (request: Request) => void): void;
}

/**
 * Turns this thread into a worker that runs fits.
 *
 * @param modelFromJSON - restores a model from its `toJSON`
 */
export function serveRuns(port: WorkerPort, modelFromJSON: (json: ModelJSON) => Model): void {
  const stop = new AbortController();
  let opened: { problem: FitProblem; settings: RunSettings } | undefined;

  const serve = async (request: Request) => {
    if (request.kind === 'stop') stop.abort(request.by);
    else if (request.kind === 'open') opened = open(request.job, modelFromJSON);
    else if (opened !== undefined) {
      for await (const event of runFrom(opened.problem, request.start, opened.settings, stop.signal)) {
        port.post(posted(event));
      }
    }
  };
  port.listen((request) => {
    serve(request).catch((error: unknown) =>
      port.post({ kind: 'failed', stage: request.kind === 'open' ? 'open' : 'run', ...plainError(error) }),
    );
  });
}

function open({ model, seed, engine, solver, settings, start, value }: Job, modelFromJSON: (json: ModelJSON) => Model) {
  const rebuiltModel = modelFromJSON(JSON.parse(model) as ModelJSON);
  const problem = { ...openProblem(rebuiltModel, { seed, engine: engine as EngineChoice }), start };
  const rebuilt = problem.layout.size === start.length ? valueAt(problem, start) : undefined;
  if (!Object.is(rebuilt, value)) {
    throw new InvalidInputError(
      rebuilt === undefined
        ? 'the model of its JSON has other variables.'
        : `the model of its JSON has log density ${-rebuilt} at the start, not ${-value}.`,
    );
  }
  return { problem, settings: { ...settings, solver: solver && solverFromJSON(solver) } };
}

function valueAt({ compute, objective }: FitProblem, x: Float64Array): number {
  try {
    return compute(() => objective(x).value);
  } catch (error) {
    if (error instanceof NumericalError) return Number.NaN;
    throw error;
  }
}
