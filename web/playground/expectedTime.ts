import { useEffect, useState } from 'preact/hooks';
import type { Dataset } from './data/dataset.ts';
import { PageWorker } from './pageWorker.ts';
import type { Settings } from './settings.ts';

/** Minimum number of rows for an estimate: fits of fewer take seconds. */
const MANY = 400;
/** Milliseconds after the last change of the settings. */
const PAUSE = 500;
/** Milliseconds without an estimate after which it is announced that there will be one. */
const PATIENCE = 8000;
/** Seconds above which the time of a fit is announced. */
const ANNOUNCED = 60;

/** Seconds that all iterations of a fit are expected to take on this machine, if these are more than a minute; NaN if the estimate takes long. */
export function useExpectedTime(
  settings: Settings,
  dataset: Dataset | undefined,
  isWanted: boolean,
): number | undefined {
  const [expected, setExpected] = useState<{ of: unknown; seconds: number }>();
  const of = JSON.stringify([settings, dataset?.name]);
  const isLarge = isWanted && dataset !== undefined && dataset.observations.rows >= MANY;
  useEffect(() => {
    if (!isLarge) return;
    let worker: PageWorker | undefined;
    let slow: ReturnType<typeof setTimeout> | undefined;
    const timer = setTimeout(() => {
      worker = new PageWorker();
      slow = setTimeout(() => setExpected({ of, seconds: Number.NaN }), PATIENCE);
      worker.expectedTime(settings, dataset).then(
        (seconds) => {
          clearTimeout(slow);
          setExpected({ of, seconds });
        },
        // The fit itself reports what is wrong with its settings.
        () => {
          clearTimeout(slow);
          setExpected(undefined);
        },
      );
    }, PAUSE);
    return () => {
      clearTimeout(timer);
      clearTimeout(slow);
      worker?.end();
    };
  }, [of, isLarge, dataset]);
  return isLarge && expected?.of === of && !(expected.seconds <= ANNOUNCED) ? expected.seconds : undefined;
}
