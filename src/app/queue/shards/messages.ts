import * as v from 'valibot';
import { InvalidInputError } from '../../../core/errors.ts';
import { Matrix } from '../../../core/matrix.ts';
import { checkSaved } from '../../../core/saved.ts';
import type { KernelJSON } from '../../../kernels/kernelToJson.ts';
import type { LikelihoodJSON } from '../../../model/entrywise/likelihood.ts';
import type { PlainTensor, ShardPoint } from '../../../processes/variational/shards.ts';

const count = v.pipe(v.number(), v.integer(), v.minValue(0));

const rowsSchema = v.strictObject({
  kernel: v.custom<KernelJSON>((value) => typeof value === 'object' && value !== null, 'a kernel'),
  likelihood: v.optional(
    v.custom<LikelihoodJSON>((value) => typeof value === 'object' && value !== null, 'a likelihood'),
  ),
  rows: count,
  columns: count,
  branches: v.array(v.array(count)),
  fit: v.string(),
});

/** Rows of a shard with the kernel for their sums, and the likelihood for the uncollapsed bound. */
export interface HeldRows {
  readonly kernel: KernelJSON;
  readonly likelihood?: LikelihoodJSON | undefined;
  readonly rows: Matrix;
  /** Branches of the tree of blocks, each as the numbers of rows of its blocks. */
  readonly branches: readonly (readonly number[])[];
}

/** Bytes of a shard, unique to each fit, so that a fit only removes its data. */
export const rowsBytes = ({ kernel, likelihood, rows, branches }: HeldRows, fit: string): Uint8Array =>
  framed({ kernel, likelihood, rows: rows.rows, columns: rows.columns, branches, fit }, [rows.data]);

/** @throws InvalidInputError for malformed bytes */
export function rowsFrom(bytes: Uint8Array): HeldRows {
  const { header, lists } = frameFrom(bytes);
  const { kernel, likelihood, rows, columns, branches } = checkSaved(rowsSchema, header, 'shard');
  if (lists.length !== 1 || lists[0]!.length !== rows * columns) {
    throw new InvalidInputError(`The rows of a shard are not a ${rows}×${columns} matrix.`);
  }
  const held = branches.flat().reduce((sum, some) => sum + some, 0);
  if (held !== rows) throw new InvalidInputError(`The blocks of a shard have ${held} rows, and the shard ${rows}.`);
  return { kernel, ...(likelihood && { likelihood }), rows: new Matrix(lists[0]!, rows, columns), branches };
}

/** Questions to a shard. */
export type Question =
  /** Sums of the shard at a point or, with slopes, its gradients there. */
  | {
      readonly kind: 'evaluate';
      readonly number: number;
      readonly at: ShardPoint;
      readonly slopes?: Float64Array | undefined;
    }
  /** Gradients at the point of the previous question, so that it need not be sent and evaluated again. */
  | { readonly kind: 'slopes'; readonly number: number; readonly slopes: Float64Array }
  /** Requests an answer again that did not arrive. */
  | { readonly kind: 'again'; readonly number: number };

const questionSchema = v.variant('kind', [
  v.strictObject({ kind: v.literal('evaluate'), number: count, shapes: v.array(v.array(count)), slopes: v.boolean() }),
  v.strictObject({ kind: v.literal('slopes'), number: count }),
  v.strictObject({ kind: v.literal('again'), number: count }),
]);

export function questionBytes(question: Question): Uint8Array {
  const { kind, number } = question;
  if (kind === 'again') return framed({ kind, number });
  if (kind === 'slopes') return framed({ kind, number }, [question.slopes]);
  const { at, slopes } = question;
  const shapes = at.map(({ shape }) => shape);
  const lists = at.map(({ data }) => data);
  return framed({ kind, number, shapes, slopes: slopes !== undefined }, slopes ? [...lists, slopes] : lists);
}

/** @throws InvalidInputError for malformed bytes */
export function questionFrom(bytes: Uint8Array): Question {
  const { header, lists } = frameFrom(bytes);
  const question = checkSaved(questionSchema, header, 'question');
  const { kind, number } = question;
  if (kind === 'again') return { kind, number };
  if (kind === 'slopes') return { kind, number, slopes: listAt(lists, 0) };
  const at = question.shapes.map((shape, i): PlainTensor => {
    const data = listAt(lists, i);
    const size = shape.reduce((product, length) => product * length, 1);
    if (data.length === size) return { shape, data };
    throw new InvalidInputError(`${data.length} numbers are not a tensor of shape [${shape}].`);
  });
  return { kind, number, at, slopes: question.slopes ? listAt(lists, at.length) : undefined };
}

