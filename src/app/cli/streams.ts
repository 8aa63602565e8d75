import { fstatSync, fsyncSync, writeSync } from 'node:fs';
import { LatentFieldError, systemReason } from '../../core/index.ts';

/** Where a command writes: results to `stdout`, everything else to `stderr`. */
export interface Streams {
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown; readonly isTTY?: boolean };
}

/** What a command runs in. */
export interface Context extends Streams {
  /** Aborting it stops the command; its reason says who did. */
  readonly signal?: AbortSignal | undefined;
  /** Takes the exit code of a command that came to an end, where it is not 0. */
  readonly exit: (code: number) => void;
}

/** Ends the marks of a progress bar: wraps lines and shows the cursor again. */
export const CLEAN_TERMINAL = '\x1B[?7h\x1B[?25h\n';

/** Exit codes of what a signal ended: 128 and its number. */
const STOPPED: Readonly<Record<string, number>> = { 'Ctrl-C': 130, SIGTERM: 143, SIGHUP: 129 };

/** The exit code of a command that was stopped by a signal, by its reason. */
export const exitCodeOf = (reason: unknown): number => STOPPED[String(reason)] ?? 130;

const STDOUT = 1;
const STDERR = 2;

/**
 * The streams of this process. Standard output is written to its last byte before `write` returns: Node's own stream takes a short write to a file for
 * a whole one. What standard error cannot take is lost, and the command goes on.
 */
export const standardStreams: Streams = {
  stdout: {
    write(text) {
      try {
        writeWhole(STDOUT, text);
      } catch (error) {
        // Whoever read the output has seen enough, as `head` does.
        if ((error as NodeJS.ErrnoException).code === 'EPIPE') process.exit(0);
        throw unwritten(error);
      }
    },
  },
  stderr: process.stderr.isTTY
    ? // A terminal that is closed loses what is written to it.
      process.stderr.on('error', () => undefined)
    : {
        write(text) {
          try {
            writeWhole(STDERR, text);
          } catch {
            // There is nowhere to say so.
          }
        },
      },
};

/** @throws LatentFieldError when a file that standard output goes to is not on its disk */
export function checkOutput(): void {
  try {
    if (fstatSync(STDOUT).isFile()) fsyncSync(STDOUT);
  } catch (error) {
    // Standard output may be closed from the start.
    if ((error as NodeJS.ErrnoException).code !== 'EBADF') throw unwritten(error);
  }
}

const unwritten = (cause: unknown) =>
  new LatentFieldError(`Standard output cannot be written: ${systemReason(cause)}.`, { cause, code: 'cannotWrite' });

function writeWhole(descriptor: number, text: string): void {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(descriptor, bytes, at);
    } catch (error) {
      // A pipe that does not block is full.
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}
