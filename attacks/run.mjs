// Attacks on the library, seeded and bounded; prints totals, and every failure with the number of its case.
//
//   npm run attack                          all of them, at full size
//   npm run attack -- saved --seed 3 --cases 500
//   npm run attack -- --quick               a short form of each, under two minutes
//   npm run attack -- --write               puts the totals into docs/project/reliability.md
import { parseArgs } from 'node:util';
import { newReport } from './report.mjs';
import { writeTotals } from './totals.mjs';

const attacks = {
  bombs: { cases: 100, quick: 100, load: async () => (await import('./bombs.mjs')).attackBombs },
  arguments: { cases: 1_000_000, quick: 4000, load: async () => (await import('./arguments.mjs')).attackArguments },
  options: { cases: 1000, quick: 1000, load: async () => (await import('./options.mjs')).attackOptions },
  calls: { cases: 20_000, quick: 300, load: async () => (await import('./calls.mjs')).attackCalls },
  commands: { cases: 2000, quick: 40, load: async () => (await import('./commands.mjs')).attackCommands },
  saved: { cases: 5000, quick: 250, load: async () => (await import('./savedFits.mjs')).attackSavedFits },
  checkpoints: { cases: 2500, quick: 60, load: async () => (await import('./checkpoints.mjs')).attackCheckpoints },
  callbacks: { cases: 104, quick: 20, load: async () => (await import('./callbacks.mjs')).attackCallbacks },
  offline: { cases: 1000, quick: 10, load: async () => (await import('./offline.mjs')).attackOffline },
  disks: { cases: 40, quick: 3, load: async () => (await import('./disks.mjs')).attackDisks },
  memory: { cases: 24, quick: 3, load: async () => (await import('./memory.mjs')).attackMemory },
  determinism: { cases: 1000, quick: 8, load: async () => (await import('./determinism.mjs')).attackDeterminism },
  leaks: { cases: 1000, quick: 100, load: async () => (await import('./leaks.mjs')).attackLeaks },
  kills: { cases: 200, quick: 3, load: async () => (await import('./kills.mjs')).attackKills },
  scales: { cases: 1000, quick: 40, load: async () => (await import('./scales.mjs')).attackScales },
  edges: { cases: 200, quick: 4, load: async () => (await import('./edges.mjs')).attackEdges },
  columnar: { cases: 20_000, quick: 500, load: async () => (await import('./columnar.mjs')).attackColumnar },
  races: { cases: 100, quick: 2, load: async () => (await import('./queueRaces.mjs')).attackQueueRaces },
  estimates: { cases: 100, quick: 2, load: async () => (await import('./estimates.mjs')).attackEstimates },
  signals: { cases: 432, quick: 9, load: async () => (await import('./signals.mjs')).attackSignals },
  queue: { cases: 20, quick: 1, load: async () => (await import('./queue.mjs')).attackQueue },
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string' },
    cases: { type: 'string' },
    quick: { type: 'boolean' },
    write: { type: 'boolean' },
  },
});
for (const name of positionals) {
  if (Object.hasOwn(attacks, name)) continue;
  console.error(`There is no attack '${name}'. Known are ${Object.keys(attacks).join(', ')}.`);
  process.exit(2);
}
const seed = Number(values.seed ?? 1);
const chosen = positionals.length > 0 ? positionals : Object.keys(attacks);
const totals = [];
for (const name of chosen) {
  const { cases, quick, load } = attacks[name];
  const count = values.cases === undefined ? (values.quick ? quick : cases) : Number(values.cases);
  const report = newReport(name, seed);
  const began = performance.now();
  const end = () => report.end((performance.now() - began) / 1000);
  // Failures up to then are reported.
  const stop = () => process.exit(end().failures > 0 ? 1 : 130);
  process.once('SIGINT', stop).once('SIGTERM', stop);
  const attack = await load();
  await attack({ seed, cases: count, report });
  process.off('SIGINT', stop).off('SIGTERM', stop);
  totals.push(end());
}
if (values.write) writeTotals(totals);
const failures = totals.reduce((sum, total) => sum + total.failures, 0);
console.log(`${totals.reduce((sum, { cases }) => sum + cases, 0)} cases, ${failures} failures`);
process.exit(failures > 0 ? 1 : 0);
