import { open } from 'node:fs/promises';
import { InvalidInputError } from '../../core/errors.ts';
import { systemReason } from '../../core/host.ts';
import { Matrix } from '../../core/matrix.ts';
import { checkGiven } from '../../core/options.ts';
import type { RowSource } from '../../core/rowMatrices.ts';
import { entryReader, npyHeader } from './npy.ts';

/** Upper limit on the length of headers written by NumPy. */
const HEADER = 16_384;

/**
 * Rows of an .npy file of numbers, N×D in C order, each read from the file on demand: a model that is fitted in batches never keeps all of them in memory.
 *
 * @param file - path of the file, which must not change while the source is used
 * @returns rows, columns and `read(indices)`
 * @throws InvalidInputError if it cannot be read, is not an .npy file of a matrix of numbers in C order, or is truncated; `read` throws it for a row
 *   that does not exist
 * @example
 * ```ts
 * const rows = await rowsOf('observations.npy');
 * await fit(bayesianGplvm(rows, { latentDim: 2, posterior: encoded(mlpMap({ hidden: 20 })) }), { batchSize: 256 });
 * ```
 */
export async function rowsOf(file: string): Promise<RowSource> {
  checkGiven(file, 'rowsOf', "a file's path, a text", (given) => typeof given === 'string');
  const { header, size } = await opened(file, async (handle) => {
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(HEADER), 0, HEADER, 0);
    return { header: npyHeader(buffer.subarray(0, bytesRead), file), size: (await handle.stat()).size };
  });
  const { shape, fortranOrder, descr, start } = header;
  const [rows, columns] = shape as readonly [number, number];
  if (shape.length !== 2) {
    throw new InvalidInputError(
      `'${file}' must contain a matrix, one row per point, but its shape is (${shape.join(', ')}).`,
    );
  }
  if (fortranOrder) {
    throw new InvalidInputError(
      `'${file}' stores its matrix column by column, so that single rows cannot be read. Save numpy.ascontiguousarray of it.`,
    );
  }
  const { width, number } = entryReader(descr, file);
  const length = columns * width;
  if (size !== start + rows * length) {
    throw new InvalidInputError(
      `'${file}' should take ${start + rows * length} bytes, but has ${size}: it was cut short, or has more behind its array.`,
    );
  }
  return Object.freeze<RowSource>({
    rows,
    columns,
    read: (indices) =>
      opened(file, async (handle) => {
        const result = Matrix.zeros(indices.length, columns);
        const bytes = Buffer.alloc(length);
        const view = new DataView(bytes.buffer, bytes.byteOffset, length);
        for (const [i, row] of indices.entries()) {
          if (!(row >= 0 && row < rows)) {
            throw new InvalidInputError(`'${file}' has rows 0 to ${rows - 1}, but row index ${row} was requested.`);
          }
          const { bytesRead } = await handle.read(bytes, 0, length, start + row * length);
          if (bytesRead < length)
            throw new InvalidInputError(`'${file}' has become shorter: row index ${row} is not there.`);
          for (let j = 0; j < columns; j++) result.data[i * columns + j] = number(view, j * width);
        }
        return result;
      }),
  });
}

type Handle = Awaited<ReturnType<typeof open>>;

async function opened<T>(file: string, work: (handle: Handle) => Promise<T>): Promise<T> {
  let handle: Handle | undefined;
  try {
    handle = await open(file, 'r');
    return await work(handle);
  } catch (error) {
    if (error instanceof InvalidInputError) throw error;
    throw new InvalidInputError(`'${file}' cannot be read: ${systemReason(error)}.`, { cause: error });
  } finally {
    await handle?.close();
  }
}
