// Compares the results of the library with its results when scripts/proof/proof.json was written, to distinguish a change of form
// from a change of results.
//
//   npm run proof [-- --only TEXT] [--write] [--list]
//
// One line for each model (a short fit on the engine 'wasm': its file, objective, terms, predictions, projections, draws, and the fit loaded from the
// file), each fit in test/saved, and each entry point's exports: 'same bits', 'within 1e-11' with the largest relative difference of its numbers,
// or 'different' with the different answers. Exit code 1 when any is different. --only selects entries whose name contains TEXT, or one of several
// between commas; --write records the present answers of these; --list names them.
// Other numbers that a change must keep have separate commands: page weights `npm run check:sizes`, figures of the papers
// `npm run reproduce -- --all --quick`, times `npm run bench -- --short`.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { publicExports } from './proof/exports.mjs';
import { models } from './proof/models.mjs';
import { recordOf, recordOfSaved } from './proof/record.mjs';

const NEAR = 1e-11;
const { values: options } = parseArgs({
  options: { only: { type: 'string' }, write: { type: 'boolean' }, list: { type: 'boolean' } },
});
const words = options.only?.split(',');
const isAsked = (name) => words === undefined || words.some((word) => name.includes(word));

const savedFolder = new URL('../test/saved/', import.meta.url);
const readJson = (url) => JSON.parse(readFileSync(url, 'utf8'));
let entryPoints;
const tasks = new Map(Object.entries(models).map(([name, model]) => [name, () => recordOf(model)]));
for (const form of readdirSync(savedFolder)) {
  for (const file of readdirSync(new URL(form, savedFolder))) {
    const saved = () => readJson(new URL(`${form}/${file}`, savedFolder));
    tasks.set(`saved/${form}/${file.replace('.json', '')}`, () =>
      recordOfSaved(saved(), models[file.replace('.json', '')]),
    );
  }
}
for (const entry of Object.keys(readJson(new URL('../package.json', import.meta.url)).exports)) {
  if (entry === './package.json') continue;
  tasks.set(`exports ${entry}`, async () => ({ names: exportsOf(entry) }));
}
const names = [...tasks.keys()].filter(isAsked);
if (names.length === 0) {
  console.error(`Nothing is called '${options.only}'; --list names what there is.`);
  process.exit(2);
}
if (options.list) {
  console.log(names.join('\n'));
  process.exit(0);
}

const proof = new URL('proof/proof.json', import.meta.url);
const before = options.write && words === undefined ? {} : readJson(proof);
const after = { ...before };
const counts = { 'same bits': 0, [`within ${NEAR}`]: 0, different: 0 };
for (const name of names) {
  const found = await tasks
    .get(name)()
    .catch((error) => ({ error: `${error.name}: ${error.message}` }));
  if (options.write) {
    record(name, found);
    continue;
  }
  const { verdict, notes } = compared(before[name], found);
  counts[verdict]++;
  console.log(`${name}: ${verdict}${notes.length > 0 ? ` (${notes.join('; ')})` : ''}`);
}
if (options.write) {
  const lines = Object.entries(after).map(([name, record]) => `${JSON.stringify(name)}:${JSON.stringify(record)}`);
  writeFileSync(proof, `{\n${lines.join(',\n')}\n}\n`);
} else {
  // Recorded entries that no longer exist.
  for (const name of Object.keys(before).filter((one) => isAsked(one) && !tasks.has(one))) {
    counts.different++;
    console.log(`${name}: different (it is not there any more)`);
  }
  console.log(
    Object.entries(counts)
      .map(([verdict, count]) => `${count} ${verdict}`)
      .join(', '),
  );
  process.exitCode = counts.different > 0 ? 1 : 0;
}

function record(name, found) {
  if (found.error === undefined) after[name] = found;
  else process.exitCode = 1;
  console.log(`${name}: ${found.error === undefined ? 'recorded' : `not recorded: ${found.error}`}`);
}

/** Compiling the declarations takes seconds, which only those who ask for them spend. */
function exportsOf(entry) {
  entryPoints ??= publicExports();
  return entryPoints[entry];
}

function compared(recorded, found) {
  if (recorded === undefined) return { verdict: 'different', notes: ['it was not recorded: --write does that'] };
  if (found.error !== undefined) return { verdict: 'different', notes: [found.error] };
  if (found.names !== undefined) return comparedNames(recorded.names, found.names);
  const notes = [];
  let most = 0;
  for (const name of new Set([...Object.keys(recorded.answers), ...Object.keys(found.answers)])) {
    const distance = distanceBetween(recorded.answers[name], found.answers[name]);
    most = Math.max(most, distance);
    if (distance === Infinity) notes.push(`${name} is another answer`);
    else if (distance > NEAR) notes.push(`${name} by ${distance.toPrecision(2)}`);
  }
  if (found.loads !== recorded.loads && found.loads !== true) {
    most = Infinity;
    notes.push(found.loads === false ? 'its file answers otherwise' : `its file is refused: ${found.loads}`);
  }
  if (most > NEAR) return { verdict: 'different', notes };
  const parts = Object.keys({ ...recorded.file, ...found.file });
  const changed = parts.filter((part) => recorded.file?.[part] !== found.file?.[part]);
  const isSame = changed.length === 0 && Object.keys(found.answers).every((name) => sameDigest(recorded, found, name));
  if (isSame) return { verdict: 'same bits', notes };
  if (changed.length > 0) notes.push(`other bytes in these parts of its file: ${changed.join(', ')}`);
  return { verdict: `within ${NEAR}`, notes: [`largest difference ${most.toPrecision(2)}`, ...notes] };
}

function sameDigest(recorded, found, name) {
  return recorded.answers[name]?.[0] === found.answers[name]?.[0];
}

/** Largest relative difference of two answers' numbers, each relative to the larger of itself and their root mean square; Infinity when they are other ones. */
function distanceBetween(recorded, found) {
  if (recorded === undefined || found === undefined || recorded[1] !== found[1]) return Infinity;
  if (recorded[0] === found[0]) return 0;
  const [, count, size, ...numbers] = recorded;
  // Other texts.
  if (count === 0) return Infinity;
  return numbers.reduce((most, number, i) => {
    const distance = Math.abs(number - found[3 + i]);
    return Math.max(most, distance === 0 ? 0 : distance / Math.max(size, Math.abs(number)));
  }, 0);
}

function comparedNames(recorded, found) {
  const notes = ['values', 'types'].flatMap((kind) => {
    const [gone, come] = [
      recorded[kind].filter((name) => !found[kind].includes(name)),
      found[kind].filter((name) => !recorded[kind].includes(name)),
    ];
    return [
      ...(gone.length > 0 ? [`${kind} that are gone: ${gone.join(' ')}`] : []),
      ...(come.length > 0 ? [`new ${kind}: ${come.join(' ')}`] : []),
    ];
  });
  // New exports break no program.
  const isGone = notes.some((note) => note.includes('gone'));
  return { verdict: isGone ? 'different' : 'same bits', notes };
}