function listAt(lists: Frame['lists'], i: number): Float64Array {
  const list = lists[i];
  if (list === undefined) throw new InvalidInputError('A question to a shard contains fewer lists than it names.');
  return list;
}

/** Answers of a worker about its shard. `inbox` is its address for questions. */
export type Answer = { readonly shard: number; readonly inbox: string } & (
  | /** The worker has the rows. */ { readonly kind: 'ready' }
  | /** The worker cannot answer this question: it must be sent completely. */ {
      readonly kind: 'missing';
      readonly number: number;
    }
  | { readonly kind: 'answer'; readonly number: number; readonly values: readonly Float64Array[] }
  | { readonly kind: 'failed'; readonly number: number; readonly name: string; readonly message: string }
);

const sender = { shard: count, inbox: v.string() };
const answerSchema = v.variant('kind', [
  v.strictObject({ kind: v.literal('ready'), ...sender }),
  v.strictObject({ kind: v.literal('missing'), ...sender, number: count }),
  v.strictObject({ kind: v.literal('answer'), ...sender, number: count }),
  v.strictObject({ kind: v.literal('failed'), ...sender, number: count, name: v.string(), message: v.string() }),
]);

export function answerBytes(answer: Answer): Uint8Array {
  if (answer.kind !== 'answer') return framed(answer);
  const { values, ...header } = answer;
  return framed(header, values);
}

/** @throws InvalidInputError for malformed bytes */
export function answerFrom(bytes: Uint8Array): Answer {
  const { header, lists } = frameFrom(bytes);
  const answer = checkSaved(answerSchema, header, 'answer');
  return answer.kind === 'answer' ? { ...answer, values: lists } : answer;
}

/** Bytes of the header's length, at the beginning. */
const PREFIX = 4;
const BYTES = 8;

const aligned = (length: number) => Math.ceil(length / BYTES) * BYTES;

/**
 * Small header and large lists of doubles as bytes: the length of the header's JSON in four bytes, the JSON, and the doubles, little-endian, starting
 * at the next multiple of eight bytes.
 */
export function framed(header: object, lists: readonly Float64Array[] = []): Uint8Array {
  const text = new TextEncoder().encode(JSON.stringify({ ...header, lengths: lists.map(({ length }) => length) }));
  let at = aligned(PREFIX + text.length);
  const bytes = new Uint8Array(at + BYTES * lists.reduce((sum, { length }) => sum + length, 0));
  new DataView(bytes.buffer).setUint32(0, text.length, true);
  bytes.set(text, PREFIX);
  for (const { buffer, byteOffset, byteLength } of lists) {
    bytes.set(new Uint8Array(buffer, byteOffset, byteLength), at);
    at += byteLength;
  }
  return bytes;
}

/** Content of {@link framed} bytes: the header, and the lists as views of a new buffer. */
interface Frame {
  readonly header: Readonly<Record<string, unknown>>;
  readonly lists: Float64Array<ArrayBuffer>[];
}

/**
 * Decodes {@link framed} bytes.
 *
 * @throws InvalidInputError for anything else
 */
export function frameFrom(bytes: Uint8Array): Frame {
  const size = bytes.length < PREFIX ? Number.NaN : new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  if (!(size <= bytes.length - PREFIX)) {
    throw new InvalidInputError(`${bytes.length} bytes are not a message: the header would end beyond them.`);
  }
  const { lengths, ...header } = headerFrom(bytes.subarray(PREFIX, PREFIX + size));
  const start = aligned(PREFIX + size);
  const areLengths = Array.isArray(lengths) && lengths.every((length) => Number.isInteger(length) && length >= 0);
  const total = areLengths ? lengths.reduce((sum: number, length: number) => sum + length, 0) : Number.NaN;
  if (start + BYTES * total !== bytes.length) {
    throw new InvalidInputError(`A message of ${bytes.length} bytes does not contain the lists that its header names.`);
  }
  // Copied, because bytes from a server need not begin at a multiple of eight.
  const { buffer } = Uint8Array.from(bytes.subarray(start));
  let next = 0;
  const lists = (lengths as number[]).map((length) => {
    const list = new Float64Array(buffer, next, length);
    next += BYTES * length;
    return list;
  });
  return { header, lists };
}

function headerFrom(bytes: Uint8Array): Record<string, unknown> {
  try {
    const read: unknown = JSON.parse(new TextDecoder().decode(bytes));
    if (typeof read === 'object' && read !== null && !Array.isArray(read)) return read as Record<string, unknown>;
  } catch {
    // The error below reports it.
  }
  throw new InvalidInputError('The header of a message is not a JSON object.');
}
