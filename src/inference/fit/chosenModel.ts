import type { ProgressiveWork } from '../../core/progressiveWork.ts';
import type { Model } from '../../model/model.ts';
import { inSlices } from '../minimize/slices.ts';
import { type FitSettings, OutOfTime } from './fitOptions.ts';

/** Maximum share of a fit's seconds for choosing options. */
const FOR_CHOICE = 0.5;

/** Chooses the model's options, and returns the model with the remaining seconds. */
export async function chosenModel(model: Model, { seed = 0, signal, maxSeconds }: FitSettings) {
  const began = performance.now();
  const limits = {
    ...(signal && { signal }),
    ...(maxSeconds !== undefined && { maxSeconds: FOR_CHOICE * maxSeconds }),
    drive: <T>(work: ProgressiveWork<T>) =>
      inSlices(work, { signal, maxSeconds: FOR_CHOICE * (maxSeconds ?? Infinity) }),
  };
  const choice = await model.choose!({ seed, ...limits }).catch((error: unknown) => {
    throw error instanceof OutOfTime ? new OutOfTime(maxSeconds!, error.needed / FOR_CHOICE) : error;
  });
  const seconds = (performance.now() - began) / 1000;
  return { ...choice, ...(maxSeconds !== undefined && { secondsLeft: Math.max(0, maxSeconds - seconds) }) };
}
