// Report of an attack: the number of cases per outcome, and every failure with the case that reproduces it.
import { LatentFieldError } from 'latentfield';

/** Longest a case may take; what takes longer counts as a hang. */
const LONGEST_SECONDS = 60;
const MOST_SHOWN = Number(process.env.ATTACK_SHOWN ?? 12);

export function newReport(name, seed) {
  const outcomes = new Map();
  const failures = [];
  const skipped = [];
  let cases = 0;
  return {
    /** Cases of this outcome. */
    count(outcome, times = 1) {
      cases += times;
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + times);
    },
    /** Cases that cannot be tried on this machine, with reasons. */
    skip(reason) {
      skipped.push(reason);
    },
    /** Failures. */
    fail(what, details) {
      failures.push(`${what}: ${String(details).slice(0, 600)}`);
    },
    get failures() {
      return failures.length;
    },
    end(seconds) {
      const told = [...outcomes].sort().map(([outcome, n]) => `${n} ${outcome}`);
      console.log(
        `${name}, seed ${seed}: ${cases} cases in ${seconds.toFixed(0)} s: ${told.join(', ')}; ${failures.length} failures`,
      );
      for (const reason of skipped) console.log(`  NOT TRIED ${reason}`);
      for (const failure of failures.slice(0, MOST_SHOWN)) console.log(`  FAILED ${failure}`);
      return { name, seed, cases, outcomes: Object.fromEntries(outcomes), failures: failures.length, skipped, seconds };
    },
  };
}

/**
 * Runs a case: what it gives, or a typed error. Everything else is a failure of the report.
 *
 * @param isOwn - recognizes errors of the caller's functions, which some exports promise to rethrow unchanged
 * @returns `{ value }`, `{ error }` where it is one of the library's, undefined where the case has failed
 */
export async function tried(report, what, run, isOwn = () => false) {
  const began = performance.now();
  try {
    return { value: await run() };
  } catch (error) {
    if (error instanceof LatentFieldError) {
      if (error.message.length > 500)
        report.fail(`${what}, message of ${error.message.length} characters`, error.message);
      return { error };
    }
    if (isOwn(error)) return { error };
    report.count('untyped errors');
    report.fail(`${what}, untyped error`, error?.stack ?? error);
    return undefined;
  } finally {
    const seconds = (performance.now() - began) / 1000;
    if (seconds > LONGEST_SECONDS) report.fail(`${what}, took too long`, `${seconds.toFixed(1)} s`);
  }
}
