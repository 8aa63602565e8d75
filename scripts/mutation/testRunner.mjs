// Runs the tests whose names ../mutate.mjs sends, again and again in one vitest, in the current folder:
// { tests, changed } arrives as a message, { outcome, why, failed } is the reply, the last the files of failed tests. Ends with the process that started it.
import { resolve } from 'node:path';
import { createVitest } from 'vitest/node';

let failures = [];
let lost = [];
let failed = [];
const firstLine = (error) => String(error?.message ?? error).split('\n', 1)[0];

const reporter = {
  onTestCaseResult(test) {
    const { state, errors = [] } = test.result();
    if (state === 'failed') noticed(test.module, test.fullName, errors);
  },
  onTestModuleEnd(module) {
    for (const group of [module, ...module.children.allSuites()]) {
      if (group.errors().length > 0)
        noticed(module, `${module.relativeModuleId} ${group.fullName ?? ''}`.trim(), group.errors());
    }
  },
};
const vitest = await createVitest('test', { watch: false, maxWorkers: 1, reporters: [reporter] });

process.on('disconnect', () => process.exit());
process.on('message', async ({ tests, changed }) => {
  [failures, lost, failed] = [[], [], []];
  for (const file of changed) vitest.invalidateFile(resolve(file));
  const { unhandledErrors } = await vitest.runTestSpecifications(await vitest.globTestSpecifications(tests));
  for (const error of unhandledErrors) {
    const isLost = /Worker|\[vitest-pool\]/.test(firstLine(error));
    (isLost ? lost : failures).push(`outside of tests: ${firstLine(error)}`);
  }
  const [outcome, why] =
    failures.length > 0 ? ['killed', failures] : lost.length > 0 ? ['endless', lost] : ['survived', []];
  process.send({ outcome, why: why.slice(0, 3), failed: [...new Set(failed)] });
});
process.send('ready');

/** One test that fails is enough: the rest need not run. */
function noticed(module, name, errors) {
  const messages = errors.map(firstLine);
  const isLost = messages.every((message) => /^(Test|Hook) timed out in/.test(message));
  (isLost ? lost : failures).push(`${name}: ${messages[0]}`);
  if (!isLost) failed.push(module.relativeModuleId);
  vitest.cancelCurrentRun('test-failure');
}
