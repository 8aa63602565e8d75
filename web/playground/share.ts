import { linkOf, type Settings } from './settings.ts';

/** Maximum number of characters of a link that mail and chats accept. */
export const MOST_IN_LINK = 16_000;
const FIT = '#fit=';

/** Fit in a link or a page. */
export interface SharedFit {
  readonly name: string;
  readonly text: string;
}

/** Content of a self-contained page: a fit, or a table to start with. */
export type Held = SharedFit | { readonly name: string; readonly table: string; readonly settings?: Partial<Settings> };

/** Part of an address after # that contains a whole fit; undefined if it would be too long. */
export async function fitLink({ name, text }: SharedFit): Promise<string | undefined> {
  const link = `${FIT}${encodeURIComponent(name)},${await packed(text)}`;
  return link.length <= MOST_IN_LINK ? link : undefined;
}

/** Part of an address after # that contains settings, with their table unless it would be too long. */
export async function settingsLink(settings: Settings, csv: string | undefined) {
  const link = csv === undefined ? undefined : linkOf(settings, await packed(csv));
  const isWhole = link !== undefined && link.length <= MOST_IN_LINK;
  return { link: isWhole ? link : linkOf(settings), hasTable: isWhole };
}

const packed = async (text: string) =>
  base64(await through(new CompressionStream('deflate-raw'), new TextEncoder().encode(text)));

/** Text that was packed into a link. */
export async function unpacked(data: string): Promise<string> {
  const bytes = bytesOf(data.replaceAll('-', '+').replaceAll('_', '/'));
  return new TextDecoder().decode(await through(new DecompressionStream('deflate-raw'), bytes));
}

/** Fit in an address; undefined if there is none. */
export async function fitOfLink(hash: string): Promise<SharedFit | undefined> {
  if (!hash.startsWith(FIT)) return undefined;
  const [name, data] = hash.slice(FIT.length).split(',') as [string, string];
  return { name: decodeURIComponent(name), text: await unpacked(data) };
}

const HELD = /(<script type="application\/json" id="held">)[^<]*(<\/script>)/;

/** Content of this page, if it was shared. */
export function heldByPage(): Held | undefined {
  const text = document.getElementById('held')?.textContent?.trim();
  return text === undefined || text === '' ? undefined : (JSON.parse(text) as Held);
}

/** Single HTML file that shows a fit and predicts without a network. */
export async function pageWith(held: Held): Promise<string> {
  const source = PAGE ?? (await (await fetch('./explorer.html')).text());
  const json = JSON.stringify(held).replaceAll('<', '\\u003c');
  return source.replace(HELD, (_, open, close) => open + json + close);
}

/** Source of a single-file page, as it was before anything was drawn. */
const PAGE =
  document.getElementById('held') === null ? undefined : `<!doctype html>\n${document.documentElement.outerHTML}`;

export const bytesOf = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text), (character) => character.charCodeAt(0));

function base64(bytes: Uint8Array): string {
  let text = '';
  for (let k = 0; k < bytes.length; k += 8192) text += String.fromCharCode(...bytes.subarray(k, k + 8192));
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

const through = async (stream: CompressionStream | DecompressionStream, bytes: Uint8Array<ArrayBuffer>) =>
  new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
