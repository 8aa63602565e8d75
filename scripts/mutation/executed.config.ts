import { mergeConfig } from 'vitest/config';
import config from '../../vitest.config.ts';

/** They take Redis, a browser or minutes. */
const LEFT_OUT = ['test/**/*.realData.test.ts', 'test/browser/**', 'test/bench/**', 'test/examples/**'];

/** The tests, each file in a separate process that records the called functions of the sources: see recordExecuted.ts. */
const { projects, ...test } = config.test!;
export default {
  ...config,
  root: new URL('../..', import.meta.url).pathname,
  test: {
    ...test,
    reporters: [{}],
    projects: (projects as { test: object }[]).map((project) =>
      mergeConfig(project, {
        test: { isolate: true, setupFiles: ['scripts/mutation/recordExecuted.ts'], exclude: LEFT_OUT },
      }),
    ),
  },
};
