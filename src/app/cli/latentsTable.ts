import { InvalidInputError, type Matrix } from '../../index.ts';
import { readTable } from '../io/index.ts';

/**
 * Reads latent points, n×q, from a table with columns x1 … xq, or with exactly q columns; `-` is standard input.
 *
 * @throws InvalidInputError if it has another number of columns
 */
export async function readLatents(file: string, dimensions: number): Promise<Matrix> {
  const names = Array.from({ length: dimensions }, (_, d) => `x${d + 1}`);
  try {
    return (await readTable(file, { columns: names })).observations;
  } catch (error) {
    // Standard input cannot be read twice.
    if (!(error instanceof InvalidInputError) || file === '-') throw error;
  }
  const { observations } = await readTable(file, { columns: '*' });
  if (observations.columns === dimensions) return observations;
  throw new InvalidInputError(
    `'${file}' has ${observations.columns} columns, but the fit has ${dimensions} latent dimensions. Give the columns ${names.join(', ')}.`,
  );
}
