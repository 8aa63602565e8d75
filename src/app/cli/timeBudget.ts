/** Fraction of the time that is reserved for the precision grid, the pictures and the files after the fit. */
const AFTERWARDS = 0.1;

/** Time left of `--max-seconds`, which starts with the command. */
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
    // Messages name this limit, for which tenths suffice.
    forFit: () =>
      seconds === undefined ? undefined : Math.max(0, Math.floor(10 * (left() - AFTERWARDS * seconds)) / 10),
  };
}
