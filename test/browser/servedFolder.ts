import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize } from 'node:path';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.json': 'application/json',
};

/** Serves a folder's files below a path of this machine's own, each with a content security policy if one is given. */
export async function servedFolder(folder: string, { below = '/', policy }: { below?: string; policy?: string } = {}) {
  const missing: string[] = [];
  const server = createServer(async (request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url ?? '/', 'http://localhost').pathname));
    try {
      if (!path.startsWith(below)) throw new Error('not served');
      const file = path.slice(below.length);
      const content = await readFile(join(folder, file === '' || file.endsWith('/') ? `${file}index.html` : file));
      response.setHeader('Content-Type', TYPES[extname(file)] ?? 'text/html');
      if (policy !== undefined) response.setHeader('Content-Security-Policy', policy);
      response.end(content);
    } catch {
      missing.push(path);
      response.statusCode = 404;
      response.end();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}${below}`,
    /** Paths that were asked for and are not there. */
    missing,
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}
