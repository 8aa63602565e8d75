import { useEffect, useState } from 'preact/hooks';
import type { Dataset } from './data/dataset.ts';
import { PageWorker } from './pageWorker.ts';
import type { Settings } from './settings.ts';

/** Minimum number of rows for an estimate: fits of fewer take seconds. */
const MANY = 400;
/** Milliseconds after the last change of the settings. */
const PAUSE = 500;
/** Seconds above which the time of a fit is announced. */
const ANNOUNCED = 60;

/** Expected time of all iterations of a fit. */
export interface ExpectedTime {
  readonly seconds: number;
  /** Number of rows whose iterations were timed, if these are not all. */
  readonly of: number | undefined;
}

/**
 * Time that all iterations of a fit are expected to take on this machine, if it is more than a minute: first extrapolated from some of its rows, then at the
 * pace of its first iterations.
 */
export function useExpectedTime(
  settings: Settings,
  dataset: Dataset | undefined,
  isWanted: boolean,
): ExpectedTime | undefined {
  const [expected, setExpected] = useState<{ of: unknown; time: ExpectedTime }>();
  const of = JSON.stringify([settings, dataset?.name]);
  const isLarge = isWanted && dataset !== undefined && dataset.observations.rows >= MANY;
  useEffect(() => {
    if (!isLarge) return;
    let worker: PageWorker | undefined;
    const timer = setTimeout(async () => {
      worker = new PageWorker();
      for (const isRough of [true, false]) {
        try {
          const time = await worker.expectedTime(settings, dataset, isRough);
          setExpected({ of, time });
        } catch {
          // The fit itself reports what is wrong with its settings, and some rows may not support them.
          if (!isRough) setExpected(undefined);
        }
      }
    }, PAUSE);
    return () => {
      clearTimeout(timer);
      worker?.end();
    };
  }, [of, isLarge, dataset]);
  return isLarge && expected?.of === of && expected.time.seconds > ANNOUNCED ? expected.time : undefined;
}
