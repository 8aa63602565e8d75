import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFile, rm, stat } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, join } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import { InvalidInputError, loadFit } from '../../index.ts';
import { makeTemporaryFolder, parseTable, readResult, readWholeFile, writeAtomically } from '../io/index.ts';
import { fitTable } from './fitCommand.ts';
import { FIT_FILE, filesOfFit } from './fitFiles.ts';
import { addFlags, camelCase, FORCE, fromZero, type Given, LABELS, wholeFrom } from './flags.ts';
import { type Context, checkOutputs, exitCodeOf } from './streams.ts';

/** Address that only this machine reaches. */
const LOCAL = '127.0.0.1';

/** Largest size of a table that a page can contain or read. */
const MOST_BYTES = 60e6;

/** Flags for a fit that is computed first. */
const FIT_FLAGS = [
  ['-m, --model <name>', 'fit the table with this model first, here instead of in the page', camelCase],
  LABELS,
  ['--options <json|file>', 'options of that model'],
  ['--max-seconds <s>', 'limit on the seconds of that fit', fromZero],
] as const;
const FLAGS = [
  ...FIT_FLAGS,
  ['--port <n>', 'port of this machine (default: one that is free)', portFrom],
  ['--open', 'open it in the browser'],
  ['--page <file.html>', 'write the page to this file, which opens without a server'],
  FORCE,
] as const;
type ExploreArguments = Given<typeof FLAGS>;

/** `explore [DATA|DIR]` */
export const defineExplore = (command: Command, context: Context): Command =>
  addFlags(
    command.argument('[data]', 'a table, the folder of a fit, or its fit.json (default: an example)'),
    ...FLAGS,
  ).action((data: string | undefined, given: ExploreArguments) => explore(data, given, context));

function portFrom(text: string): number {
  const port = wholeFrom(0)(text);
  if (port < 65_536) return port;
  throw new InvalidArgumentError('It must be a whole number from 0 to 65535.');
}

async function explore(
  data: string | undefined,
  { port = 0, open = false, page: file, force = false, ...fitting }: ExploreArguments,
  context: Context,
): Promise<void> {
  const { stdout, stderr, signal, exit } = context;
  if (file !== undefined) {
    const { labels, options } = fitting;
    const fitFiles = data === undefined ? [] : filesOfFit(data);
    checkOutputs([file], force, [data, labels, options, ...fitFiles], '--page');
  }
  const page = await fittedPage(data, file !== undefined, fitting, context);
  if (page === undefined) return;
  if (file !== undefined) {
    await writeAtomically(file, page, { replace: force });
    stdout.write(`${file}\n`);
    return;
  }
  const address = `/${randomBytes(16).toString('hex')}/`;
  const server = createServer((request, response) => answer(request, response, address, page));
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const taken = error.code === 'EADDRINUSE' ? 'it is in use' : error.message;
      reject(new InvalidInputError(`Port ${port} is unavailable: ${taken}. Choose another with --port.`));
    });
    // Reachable from this machine only.
    server.listen(port, LOCAL, resolve);
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${address}`;
  stdout.write(`${url}\n`);
  stderr.write('Served to this machine only, until Ctrl-C.\n');
  if (open) openInBrowser(url);
  await new Promise<void>((resolve) => {
    if (signal?.aborted) resolve();
    signal?.addEventListener('abort', () => resolve(), { once: true });
  });
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  exit(exitCodeOf(signal?.reason));
}

/**
 * Answers requests with the page at its address, which contains a random token that other pages and users of this machine do not know. A name other
 * than this machine's in `Host` or `Origin` means that a page elsewhere resolves its name to this address (DNS rebinding).
 */
function answer(request: IncomingMessage, response: ServerResponse, address: string, page: string): void {
  const { host = '', origin } = request.headers;
  const own = [LOCAL, 'localhost'].map((name) => `${name}:${request.socket.localPort}`);
  const isOwn = own.includes(host) && (origin === undefined || own.some((name) => origin === `http://${name}`));
  const isAddress = request.url?.replace(/\?.*$/s, '') === address;
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  const status = !isOwn ? 403 : !isAddress ? 404 : !isRead ? 405 : 200;
  response.writeHead(status, {
    'Content-Type': 'text/html; charset=utf-8',
    'Cache-Control': 'no-store',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
    ...(status === 405 && { Allow: 'GET, HEAD' }),
  });
  response.end(status === 200 && request.method === 'GET' ? page : '');
}

