import { defineConfig } from 'vitest/config';
import { CountingReporter } from './countingReporter.ts';

/** A run of files that fail on purpose, which countingReporter.test.ts starts. */
export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ['fixtures/*.fixture.ts'],
    reporters: ['default', new CountingReporter()],
    allowOnly: false,
    hookTimeout: 200,
    testTimeout: 60_000,
    maxWorkers: 1,
  },
});
