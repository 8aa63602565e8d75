// The site is built for the folder `base` and then made to work from any: pages get relative paths instead, and scripts look up their own address.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const base = '/-site-/';

/** Makes VitePress output in a folder work below any path of a server. */
export function anywhere(folder) {
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const file = name.replaceAll('\\', '/');
    if (!/\.(?:html|js|css)$/.test(file)) continue;
    const text = readFileSync(join(folder, file), 'utf8');
    if (text.includes(base)) writeFileSync(join(folder, file), moved(file, text));
  }
}

function moved(file, text) {
  // The script of folder/page.html is assets/folder_page.md.HASH.js.
  const page = /^assets\/(.+)\.md\.[\w-]+?(?:\.lean)?\.js$/.exec(file)?.[1]?.replaceAll('_', '/');
  if (page !== undefined || !file.endsWith('.js')) return text.replaceAll(base, upFrom(page ?? file));
  const here = `(new URL("${upFrom(file)}",import.meta.url).pathname)`;
  const isIndex = /export\{(\w+) as default\};?\s*$/;
  if (file.includes('@localSearchIndex'))
    return text.replace(isIndex, `export default $1.replaceAll("${base}",${here});`);
  return text
    .replaceAll(`\\"${base}`, `\\""+${here}+"`)
    .replaceAll(new RegExp(`(["'\`])${base}`, 'g'), (_, quote) => ` ${here}+${quote}`);
}

const upFrom = (file) => '../'.repeat(file.split('/').length - 1) || './';
