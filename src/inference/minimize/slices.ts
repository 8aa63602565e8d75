/** The thread is left for other work after this many milliseconds. */
const SLICE = 40;

/** Long work on a thread that others need too, such as that of a page. */
export interface Slices {
  /** Whether it is time to leave the thread. */
  isOver(): boolean;
  /** Leaves the thread to whoever waits for it, and begins the next slice. */
  leave(): Promise<void>;
}

/** Slices of 40 ms, the first of which begins now. */
export function slices(): Slices {
  let ends = performance.now() + SLICE;
  return {
    isOver: () => performance.now() > ends,
    async leave() {
      await new Promise((resume) => setTimeout(resume));
      ends = performance.now() + SLICE;
    },
  };
}
