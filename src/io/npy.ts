import { parse } from 'npyjs';
import { InvalidInputError } from '../core/errors.ts';

/** An array of any rank, its entries in C order (last index fastest). */
export interface NumpyArray {
  readonly shape: readonly number[];
  readonly values: ArrayLike<number | bigint | boolean | string>;
  readonly isText: boolean;
}

/**
 * Reads what `numpy.save` writes: little-endian integers, floats, booleans and text, in C or Fortran order.
 *
 * @throws InvalidInputError when the file is not .npy, is cut short, or holds big-endian, complex or structured numbers
 */
export function parseNumpy(bytes: Uint8Array, file: string): NumpyArray {
  // A copy of its own: npyjs reads from the start of an ArrayBuffer, and Node's small buffers share one.
  const { data, shape, dtype, fortranOrder } = parseArray(new Uint8Array(bytes).buffer, file);
  const kind: string = dtype;
  if (kind.startsWith('c')) {
    throw new InvalidInputError(`'${file}' holds complex numbers (${kind}). Save its real part, or both as columns.`);
  }
  const values = data as unknown as NumpyArray['values'];
  const size = shape.reduce((product, length) => product * length, 1);
  if (values.length < size) {
    throw new InvalidInputError(
      `'${file}' is cut short: shape (${shape.join(', ')}) takes ${size} entries, but it holds ${values.length}.`,
    );
  }
  return { shape, values: fortranOrder ? inCOrder(values, shape) : values, isText: kind.startsWith('U') };
}

function parseArray(buffer: ArrayBuffer, file: string): ReturnType<typeof parse> {
  try {
    return parse(aligned(buffer));
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new InvalidInputError(
      `'${file}' cannot be read as .npy (${message}). Save it with numpy.save as a little-endian float64 array.`,
      { cause: error },
    );
  }
}

/**
 * npyjs views the numbers in place, which takes an offset divisible by 8. Versions of numpy before 1.14 and other
 * writers align to less: their header is lengthened by blanks, which the format allows.
 */
function aligned(buffer: ArrayBuffer): ArrayBuffer {
  const view = new DataView(buffer);
  if (buffer.byteLength < 12) return buffer;
  const isFirstVersion = view.getUint8(6) <= 1;
  const start = isFirstVersion ? 10 : 12;
  const length = isFirstVersion ? view.getUint16(8, true) : view.getUint32(8, true);
  const blanks = (8 - ((start + length) % 8)) % 8;
  if (blanks === 0 || start + length > buffer.byteLength) return buffer;
  const bytes = new Uint8Array(buffer.byteLength + blanks);
  bytes.set(new Uint8Array(buffer, 0, start + length));
  bytes.fill(0x20, start + length, start + length + blanks);
  bytes.set(new Uint8Array(buffer, start + length), start + length + blanks);
  if (isFirstVersion) new DataView(bytes.buffer).setUint16(8, length + blanks, true);
  else new DataView(bytes.buffer).setUint32(8, length + blanks, true);
  return bytes.buffer;
}

/** Fortran order runs the first index fastest: entry (i₀, i₁, …) lies at i₀ + n₀·(i₁ + n₁·(…)). */
function inCOrder(values: NumpyArray['values'], shape: readonly number[]): NumpyArray['values'] {
  const size = shape.reduce((product, length) => product * length, 1);
  return Array.from({ length: size }, (_, position) => {
    let rest = position;
    let source = 0;
    const index = shape.map(() => 0);
    for (let axis = shape.length - 1; axis >= 0; axis--) {
      index[axis] = rest % shape[axis]!;
      rest = Math.floor(rest / shape[axis]!);
    }
    for (let axis = shape.length - 1; axis >= 0; axis--) source = source * shape[axis]! + index[axis]!;
    return values[source]!;
  });
}
