import { enginesFor } from '../engines.mjs';
import { observations } from '../observations.mjs';
import { compare } from '../rounds.mjs';
import { peersGplvm } from './evaluations.mjs';

/** Evaluations before the fit is stopped. */
const BEFORE = 4;

/** Time from abort() to the resulting fit of a GPLVM, whose last evaluation may have just begun, compared with the time of one evaluation. */
export async function aborts(context) {
  const { fit } = context.library;
  const [n] = context.sizes([1000], [100]);
  const model = peersGplvm(context, await observations(context, n));
  const endless = { tolerance: 0, relativeDecrease: 0, maxIterations: 1e6 };
  const contenders = enginesFor(context, n, 0).map(({ engine, name, threads, use }) => ({
    name,
    threads,
    async measure() {
      use();
      const controller = new AbortController();
      let aborted;
      let began;
      let evaluationsBefore;
      let msPerEvaluation;
      const onProgress = ({ evaluations }) => {
        if (began === undefined) [began, evaluationsBefore] = [performance.now(), evaluations];
        else if (aborted === undefined && evaluations >= BEFORE) {
          msPerEvaluation = (performance.now() - began) / (evaluations - evaluationsBefore);
          // From outside of the fit, as a page or a timer does.
          setTimeout(() => {
            aborted = performance.now();
            controller.abort();
          });
        }
      };
      const result = await fit(model, { ...endless, engine, onProgress, signal: controller.signal });
      const ms = performance.now() - aborted;
      if (result.status !== 'stopped') throw new Error(`The fit was not stopped: ${result.message}`);
      return { ms, msPerEvaluation, beyond: ms - msPerEvaluation };
    },
  }));
  return compare(context, { section: 'abort', task: 'abort() to result', n }, contenders);
}