/** Page with the table, or with a fit that is computed here first; undefined if the fit failed, which has been reported. */
async function fittedPage(
  data: string | undefined,
  isStatic: boolean,
  { model, ...fitting }: Given<typeof FIT_FLAGS>,
  context: Context,
): Promise<string | undefined> {
  if (model === undefined) {
    const [name] = Object.keys(fitting);
    if (name === undefined) return pageOf(data, isStatic);
    throw new InvalidInputError(`\`${name}\` is about a fit that is made first: give \`model\` too.`);
  }
  if (data === undefined || data.endsWith('.json') || (await isFolder(data))) {
    throw new InvalidInputError('--model fits a table: give its file, not a fit.');
  }
  const out = await makeTemporaryFolder();
  try {
    // Output of `fit` is not the result of this command, and its files are gone when it has ended.
    const stdout = { write: (text: string) => context.stderr.write(text.replace(/^wrote .*\n/gm, '')) };
    const streams: Context = { ...context, stdout };
    const code = await fitTable(data, { ...fitting, model, out, plot: [], force: true }, streams);
    if (code === 0) return await pageOf(out, isStatic, basename(data));
    context.exit(code);
    return undefined;
  } finally {
    await rm(out, { recursive: true, force: true });
  }
}

const isFolder = async (path: string) => (await stat(path).catch(() => undefined))?.isDirectory() === true;

/** Packaged page, with a table or a fit inside. Unreadable input is rejected, except for a served table: the page then offers ways to read it. */
async function pageOf(data: string | undefined, isStatic: boolean, called?: string): Promise<string> {
  if (data === undefined) return emptyPage();
  const isOfFolder = await isFolder(data);
  const file = isOfFolder ? join(data, FIT_FILE) : data;
  const bytes = await readPart(file);
  if (isOfFolder) await readResult(data, FIT_FILE, async () => parsed(file, text(bytes)));
  const name = called ?? basename(data);
  if (/\.(parquet|arrow|feather)$/i.test(file)) {
    throw new InvalidInputError(
      `'${file}' can be read in Node only. Give --model, so that it is fitted here first, or its table as .csv.`,
    );
  }
  if (file.endsWith('.json')) loadFit(parsed(file, text(bytes)));
  else if (isStatic) await parseTable(bytes, name, { allowMissing: true });
  const held = file.endsWith('.json')
    ? { name, text: text(bytes) }
    : { name, table: Buffer.from(bytes).toString('base64') };
  // Text in the page must not end its script element.
  const json = JSON.stringify(held).replaceAll('<', '\\u003c');
  const opening = '<script type="application/json" id="held">';
  return (await emptyPage()).replace(`${opening}</script>`, () => `${opening}${json}</script>`);
}

function emptyPage(): Promise<string> {
  // When run from its sources, the program uses the built page.
  const built = import.meta.url.endsWith('.ts') ? '../../../dist/explore/page.html' : '../../explore/page.html';
  return readFile(new URL(built, import.meta.url), 'utf8');
}

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

/** Bytes of a table or a fit, up to the size that a page can contain. */
async function readPart(file: string): Promise<Uint8Array> {
  try {
    return await readWholeFile(file, MOST_BYTES);
  } catch (error) {
    if (!(error instanceof InvalidInputError)) throw error;
    const { code } = error;
    if (code !== 'tooLarge') {
      throw new InvalidInputError(`${error.message} Give a table, the folder of a fit, or its fit.json.`, {
        cause: error,
        code,
      });
    }
    throw new InvalidInputError(
      `'${file}' has more than ${MOST_BYTES / 1e6} MB, the limit of a page. Take some of its rows.`,
      { cause: error, code },
    );
  }
}

function parsed(file: string, text: string): Parameters<typeof loadFit>[0] {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new InvalidInputError(`'${file}' is not JSON. Give a table, the folder of a fit, or its fit.json.`, {
      cause,
    });
  }
}

function openInBrowser(url: string): void {
  const [program, ...args] =
    process.platform === 'darwin' ? ['open'] : process.platform === 'win32' ? ['cmd', '/c', 'start', ''] : ['xdg-open'];
  // Without a browser, the printed address must do.
  spawn(program!, [...args, url], { stdio: 'ignore', detached: true })
    .on('error', () => {})
    .unref();
}
