import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { CountingReporter } from './test/runner/countingReporter.ts';
import { LongFirst } from './test/runner/longFirst.ts';

const ALL = 'test/**/*.test.ts';
/** Tests that need a TensorFlow.js of their own, or put modules in place of the library's. */
const ISOLATED = 'test/**/*.isolated.test.ts';
/** Long fits to data outside of the repository. */
const REAL_DATA = 'test/**/*.realData.test.ts';

export default defineConfig({
  resolve: {
    alias: [
      { find: /^latentfield$/, replacement: new URL('./src/index.ts', import.meta.url).pathname },
      { find: /^latentfield\/ops$/, replacement: new URL('./src/engine/tensors/ops.ts', import.meta.url).pathname },
      { find: /^latentfield\/numerics$/, replacement: new URL('./src/engine/index.ts', import.meta.url).pathname },
      {
        find: /^latentfield\/tensors$/,
        replacement: new URL('./src/engine/tensors/index.ts', import.meta.url).pathname,
      },
      { find: /^latentfield\/mapping$/, replacement: new URL('./src/processes/index.ts', import.meta.url).pathname },
      {
        find: /^latentfield\/(data|io|plot|workers|queue)$/,
        replacement: new URL('./src/app/$1/index.ts', import.meta.url).pathname,
      },
      { find: /^latentfield\/(.*)$/, replacement: new URL('./src/$1/index.ts', import.meta.url).pathname },
    ],
  },
  test: {
    reporters: ['default', new CountingReporter()],
    // Otherwise each look-up in a module of CommonJS, as TensorFlow.js is, goes through a proxy.
    deps: { interopDefault: false },
    allowOnly: false,
    passWithNoTests: false,
    // One more than processors: some tests wait for other processes and for servers.
    maxWorkers: availableParallelism() + 1,
    // `npm test` leaves these out, `npm run test:all` does not.
    tags: [
      {
        name: 'long',
        description: 'statistical, exhaustive, on real data, in a browser or of what is built',
        timeout: 600_000,
      },
    ],
    sequence: { sequencer: LongFirst },
    // What a page shows is waited for: beside other work a page may take seconds.
    expect: { poll: { timeout: 20_000 } },
    projects: [
      {
        extends: true,
        test: {
          name: 'shared',
          include: [ALL],
          exclude: [ISOLATED, REAL_DATA],
          // One worker runs file after file with the modules it has loaded: loading TensorFlow.js takes as long as most files.
          isolate: false,
          setupFiles: ['test/setup.ts', 'test/detachViews.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'isolated',
          include: [ISOLATED],
          setupFiles: ['test/setup.ts', 'test/detachViews.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'real data',
          include: [REAL_DATA],
          setupFiles: ['test/setup.ts'],
          isolate: false,
          hookTimeout: 600_000,
        },
      },
    ],
  },
});
