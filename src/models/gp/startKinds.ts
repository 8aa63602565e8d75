import { Matrix } from '../../core/matrix.ts';
import { seededRandom } from '../../core/random.ts';
import type { LatentDistribution } from '../../latents/latentDistribution.ts';
import type { Latents } from '../../latents/latents.ts';
import type { ParameterValues, StartKind } from '../../model/model.ts';

/**
 * What computes values, by path, of the parameters of latents that start elsewhere. Spectral models are loaded when one of them is the start:
 * most pages do without.
 */
export async function startValues(
  { from }: Latents | LatentDistribution,
  kind: Exclude<StartKind, 'model'>,
  Y: Matrix,
  latentDim: number,
  seed: number,
): Promise<() => ParameterValues> {
  const initOf = await startOf(kind);
  return () => {
    const parameters = from(initOf(Y, latentDim, seed)).parameters(Y, latentDim, seed);
    return Object.fromEntries(Object.entries(parameters).map(([path, { initial }]) => [path, initial]));
  };
}

async function startOf(kind: Exclude<StartKind, 'model'>) {
  if (kind === 'pca') return () => kind;
  if (kind === 'random') return (Y: Matrix, latentDim: number, seed: number) => normals(Y.rows, latentDim, seed);
  if (kind === 'tsne') {
    const { spreadMap, tsneLatents } = await import('../../model/neighborStart.ts');
    return (Y: Matrix, latentDim: number) => spreadMap({ latents: tsneLatents(Y, latentDim) }, Y, latentDim);
  }
  const { spectralStart } = await import('./spectralStart.ts');
  return (Y: Matrix, latentDim: number) => spectralStart(kind, Y, latentDim);
}

function normals(rows: number, columns: number, seed: number): Matrix {
  const random = seededRandom(seed);
  return new Matrix(
    Float64Array.from({ length: rows * columns }, () => random.normal()),
    rows,
    columns,
  );
}
