import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { Command } from 'commander';
import { InvalidInputError, loadFit } from '../../index.ts';
import { parseTable, writeAtomically } from '../io/index.ts';
import { type FitArguments, fitTable } from './fitCommand.ts';
import { camelCase, fromZero, wholeFrom } from './flags.ts';
import { type Context, exitCodeOf } from './streams.ts';

interface ExploreArguments extends Partial<Pick<FitArguments, 'model' | 'labels' | 'options' | 'maxSeconds'>> {
  readonly port: number;
  readonly open?: boolean;
  readonly static?: string;
  readonly force?: boolean;
}

/** Size of a table that a page can hold, which is also the most it reads. */
const MOST_BYTES = 60e6;

/** `explore [DATA|DIR]` */
export function defineExplore(command: Command, context: Context): void {
  command
    .argument('[data]', 'a table, the folder of a fit, or its fit.json; an example unless given')
    .option('--model <name>', 'fit the table with this model first, here and with all cores', camelCase)
    .option('--labels <file|column>', 'labels of that fit')
    .option('--options <json|file>', 'options of that model')
    .option('--max-seconds <s>', 'seconds at most for that fit', fromZero)
    .option('--port <n>', 'port of this machine (default: one that is free)', wholeFrom(0), 0)
    .option('--open', 'open it in the browser')
    .option('--static <file.html>', 'write the page, which opens without a server, instead of serving it')
    .option('--force', 'replace the file of --static')
    .action((data: string | undefined, given: ExploreArguments) => explore(data, given, context));
}

async function explore(
  data: string | undefined,
  { port, open = false, static: file, force = false, ...fitting }: ExploreArguments,
  context: Context,
): Promise<void> {
  const { stdout, stderr, signal, exit } = context;
  if (file !== undefined && !force && existsSync(file)) {
    throw new InvalidInputError(`'${file}' is there already. Give another name, or --force to replace it.`);
  }
  const page = await fittedPage(data, file !== undefined, fitting, context);
  if (page === undefined) return;
  if (file !== undefined) {
    await writeAtomically(file, page, { replace: force });
    stdout.write(`${file}\n`);
    return;
  }
  const server = createServer((request, response) => {
    const isPage = request.url === '/';
    response.writeHead(isPage ? 200 : 404, {
      'Content-Type': 'text/html; charset=utf-8',
      'Cache-Control': 'no-store',
    });
    response.end(isPage ? page : '');
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const taken = error.code === 'EADDRINUSE' ? 'it is in use' : error.message;
      reject(new InvalidInputError(`Port ${port} cannot be served: ${taken}. Give another with --port.`));
    });
    // Reachable from this machine only.
    server.listen(port, '127.0.0.1', resolve);
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
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

/** The page with the table, or with a fit that is made here first; undefined if the fit failed, which it has reported. */
async function fittedPage(
  data: string | undefined,
  isStatic: boolean,
  { model, ...fitting }: Partial<Pick<FitArguments, 'model' | 'labels' | 'options' | 'maxSeconds'>>,
  context: Context,
): Promise<string | undefined> {
  if (model === undefined) {
    const [flag] = Object.keys(fitting);
    if (flag === undefined) return pageOf(data, isStatic);
    throw new InvalidInputError(
      `--${flag.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)} is about a fit that is made first: give --model too.`,
    );
  }
  if (data === undefined || data.endsWith('.json') || (await isFolder(data))) {
    throw new InvalidInputError('--model fits a table: give its file, not a fit.');
  }
  const out = await mkdtemp(join(tmpdir(), 'latentfield-explore-'));
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

/**
 * The page of the package, with a table or a fit inside. What cannot be read is refused, but for a table that is served: there the page offers ways to
 * read it.
 */
async function pageOf(data: string | undefined, isStatic: boolean, called?: string): Promise<string> {
  // When run from its sources, the program uses the built page.
  const built = import.meta.url.endsWith('.ts') ? '../../../dist/explore/page.html' : '../../explore/page.html';
  const page = await readFile(new URL(built, import.meta.url), 'utf8');
  if (data === undefined) return page;
  const file = (await isFolder(data)) ? join(data, 'fit.json') : data;
  const bytes = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    throw new InvalidInputError(
      `'${file}' cannot be read: ${error.code === 'ENOENT' ? 'there is no such file' : error.message}. Give a table, the folder of a fit, or its fit.json.`,
    );
  });
  if (bytes.length > MOST_BYTES) {
    throw new InvalidInputError(
      `'${file}' has ${Math.round(bytes.length / 1e6)} MB; a page holds up to ${MOST_BYTES / 1e6}. Take a part of its rows.`,
    );
  }
  const name = called ?? basename(data);
  if (/\.(parquet|arrow|feather)$/i.test(file)) {
    throw new InvalidInputError(
      `'${file}' can be read in Node only. Give --model, so that it is fitted here first, or its table as .csv.`,
    );
  }
  if (file.endsWith('.json')) loadFit(parsed(file, bytes.toString('utf8')));
  else if (isStatic) await parseTable(bytes, name, { allowMissing: true });
  const held = file.endsWith('.json')
    ? { name, text: bytes.toString('utf8') }
    : { name, table: bytes.toString('base64') };
  // Text in the page must not end its script element.
  const json = JSON.stringify(held).replaceAll('<', '\\u003c');
  const opening = '<script type="application/json" id="held">';
  return page.replace(`${opening}</script>`, () => `${opening}${json}</script>`);
}

function parsed(file: string, text: string): Parameters<typeof loadFit>[0] {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new InvalidInputError(`'${file}' holds no JSON. Give a table, the folder of a fit, or its fit.json.`, {
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
