import * as v from 'valibot';
import { InvalidInputError } from '../../../core/errors.ts';
import { Matrix } from '../../../core/matrix.ts';
import { checkSaved } from '../../../core/saved.ts';
import type { KernelJSON } from '../../../kernels/json.ts';
import type { LikelihoodJSON } from '../../../processes/likelihoods/likelihood.ts';
import type { PlainTensor, ShardPoint } from '../../../processes/variational/shards.ts';
import { type Frame, framed, frameFrom } from '../frames.ts';

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

/** The rows of a shard with the kernel for their sums, and the likelihood for the uncollapsed bound. */
export interface HeldRows {
  readonly kernel: KernelJSON;
  readonly likelihood?: LikelihoodJSON | undefined;
  readonly rows: Matrix;
  /** Their branches of the tree of blocks, each by the numbers of rows of its blocks. */
  readonly branches: readonly (readonly number[])[];
}

/** The bytes of a shard, different for every fit: what a fit removes is only its own. */
export const rowsBytes = ({ kernel, likelihood, rows, branches }: HeldRows, fit: string): Uint8Array =>
  framed({ kernel, likelihood, rows: rows.rows, columns: rows.columns, branches, fit }, [rows.data]);

/** @throws InvalidInputError for malformed bytes */
export function rowsFrom(bytes: Uint8Array): HeldRows {
  const { header, lists } = frameFrom(bytes);
  const { kernel, likelihood, rows, columns, branches } = checkSaved(rowsSchema, header, 'shard');
  if (lists.length !== 1 || lists[0]!.length !== rows * columns) {
    throw new InvalidInputError(`The rows of a shard are no ${rows}×${columns} matrix.`);
  }
  const held = branches.flat().reduce((sum, some) => sum + some, 0);
  if (held !== rows) throw new InvalidInputError(`The blocks of a shard have ${held} rows, and the shard ${rows}.`);
  return { kernel, ...(likelihood && { likelihood }), rows: new Matrix(lists[0]!, rows, columns), branches };
}

/** Questions to a shard. */
export type Question =
  /** Its sums at a point or, with slopes, its gradients there. */
  | {
      readonly kind: 'evaluate';
      readonly number: number;
      readonly at: ShardPoint;
      readonly slopes?: Float64Array | undefined;
    }
  /** The gradients at the point of the previous question, so that it need not be sent and evaluated again. */
  | { readonly kind: 'slopes'; readonly number: number; readonly slopes: Float64Array }
  /** For an answer that did not arrive. */
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
    throw new InvalidInputError(`${data.length} numbers are no tensor of shape [${shape}].`);
  });
  return { kind, number, at, slopes: question.slopes ? listAt(lists, at.length) : undefined };
}

function listAt(lists: Frame['lists'], i: number): Float64Array {
  const list = lists[i];
  if (list === undefined) throw new InvalidInputError('A question to a shard holds fewer lists than it names.');
  return list;
}

/** Answers of a worker about its shard. `inbox` is where it takes questions. */
export type Answer = { readonly shard: number; readonly inbox: string } & (
  | /** It has the rows. */ { readonly kind: 'ready' }
  | /** It has no answer to this question: it is to be sent whole. */ {
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
