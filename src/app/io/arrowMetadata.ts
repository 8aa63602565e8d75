import { InvalidInputError } from '../../core/errors.ts';

const MAGIC = 'ARROW1';
/** Bytes of a block of a footer, of a node and of a buffer of a record batch, of an offset. */
const SIZES = { block: 24, node: 16, buffer: 16, offset: 4, count: 8 };
/** Message headers. */
const [SCHEMA, DICTIONARY, RECORDS] = [1, 2, 3];
/** Minimum bytes of a field, with its offset, its table and its name. */
const BYTES_OF_FIELD = 16;
const DEEPEST = 64;

/** Table of a flatbuffer: the position of the entry in a slot, or undefined. */
type Slots = (slot: number) => number | undefined;

/**
 * Checks that the lists in the metadata of an Arrow file or stream lie within its bytes: a reader that trusts their lengths may exhaust memory.
 *
 * @throws InvalidInputError with the code `damaged`
 * @see https://arrow.apache.org/docs/format/Columnar.html#serialization-and-interprocess-communication-ipc
 */
export function checkArrowMetadata(bytes: Uint8Array, file: string): void {
  try {
    if (String.fromCharCode(...bytes.subarray(0, MAGIC.length)) === MAGIC) checkFile(bytes);
    else checkStream(bytes);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new InvalidInputError(
      `'${file}' cannot be read as Arrow: its metadata name places outside of the file, so that it is damaged or another kind of file.`,
      {
        cause: error,
        code: 'damaged',
      },
    );
  }
}

const viewOf = ({ buffer, byteOffset, byteLength }: Uint8Array) => new DataView(buffer, byteOffset, byteLength);
const int = (view: DataView, at: number) => view.getInt32(at, true);

function outside(): never {
  throw new RangeError('A position outside the file');
}

function checkFile(bytes: Uint8Array): void {
  const view = viewOf(bytes);
  const end = bytes.length - MAGIC.length - 4;
  const length = int(view, end);
  if (length <= 0 || length > end) outside();
  const footer = tableAt(view, end - length);
  checkSchema(view, footer(6));
  for (const slot of [8, 10]) {
    for (const block of entries(view, footer(slot), SIZES.block)) {
      const at = Number(view.getBigInt64(block, true));
      if (at < 0 || at >= bytes.length) outside();
      checkMessage(bytes, at);
    }
  }
  checkPairs(view, footer(12));
}

function checkStream(bytes: Uint8Array): void {
  for (let at: number | undefined = 0; at !== undefined && at < bytes.length; ) at = checkMessage(bytes, at);
}

/** Position after a message; undefined at the end of a stream. */
function checkMessage(bytes: Uint8Array, start: number): number | undefined {
  const view = viewOf(bytes);
  const isMarked = int(view, start) === -1;
  const at = start + (isMarked ? 8 : 4);
  const length = int(view, at - 4);
  if (length === 0) return undefined;
  if (length < 0 || at + length > bytes.length) outside();
  const head = viewOf(bytes.subarray(at, at + length));
  const message = tableAt(head, 0);
  const [type, header, body] = [message(6), message(8), message(10)];
  const bodyLength = body === undefined ? 0 : Number(head.getBigInt64(body, true));
  if (bodyLength < 0 || at + length + bodyLength > bytes.length) outside();
  const kind = type === undefined ? 0 : head.getUint8(type);
  if (kind === SCHEMA) checkSchema(head, header);
  if (kind === RECORDS) checkBatch(head, header);
  if (kind === DICTIONARY && header !== undefined) checkBatch(head, tableAt(head, header)(6));
  return at + length + bodyLength;
}

function checkBatch(view: DataView, at: number | undefined): void {
  if (at === undefined) return;
  const batch = tableAt(view, at);
  entries(view, batch(6), SIZES.node);
  entries(view, batch(8), SIZES.buffer);
  entries(view, batch(12), SIZES.count);
}

function checkSchema(view: DataView, at: number | undefined): void {
  if (at === undefined) return;
  const schema = tableAt(view, at);
  checkPairs(view, schema(8));
  let left = view.byteLength / BYTES_OF_FIELD;
  const checkFields = (list: number | undefined, depth: number) => {
    for (const entry of entries(view, list, SIZES.offset)) {
      // Fields that share their children could be exponentially many.
      if (left-- <= 0 || depth > DEEPEST) outside();
      const field = tableAt(view, entry);
      checkPairs(view, field(16));
      checkFields(field(14), depth + 1);
    }
  };
  checkFields(schema(6), 0);
}

/** Checks a list of pairs of texts. */
function checkPairs(view: DataView, at: number | undefined): void {
  for (const entry of entries(view, at, SIZES.offset)) tableAt(view, entry);
}

function tableAt(view: DataView, at: number): Slots {
  const position = at + int(view, at);
  const slots = position - int(view, position);
  const size = view.getInt16(slots, true);
  return (slot) => {
    const offset = slot < size ? view.getInt16(slots + slot, true) : 0;
    return offset === 0 ? undefined : position + offset;
  };
}

/** Positions of the entries of a list. */
function entries(view: DataView, at: number | undefined, size: number): readonly number[] {
  if (at === undefined) return [];
  const base = at + int(view, at);
  const length = int(view, base);
  if (length < 0 || base + 4 + length * size > view.byteLength) outside();
  return Array.from({ length }, (_, k) => base + 4 + k * size);
}
