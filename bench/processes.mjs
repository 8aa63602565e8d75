/**
 * A contender of ours in a separate process, like a program that uses one engine: compiled code and memory belong to
 * this engine alone. It runs through all rounds of a section, and waits while others are measured.
 *
 *   node bench/processes.mjs SECTION CONTENDER SETTINGS
 */
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(import.meta.url);

/** The processes of one section's contenders: `measure(name, key)` is a sample of the comparison of this key. */
export function processesOf(section, settings) {
  const started = new Map();
  const start = (name) => {
    const child = fork(PROGRAM, [section, name, JSON.stringify(settings)], { serialization: 'advanced' });
    started.set(name, child);
    return child;
  };
  return {
    measure(name, key) {
      const child = started.get(name) ?? start(name);
      return new Promise((resolve, reject) => {
        const ended = (status) => reject(new Error(`${section}: the process of ${name} ended with ${status}.`));
        child.once('exit', ended);
        child.once('message', (sample) => {
          child.off('exit', ended);
          resolve(sample);
        });
        child.send(key);
      });
    },
    end() {
      for (const child of started.values()) {
        child.removeAllListeners();
        child.kill();
      }
    },
  };
}

/** Requests to this process, in order; a request waits until its comparison comes. */
function requests() {
  const waiting = [];
  let wake;
  process.on('message', (key) => {
    waiting.push(key);
    wake?.();
  });
  return {
    async next() {
      while (waiting.length === 0) await new Promise((resolve) => (wake = resolve));
      return waiting[0];
    },
    taken: () => waiting.shift(),
  };
}

if (process.argv[1] === PROGRAM) {
  const [section, contender, settings] = process.argv.slice(2);
  const asked = requests();
  await asked.next();
  const { prepareContext } = await import('./context.mjs');
  const { sections } = await import('./sections/index.mjs');
  const context = await prepareContext(JSON.parse(settings));
  /** Samples on request, until another comparison is requested. */
  const serve = async (key, contenders) => {
    const { measure } = contenders.find(({ name }) => name === contender) ?? {};
    while ((await asked.next()) === key) {
      const sample = await measure();
      asked.taken();
      process.send(sample);
    }
  };
  await sections[section]({ ...context, contender, serve });
}
