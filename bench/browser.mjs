import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CHROMIUM_ARGUMENTS } from '../scripts/chromiumArguments.mjs';

const DIST = new URL('../dist/browser/', import.meta.url);
const TYPES = { '.js': 'text/javascript', '.html': 'text/html', '.css': 'text/css' };
const PLACES = [
  process.env.LATENTFIELD_CHROMIUM,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];

/**
 * A page of Chromium with the library of dist/browser, on a local server.
 *
 * @param files - by name, in addition to the files of the folder
 * @param folder - served folder, the library of dist/browser by default
 * @returns `{ reason }` where there is no Chromium
 */
export async function startPage(files, folder = DIST) {
  const executablePath = PLACES.find((path) => path && existsSync(path));
  if (executablePath === undefined) return { reason: 'Chromium is not installed: apt-get install chromium.' };
  const { chromium } = await import('playwright-core');
  const server = createServer(async (request, response) => {
    const name = new URL(request.url, 'http://localhost').pathname.slice(1) || 'index.html';
    try {
      const content = files[name] ?? (await readFile(fileURLToPath(new URL(name, folder))));
      response.setHeader('Content-Type', TYPES[extname(name)] ?? 'application/octet-stream');
      response.end(content);
    } catch {
      response.statusCode = 404;
      response.end();
    }
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  // Containers have no namespaces for its sandbox; the page is our own.
  const browser = await chromium.launch({ executablePath, args: CHROMIUM_ARGUMENTS });
  const page = await browser.newPage();
  page.setDefaultTimeout(600_000);
  await page.goto(`http://127.0.0.1:${server.address().port}/`);
  return {
    page,
    /** Another page, which has nothing of the first in its cache. */
    open: (options) => browser.newPage(options),
    version: browser.version(),
    /** The events of a trace of a page while something is done. */
    async trace(traced, done) {
      await browser.startTracing(traced, { categories: ['toplevel'] });
      await done();
      return JSON.parse((await browser.stopTracing()).toString()).traceEvents;
    },
    async close() {
      await browser.close();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
