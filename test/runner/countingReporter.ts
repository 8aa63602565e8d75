import { writeSync } from 'node:fs';
import type { Reporter, TestCase, TestModule, TestRunEndReason, TestSpecification, Vitest } from 'vitest/node';

/** What became of a run; whatever is neither passed nor left out for a reason has failed. */
interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

/** A reason stands in brackets at the end of a test's name, or of the name of a group that holds it. */
const REASON = /\s\(.+\)$/;

/**
 * Ends a run with `N passed, N failed` (and `, N skipped`) alone on the last line, and with exit code 1 when anything failed. A file
 * that did not load, a hook that threw, an error outside of tests and a lost worker each count as failed, and so does every test that
 * they kept from running, one that was left out without a reason, and a run that was interrupted or ran nothing.
 */
export class CountingReporter implements Reporter {
  #vitest: Vitest | undefined;
  #files = 0;
  /** Stands until the run has come to its end. */
  #counts: Counts = { passed: 0, failed: 1, skipped: 0 };

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
    // After all else that is printed, a process that ends early included.
    if (!vitest.config.watch) process.once('exit', () => this.#close());
  }

  onTestRunStart(files: readonly TestSpecification[]): void {
    this.#files = files.length;
  }

  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[], reason: TestRunEndReason): void {
    const counts: Counts = { passed: 0, failed: errors.length + Math.max(0, this.#files - modules.length), skipped: 0 };
    const leftOut: string[] = [];
    const wrong: string[] = [];
    for (const module of modules) {
      const groups = [module, ...module.children.allSuites()];
      counts.failed += groups.filter((group) => group.errors().length > 0).length;
      const isUnfinished = module.state() === 'pending' || module.state() === 'queued';
      if (isUnfinished && module.children.size === 0) counts.failed++;
      for (const test of module.children.allTests()) {
        if (this.#isNotChosen(test)) continue;
        const outcome = outcomeOf(test);
        counts[outcome]++;
        const name = `  ${module.relativeModuleId}: ${test.fullName}`;
        if (outcome === 'skipped') leftOut.push(name);
        else if (outcome === 'failed' && test.result().state !== 'failed') wrong.push(name);
      }
    }
    if (reason === 'interrupted' || counts.passed === 0 || reason === 'failed') counts.failed ||= 1;
    this.#counts = counts;
    list(
      'Left out, because what they need (named in brackets; ../shared/… is the folder of real data) is not here:',
      leftOut,
    );
    list('Counted as failed, because they did not run and nothing in brackets says why:', wrong);
  }

  /** Left out by `-t` or `--tags-filter`, as the caller wanted. */
  #isNotChosen(test: TestCase): boolean {
    const pattern = this.#vitest?.getGlobalTestNamePattern();
    if (pattern !== undefined && !pattern.test(test.fullName.replaceAll(' > ', ' '))) return true;
    const filters = this.#vitest?.config.tagsFilter ?? [];
    return !filters.every((filter) =>
      filter.startsWith('!') ? !test.tags.includes(filter.slice(1)) : test.tags.includes(filter),
    );
  }

  #close(): void {
    const { passed, failed, skipped } = this.#counts;
    if (failed > 0) process.exitCode = 1;
    const line = `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
    // Not through the stream, which may end before it has written.
    writeSync(1, `\n${line}\n`);
  }
}

function outcomeOf(test: TestCase): keyof Counts {
  const result = test.result();
  if (result.state === 'passed') return 'passed';
  if (result.state !== 'skipped') return 'failed';
  let hasReason = result.note !== undefined || REASON.test(test.name);
  for (let group = test.parent; ; group = group.parent) {
    if (group.errors().length > 0) return 'failed';
    if (group.type === 'module') return hasReason ? 'skipped' : 'failed';
    hasReason ||= REASON.test(group.name);
  }
}

function list(title: string, names: readonly string[]): void {
  if (names.length > 0) process.stdout.write(`\n${title}\n${names.join('\n')}\n`);
}
