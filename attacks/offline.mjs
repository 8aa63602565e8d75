// The package where there is no network: fits of every kind, saved, loaded and drawn, and commands, in a separate network namespace.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { childOf, lastJson, programOf, reasonAgainst } from './child.mjs';
import { savedModels } from './savedModels.mjs';

const ALONE = ['unshare', '-rn'];
const OTHERS = ['latentPlot', 'fit', 'project', 'info'];

export async function attackOffline({ cases, report }) {
  const reason = reasonAgainst([...ALONE, 'true']);
  if (reason !== undefined) return report.skip(`no network namespace can be made here: ${reason}`);
  const folder = mkdtempSync(join(tmpdir(), 'latentfield-offline-'));
  const names = Object.keys(savedModels).slice(0, Math.max(1, cases - OTHERS.length));
  try {
    const command = [...ALONE, process.execPath, programOf('job.mjs'), 'offline', names.join(), folder];
    const child = await childOf(command);
    const found = lastJson(child);
    if (found === undefined) return report.fail('offline', `${child.code} ${child.signal} ${child.stderr}`);
    if (found.interfaces !== 0) report.fail('offline', `there are ${found.interfaces} network interfaces`);
    for (const name of [...names, ...OTHERS]) {
      if (found.done.includes(name)) report.count('done without network');
      else report.fail(name, `did not work without network: ${child.stderr}`);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
