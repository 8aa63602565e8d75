import { describe, expect, it } from 'vitest';
import {
  add,
  bias,
  cosine,
  fixed,
  type Kernel,
  linear,
  matern12,
  matern32,
  matern52,
  mlp,
  multiply,
  periodic,
  polynomial,
  rationalQuadratic,
  rbf,
  scale,
  select,
  thinPlateSpline,
  white,
} from '../../src/index.ts';
import { builtInKernels } from '../../src/kernels/index.ts';
import { checkKernel } from '../../src/testing/index.ts';

const ARD = [0.7, 1.3];
const kernels: Kernel[] = [
  ...Object.values(builtInKernels).map((factory) => factory()),
  rbf({ variance: 1.7, lengthscale: ARD }),
  linear({ variance: ARD }),
  polynomial({ variance: 0.6, scale: ARD, offset: 1.3, degree: 3 }),
  polynomial({ degree: 1 }),
  mlp({ variance: 1.1, weightVariance: ARD, biasVariance: 0.7 }),
  matern12({ variance: 1.7, lengthscale: ARD }),
  matern32({ variance: 1.7, lengthscale: ARD }),
  matern52({ variance: 1.7, lengthscale: ARD }),
  rationalQuadratic({ variance: 1.7, lengthscale: ARD, alpha: 0.4 }),
  periodic({ variance: 1.2, lengthscale: ARD, period: [1.9, 2.5] }),
  cosine({ variance: 1.4, lengthscale: ARD }),
  rbf({ variance: fixed(1), lengthscale: 0.8 }),
  thinPlateSpline({
    centers: [
      [0.1, -0.4],
      [1, 0.7],
    ],
  }),
  thinPlateSpline({ centers: 4, constant: 'printed' }),
  add(rbf(), bias(), white()),
  multiply(add(rbf(), linear()), matern32(), scale(periodic(), 0.5)),
  add(select(thinPlateSpline(), [0, 2]), select(rbf({ lengthscale: ARD }), [1, 2]), white()),
];

describe('every kernel of the library conforms', () => {
  it.each(kernels.map((kernel) => [kernel]))('$name', (kernel) => {
    expect(checkKernel(kernel, { entries: 12 }).passed).toBe(true);
  });

  it('a thin plate spline in four dimensions', () => {
    expect(checkKernel(thinPlateSpline(), { dimensions: [4], entries: 12 }).passed).toBe(true);
  });
});
