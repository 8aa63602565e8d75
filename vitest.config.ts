import { defineConfig } from 'vitest/config';
import { CountingReporter } from './test/runner/countingReporter.ts';

export default defineConfig({
  resolve: {
    alias: [
      { find: /^latentfield$/, replacement: new URL('./src/index.ts', import.meta.url).pathname },
      { find: /^latentfield\/ops$/, replacement: new URL('./src/tensors/ops.ts', import.meta.url).pathname },
      { find: /^latentfield\/(.*)$/, replacement: new URL('./src/$1/index.ts', import.meta.url).pathname },
    ],
  },
  test: {
    include: ['test/**/*.test.ts'],
    setupFiles: ['test/setup.ts'],
    reporters: ['default', new CountingReporter()],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    allowOnly: false,
    passWithNoTests: false,
    maxWorkers: '100%',
  },
});
