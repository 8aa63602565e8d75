import type { ForeignInterface } from '../../../src/engine/native/routines.ts';

/** Bytes between two buffers' addresses. */
const SPACING = 2 ** 32;

/**
 * A system with libraries of these files, each of which passes the probe as the reference LAPACK would: it factors and multiplies
 * matrices of order 2, has all routines that the engine calls, and no functions of its own besides.
 */
export function simulatedLibraries(files: readonly string[]): ForeignInterface & { readonly loaded: string[] } {
  const buffers: ArrayBufferLike[] = [];
  const loaded: string[] = [];
  const view = (address: number) => new DataView(buffers[Math.floor(address / SPACING) - 1]!);
  const read = (address: number, entry = 0) => view(address).getFloat64((address % SPACING) + 8 * entry, true);
  const write = (address: number, entry: number, value: number) =>
    view(address).setFloat64((address % SPACING) + 8 * entry, value, true);

  const routines: Record<string, (...given: number[]) => void> = {
    dpotrf_(_upper, _n, a, _lda, info) {
      const first = Math.sqrt(read(a!));
      const second = read(a!, 2) / first;
      write(a!, 3, Math.sqrt(read(a!, 3) - second ** 2));
      write(a!, 2, second);
      write(a!, 0, first);
      view(info!).setInt32(info! % SPACING, 0, true);
    },
    // C ← AᵀB
    dgemm_(...given) {
      const [a, b, c] = [given[6]!, given[8]!, given[11]!];
      const product = [0, 1, 2, 3].map((entry) => {
        const [row, column] = [entry % 2, entry >> 1];
        return read(a, 2 * row) * read(b, 2 * column) + read(a, 2 * row + 1) * read(b, 2 * column + 1);
      });
      for (const [entry, value] of product.entries()) write(c, entry, value);
    },
  };
  for (const name of ['dsyrk_', 'dtrsm_', 'dtrmm_', 'dtrtri_', 'dlauum_', 'dsyevd_']) routines[name] = () => undefined;

  return {
    loaded,
    load(file) {
      loaded.push(file);
      if (!files.includes(file)) throw new Error('no such file');
      return {
        func(name) {
          const routine = routines[name];
          if (routine === undefined) throw new Error(`Cannot find function '${name}' in shared library`);
          return routine;
        },
      };
    },
    address(bytes) {
      if (!buffers.includes(bytes.buffer)) buffers.push(bytes.buffer);
      return BigInt(SPACING * (1 + buffers.indexOf(bytes.buffer)) + bytes.byteOffset);
    },
  };
}
