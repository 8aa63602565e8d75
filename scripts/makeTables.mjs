// Rebuilds the folders of test/tables with the built package: `npm run tables`, or `node scripts/makeTables.mjs NAME…` for some of them.
// Each contains a table, session.txt with the output of its commands, and the tables that they write. test/tables compares.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readableTable, sessionText } from './sessions.mjs';
import { folder, tables } from './tables.mjs';

const program = fileURLToPath(new URL('../dist/app/cli/main.js', import.meta.url));
const chosen = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(tables);
for (const name of chosen) {
  const { files, commands, generated } = tables[name];
  const place = mkdtempSync(join(tmpdir(), 'latentfield-'));
  const kept = join(folder, name);
  rmSync(kept, { recursive: true, force: true });
  mkdirSync(kept, { recursive: true });
  for (const [file, content] of Object.entries(files)) {
    writeFileSync(join(place, file), content());
    if (!generated) cpSync(join(place, file), join(kept, file));
  }
  const runs = commands.map((args) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
      cwd: place,
      encoding: 'utf8',
    });
    return { args, exitCode: status, stdout, stderr };
  });
  writeFileSync(join(kept, 'session.txt'), sessionText(runs));
  const results = existsSync(join(place, 'results'))
    ? readdirSync(join(place, 'results')).map((file) => `results/${file}`)
    : [];
  for (const file of [...readdirSync(place), ...results]) {
    if (!/\.csv$/.test(file) || file in files) continue;
    mkdirSync(dirname(join(kept, file)), { recursive: true });
    writeFileSync(join(kept, file), readableTable(join(place, file)));
  }
  rmSync(place, { recursive: true });
  console.log(`${name}: ${runs.map(({ exitCode }) => `exit ${exitCode}`).join(', ')}`);
}
