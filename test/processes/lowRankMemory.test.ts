import { describe, expect, it } from 'vitest';
import { matrixTensor } from '../../src/engine/tensors/doubles.ts';
import { float64Backend, withFloat64 } from '../../src/engine/tensors/float64/scope.ts';
import {
  add,
  bias,
  cosine,
  evaluate,
  gaussian,
  type Kernel,
  linear,
  Matrix,
  multiply,
  polynomial,
  rbf,
  scale,
  seededRandom,
  select,
  thinPlateSpline,
  white,
} from '../../src/index.ts';
import { latentVariableModel } from '../../src/models/gp/latentVariableModel.ts';
import { gaussianProcess } from '../../src/processes/index.ts';
import { conditioned } from './conditioned.ts';

const N = 3000;
const COLUMNS = 3;
const normals = (rows: number, columns: number, seed: number) => {
  const { normal } = seededRandom(seed);
  return new Matrix(Float64Array.from({ length: rows * columns }, normal), rows, columns);
};
const Y = normals(N, COLUMNS, 1);
const X = normals(N, 2, 3);
const spline = () => thinPlateSpline({ centers: normals(12, 2, 2) });

/** The most memory that `work` takes beyond what is in use before it, in N×N matrices. */
function matrices(work: () => unknown): number {
  const { memory64 } = float64Backend();
  const before = memory64.liveBytes;
  memory64.resetPeak();
  work();
  return (memory64.peakBytes - before) / (8 * N * N);
}

const noises = {
  'one variance': gaussian(),
  'a variance per column': gaussian({ variance: [0.1, 0.2, 0.3] }),
  'a variance per row': gaussian({ variance: Array.from({ length: N }, (_, i) => 0.1 + 0.1 * (i % 3)), per: 'row' }),
};

describe('kernels of few features take no N×N matrix', () => {
  it.each<[string, () => Kernel]>([
    ['linear', () => linear()],
    ['a thin plate spline with centers', spline],
    ['cosine', () => cosine()],
    ['polynomial', () => polynomial({ degree: 2 })],
    ['a sum', () => add(linear(), bias(), spline(), white())],
    ['a scale', () => scale(spline(), 2)],
    ['a scaled sum', () => scale(add(linear(), scale(spline(), 0.5)), 2)],
    ['chosen columns', () => select(linear(), [1])],
    ['a sum of chosen columns', () => add(select(polynomial(), [0]), select(scale(cosine(), 2), [1]))],
    ['a product', () => multiply(linear(), bias(), add(cosine(), bias()))],
    ['a scaled product of chosen columns', () => scale(multiply(select(linear(), [0]), select(linear(), [1])), 3)],
  ])('%s', (_, kernel) => {
    for (const [name, likelihood] of Object.entries(noises)) {
      const model = latentVariableModel({ observations: Y, latentDim: 2, kernel: kernel(), likelihood });
      expect(
        matrices(() => evaluate(model)),
        name,
      ).toBeLessThan(0.1);
      const process = gaussianProcess({ kernel: kernel(), likelihood });
      const values = Object.fromEntries(
        Object.entries(process.parameters).map(([path, { initial }]) => [path, initial]),
      );
      expect(
        matrices(() =>
          withFloat64(() => conditioned(process, values, X, Y).moments!([matrixTensor(normals(5, 2, 4))])),
        ),
        `${name}, predicting`,
      ).toBeLessThan(0.1);
    }
  });

  it('while a kernel that has none takes some', () => {
    const model = latentVariableModel({ observations: normals(300, 3, 1), latentDim: 2, kernel: add(linear(), rbf()) });
    expect(matrices(() => evaluate(model))).toBeGreaterThan((300 / N) ** 2);
  });
});
