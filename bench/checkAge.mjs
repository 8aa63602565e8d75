/**
 * Fails when the benchmarks were measured before the last numerical change: the saved report names the answers that `npm run proof` had
 * recorded at that time, which differ from today's. The date does not matter.
 *
 *   node bench/checkAge.mjs [REPORT]        (default: the newest of bench/results)
 */
import { readFileSync } from 'node:fs';
import { checksumOfAnswers, newestReport } from './machine.mjs';

const { date, answers } = JSON.parse(readFileSync(process.argv[2] ?? newestReport(), 'utf8'));
const today = checksumOfAnswers();
if (answers === today) {
  console.log(`The benchmarks of ${date.slice(0, 10)} are of today's numbers (${today}).`);
} else {
  console.error(
    `The benchmarks of ${date.slice(0, 10)} were measured with other numbers (${answers ?? 'which the report does not name'}) than those recorded in scripts/proof/proof.json (${today}). On a quiet machine run npm run bench, then node bench/show.mjs --page.`,
  );
  process.exitCode = 1;
}
