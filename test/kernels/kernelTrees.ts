import * as fc from 'fast-check';
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
  type ParameterLike,
  periodic,
  polynomial,
  positive,
  rationalQuadratic,
  rbf,
  real,
  scale,
  select,
  thinPlateSpline,
  white,
} from '../../src/index.ts';

/** Columns of the points that the kernels are for. */
export const COLUMNS = 2;

const number = fc.integer({ min: 50, max: 200 }).map((hundredths) => hundredths / 100);
const value: fc.Arbitrary<ParameterLike> = fc.oneof(
  { weight: 6, arbitrary: number },
  { weight: 1, arbitrary: number.map(fixed) },
  { weight: 1, arbitrary: number.map((entry) => positive(entry)) },
  { weight: 1, arbitrary: number.map((entry) => real(entry)) },
);
const one = <Name extends string>(...names: Name[]) =>
  fc.record(Object.fromEntries(names.map((name) => [name, value])) as Record<Name, fc.Arbitrary<ParameterLike>>);
const lists = (columns: number) => fc.oneof(value, fc.array(number, { minLength: columns, maxLength: columns }));

/** One kernel of the library at random parameter values, for points of so many columns. */
export const leaf = (columns: number): fc.Arbitrary<Kernel> => {
  const stationary = fc.record({ variance: value, lengthscale: lists(columns) });
  const points = fc.array(
    fc.array(
      fc.integer({ min: -20, max: 20 }).map((tenths) => tenths / 10),
      { minLength: columns, maxLength: columns },
    ),
    {
      minLength: 1,
      maxLength: 3,
    },
  );
  return fc.oneof(
    stationary.map(rbf),
    stationary.map(matern12),
    stationary.map(matern32),
    stationary.map(matern52),
    stationary.map(cosine),
    fc.record({ variance: value, lengthscale: lists(columns), alpha: value }).map(rationalQuadratic),
    fc.record({ variance: value, lengthscale: lists(columns), period: lists(columns) }).map(periodic),
    fc.record({ variance: lists(columns) }).map(linear),
    fc
      .record({ variance: value, scale: lists(columns), offset: value, degree: fc.integer({ min: 1, max: 3 }) })
      .map(polynomial),
    fc.record({ variance: value, weightVariance: lists(columns), biasVariance: value }).map(mlp),
    one('variance').map(bias),
    one('variance').map(white),
    fc
      .record(
        { centers: points, constant: fc.constantFrom('corrected' as const, 'printed' as const) },
        { requiredKeys: [] },
      )
      .map(thinPlateSpline),
  );
};

/** Sums, products, scales and column choices of kernels, up to three deep. */
export const kernelTree: fc.Arbitrary<Kernel> = fc.letrec<{ tree: Kernel; node: Kernel }>((tie) => ({
  tree: fc.oneof({ maxDepth: 3, depthSize: 'small' }, leaf(COLUMNS), tie('node')),
  node: fc.oneof(
    fc.array(tie('tree'), { minLength: 2, maxLength: 3 }).map((kernels) => add(...kernels)),
    fc.array(tie('tree'), { minLength: 2, maxLength: 3 }).map((kernels) => multiply(...kernels)),
    fc.tuple(tie('tree'), value).map(([kernel, variance]) => scale(kernel, variance)),
    fc.tuple(leaf(1), fc.integer({ min: 0, max: COLUMNS - 1 })).map(([kernel, column]) => select(kernel, [column])),
  ),
})).tree;
