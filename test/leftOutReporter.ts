import type { Reporter, TestModule } from 'vitest/node';

/** Names every test that did not run, so that nobody takes a shorter run for a complete one. */
export class LeftOutReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const names = modules.flatMap((module) =>
      [...module.children.allTests('skipped')].map((test) => `  ${module.relativeModuleId}: ${test.fullName}`),
    );
    if (names.length === 0) return;
    process.stdout.write(
      `\nLeft out, because what they need (named in brackets; ../shared/… is the folder of real data) is not here:\n${names.join('\n')}\n`,
    );
  }
}
