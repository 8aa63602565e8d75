// @module-tag long
import { describe, expect, it } from 'vitest';
import { readTable } from '../../src/app/io/index.ts';
import { fit, isomap, Matrix, tpslvm } from '../../src/index.ts';
import { sharedFile } from '../reference.ts';

async function readViews(file: string): Promise<Matrix> {
  const { data, rows, columns } = (await readTable(file, { flatten: true })).observations;
  return new Matrix(
    data.map((entry) => entry / 255),
    rows,
    columns,
  );
}

/** How many rows of X have the rows before and after them, around the ring, as their two nearest. */
function inRotationOrder(X: Matrix): number {
  const N = X.rows;
  const indices = Array.from({ length: N }, (_, i) => i);
  return indices.filter((i) => {
    const distance = (j: number) => (X.at(i, 0) - X.at(j, 0)) ** 2 + (X.at(i, 1) - X.at(j, 1)) ** 2;
    const others = indices.filter((j) => j !== i).sort((a, b) => distance(a) - distance(b));
    return others.slice(0, 2).every((j) => (j - i + N) % N === 1 || (i - j + N) % N === 1);
  }).length;
}

const teapots = sharedFile('data/teapots_X.npy');
const duck = sharedFile('data/coil20_duck_X.npy');
const options = { latentDim: 2, backConstraint: 'kernel', dynamics: true } as const;

describe.runIf(teapots)('BC-TPSLVM-DM of 100 teapots (shared/data/teapots_X.npy)', () => {
  it('has at least 90 views between their rotation neighbors from PCA, all of them from Isomap', async () => {
    const Y = await readViews(teapots!);
    const fromPca = await fit(tpslvm(Y, options), { maxIterations: 120 });
    expect(inRotationOrder(fromPca.latents)).toBeGreaterThanOrEqual(90);
    const init = await fit(isomap(Y, { latentDim: 2, neighbors: 4 }));
    const fromIsomap = await fit(tpslvm(Y, { ...options, init }), { maxIterations: 120 });
    expect(inRotationOrder(fromIsomap.latents)).toBe(100);
  });
});

describe.runIf(duck)('BC-TPSLVM-DM of the duck of COIL-20 (shared/data/coil20_duck_X.npy)', () => {
  it('has at least 85 % of the 72 views between their rotation neighbors', async () => {
    const result = await fit(tpslvm(await readViews(duck!), options), { maxIterations: 120 });
    expect(inRotationOrder(result.latents) / 72).toBeGreaterThanOrEqual(0.85);
  });
});
