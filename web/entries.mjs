import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const { exports } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));

/** Built package under its name, by its published entry points. */
export const entries = Object.entries(exports).flatMap(([entry, target]) =>
  typeof target === 'string'
    ? []
    : [{ find: new RegExp(`^${entry.replace('.', 'latentfield')}$`), replacement: root + target.default.slice(2) }],
);
