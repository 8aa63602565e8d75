/** The part of the seconds that is kept for what follows the fit: the precision grid, the picture and the files. */
const AFTERWARDS = 0.1;

/** What is left of `--max-seconds`, which counts from the start of the command. */
export interface TimeBudget {
  /** Seconds that the fit may take; undefined without a limit. */
  forFit(): number | undefined;
  /** Seconds left; Infinity without a limit. */
  left(): number;
}

/** Starts the clock. */
export function timeBudget(seconds: number | undefined): TimeBudget {
  const began = performance.now();
  const left = () => (seconds === undefined ? Infinity : seconds - (performance.now() - began) / 1000);
  return {
    left,
    // Messages name this limit: tenths are enough.
    forFit: () =>
      seconds === undefined ? undefined : Math.max(0, Math.floor(10 * (left() - AFTERWARDS * seconds)) / 10),
  };
}
