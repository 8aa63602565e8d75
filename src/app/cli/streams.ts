import { fstatSync, fsyncSync, writeSync } from 'node:fs';
import { LatentFieldError, systemReason } from '../../core/index.ts';

/** Output of a command: results go to `stdout`, everything else to `stderr`. */
export interface Streams {
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown; readonly isTTY?: boolean };
}

/** Environment of a command. */
export interface Context extends Streams {
  /** Aborting it stops the command; its reason names the signal. */
  readonly signal?: AbortSignal | undefined;
  /** Sets the exit code of a command that ends without an error, if it is not 0. */
  readonly exit: (code: number) => void;
}

/** Restores a terminal after a progress bar: wraps lines and shows the cursor. */
export const CLEAN_TERMINAL = '\x1B[?7h\x1B[?25h\n';

/** Exit codes of commands stopped by a signal: 128 plus its number. */
const STOPPED: Readonly<Record<string, number>> = { 'Ctrl-C': 130, SIGTERM: 143, SIGHUP: 129 };

/** Exit code of a command that a signal stopped, by the reason of the abort. */
export const exitCodeOf = (reason: unknown): number => STOPPED[String(reason)] ?? 130;

const STDOUT = 1;
const STDERR = 2;

/**
 * Streams of this process. Standard output is written completely before `write` returns: Node's own stream takes a partial write to a file for a
 * complete one. What standard error does not accept is lost, and the command goes on.
 */
export const standardStreams: Streams = {
  stdout: {
    write(text) {
      try {
        writeWhole(STDOUT, text);
      } catch (error) {
        // The reader has closed the pipe, as `head` does.
        if ((error as NodeJS.ErrnoException).code === 'EPIPE') process.exit(0);
        throw unwritten(error);
      }
    },
  },
  stderr: process.stderr.isTTY
    ? // Output to a closed terminal is lost.
      process.stderr.on('error', () => undefined)
    : {
        write(text) {
          try {
            writeWhole(STDERR, text);
          } catch {
            // There is nowhere to report it.
          }
        },
      },
};

/** @throws LatentFieldError if standard output is a file that cannot be synced to disk */
export function checkOutput(): void {
  try {
    if (fstatSync(STDOUT).isFile()) fsyncSync(STDOUT);
  } catch (error) {
    // Standard output may have been closed from the start.
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
      // A non-blocking pipe is full.
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}
