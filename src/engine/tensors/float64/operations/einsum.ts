import { InvalidInputError } from '../../../../core/errors.ts';
import type { TensorInfo } from '../../tensorflow.ts';
import type { Float64Backend } from '../backend.ts';
import { matrixProduct } from './matrixProduct.ts';
import { kernel, sizeOf, typeOf } from './operation.ts';
import { rowMajor, stridedCopy, whole } from './stridedCopy.ts';

/** Letters of an equation such as 'bij,bjk->bik', for each operand and for the result. */
export interface EinsumTerms {
  readonly operands: readonly string[];
  readonly result: string;
}

/** Parses an equation of one or two operands, in which each letter occurs once per operand and the result has only letters of the operands. */
export function einsumTerms(equation: string): EinsumTerms {
  const match = /^([A-Za-z]*(?:,[A-Za-z]*)?)->([A-Za-z]*)$/.exec(equation.replace(/\s/g, ''));
  const [, given = '', result = ''] = match ?? [];
  const operands = given.split(',');
  const hasTwice = (term: string) => new Set(term).size < term.length;
  const unknown = [...result].some((letter) => !operands.some((term) => term.includes(letter)));
  if (match !== null && !operands.some(hasTwice) && !hasTwice(result) && !unknown) return { operands, result };
  throw new InvalidInputError(
    `einsum needs letters for the axes of one or two operands and of the result, such as 'bij,bjk->bik', none twice in a term and in the ` +
      `result only those of operands, but '${equation}' was given.`,
  );
}

/** Size of each letter's axis. */
function sizesOf(equation: string, { operands }: EinsumTerms, tensors: readonly TensorInfo[]): Map<string, number> {
  const sizes = new Map<string, number>();
  const shapes = tensors.map(({ shape }) => shape);
  const fit =
    operands.length === tensors.length &&
    operands.every(
      (letters, t) =>
        letters.length === shapes[t]!.length &&
        [...letters].every((letter, d) => {
          const size = shapes[t]![d]!;
          const known = sizes.get(letter) ?? size;
          sizes.set(letter, size);
          return known === size;
        }),
    );
  if (fit) return sizes;
  throw new InvalidInputError(
    `'${equation}' does not fit tensors of shapes ${shapes.map((shape) => `[${shape}]`).join(' and ')}: there must be one for each ` +
      'operand, with an axis for each letter, and axes of one letter must have one size.',
  );
}

/**
 * Sums of products over named axes as a stack of matrix products: letters of both operands and the result index the stack, letters of one operand and
 * the result are rows or columns, and all others are summed over.
 */
export function registerEinsum(): void {
  kernel<Readonly<Record<string, TensorInfo>>, { equation: string }>('Einsum', (inputs, { equation }, backend) => {
    const tensors = Object.values(inputs);
    const terms = einsumTerms(equation);
    const { operands, result } = terms;
    const sizes = sizesOf(equation, terms, tensors);
    const [left, right = ''] = operands as [string, string?];
    const isIn = (letters: string) => (letter: string) => letters.includes(letter);
    const output = [...result];
    const stack = output.filter(isIn(left)).filter(isIn(right));
    const rows = output.filter((letter) => left.includes(letter) && !right.includes(letter));
    const columns = output.filter((letter) => !left.includes(letter));
    const summed = [...sizes.keys()].filter((letter) => !result.includes(letter));
    const shapeOf = (letters: readonly string[]) => letters.map((letter) => sizes.get(letter)!);
    const sizeOfLetters = (letters: readonly string[]) => sizeOf(shapeOf(letters));

    const [a, b = one(tensors[0]!, backend)] = tensors as [TensorInfo, TensorInfo?];
    const x = arranged(a, left, [...stack, ...rows, ...summed], sizes, backend);
    const y = arranged(b, right, [...stack, ...summed, ...columns], sizes, backend);
    const [s, m, k, n] = [stack, rows, summed, columns].map(sizeOfLetters) as [number, number, number, number];
    const product = matrixProduct({ ...x, shape: [s, m, k] }, { ...y, shape: [s, k, n] }, {}, backend);
    const order = [...stack, ...rows, ...columns];
    const into = arranged({ ...product, shape: shapeOf(order) }, order.join(''), output, sizes, backend);
    for (const { dataId } of [x, y, product, ...(tensors.length === 1 ? [b] : [])]) {
      backend.disposeData(dataId as object);
    }
    return into;
  });
}

/** The number 1 in the type of a tensor, the factor of a single operand. */
function one(like: TensorInfo, backend: Float64Backend): TensorInfo {
  const result = backend.allocate([], typeOf(like));
  backend.values(result)[0] = 1;
  return result;
}

/** A copy of x with one axis per letter, in order, repeated along the letters that x does not have. */
function arranged(
  x: TensorInfo,
  own: string,
  letters: readonly string[],
  sizes: ReadonlyMap<string, number>,
  backend: Float64Backend,
): TensorInfo {
  const shape = letters.map((letter) => sizes.get(letter)!);
  const result = backend.allocate(shape, typeOf(x));
  const strides = rowMajor(x.shape);
  const from = letters.map((letter) => (own.includes(letter) ? strides[own.indexOf(letter)]! : 0));
  stridedCopy(shape, backend.values(x), { offset: 0, strides: from }, backend.values(result), whole(shape));
  return result;
}
