import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A folder of the running test's own, gone when it ends; `write` puts a file there and gives its path. */
export function temporaryFolder() {
  const path = mkdtempSync(join(tmpdir(), 'latentfield-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return {
    path,
    write(name: string, content: string | Uint8Array): string {
      const file = join(path, name);
      writeFileSync(file, content);
      return file;
    },
  };
}
