import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const TYPES: Readonly<Record<string, string>> = { '.js': 'text/javascript', '.json': 'application/json' };

/** What a page does: it loads the library, and hands it to whoever asks, in a task of the page's own. */
const PAGE = `import * as library from '/dist/browser/latentfield.js';
globalThis.library = async () => {
  await new Promise((resolve) => setTimeout(resolve));
  return library;
};`;

/** Serves pages that load the library, each under the content security policy that its address holds, and the files of dist/, to this machine only. */
export async function servedPages() {
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '/', 'http://localhost');
    const policy = url.searchParams.get('policy');
    if (policy !== null) response.setHeader('Content-Security-Policy', policy);
    if (url.pathname === '/') {
      response.setHeader('Content-Type', 'text/html');
      response.end('<!doctype html><title>page</title><script type="module" src="/page.js"></script>');
      return;
    }
    if (url.pathname === '/page.js') {
      response.setHeader('Content-Type', 'text/javascript');
      response.end(PAGE);
      return;
    }
    const path = normalize(url.pathname);
    try {
      if (!path.startsWith('/dist/')) throw new Error('not served');
      const content = await readFile(join(root, path));
      response.setHeader('Content-Type', TYPES[extname(path)] ?? 'application/octet-stream');
      response.end(content);
    } catch {
      response.statusCode = 404;
      response.end();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    page: (policy: string) => `http://127.0.0.1:${port}/?policy=${encodeURIComponent(policy)}`,
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}
