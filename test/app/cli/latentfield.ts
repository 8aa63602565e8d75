import { join } from 'node:path';
import { Writable } from 'node:stream';
import { run } from '../../../src/app/cli/run.ts';
import { pipeFlow } from '../../../src/app/data/index.ts';
import { writeTable } from '../../../src/app/io/index.ts';
import { temporaryFolder } from '../io/folder.ts';

function capture(isTTY = false, onOutput?: (text: string) => void) {
  let text = '';
  const stream = new Writable({
    write(chunk, _encoding, done) {
      text += String(chunk);
      onOutput?.(text);
      done();
    },
  });
  return { stream: Object.assign(stream, { isTTY }), read: () => text };
}

/**
 * Runs the command line as main.ts does, with captured streams. Fits replace results that are there, by default; `messages` is
 * what stderr holds beside what a fit says about a table of which nothing is left out, and the lines of a slow one.
 */
export async function latentfield(
  given: readonly string[],
  {
    isTTY = false,
    signal,
    force = true,
    onOutput,
  }: { isTTY?: boolean; signal?: AbortSignal; force?: boolean; onOutput?: (text: string) => void } = {},
) {
  const args = given[0] === 'fit' && force && !given.includes('--help') ? [...given, '--force'] : given;
  const stdout = capture(false, onOutput);
  const stderr = capture(isTTY);
  const exitCode = await run(args, { stdout: stdout.stream, stderr: stderr.stream }, { signal });
  const plain = /^(.*: \d+ points, \d+ columns: |(labels|ids|colors): |\d+ s: ).*\n/gm;
  return { exitCode, stdout: stdout.read(), stderr: stderr.read(), messages: stderr.read().replace(plain, '') };
}

/** A table of 30 points with a last column of labels, and where to put results. */
export async function prepared() {
  const folder = temporaryFolder();
  const { observations, labels, labelNames, columnNames } = pipeFlow({ points: 30 });
  const flow = labels.map((label) => labelNames[label]!);
  const data = join(folder.path, 'data.csv');
  await writeTable(data, observations, columnNames, { name: 'flow', values: flow });
  return { ...folder, data, flow, observations, out: join(folder.path, 'deep', 'out') };
}
