import {
  add,
  bias,
  defineKernel,
  defineRadialKernel,
  fixed,
  type Kernel,
  linear,
  matern32,
  multiply,
  polynomial,
  rbf,
  scale,
  select,
  thinPlateSpline,
} from 'latentfield';
import type { PathsOf } from 'latentfield/kernels';
import type { ParameterValue } from 'latentfield/model';
import { expectTypeOf, it } from 'vitest';

type Unknown = Readonly<Record<string, ParameterValue>>;

it('kernels know their paths, and whether a value is a number or a list', () => {
  const plain = rbf();
  expectTypeOf<PathsOf<typeof plain>>().toEqualTypeOf<{
    readonly 'rbf.variance': number;
    readonly 'rbf.lengthscale': number;
  }>();
  const wide = rbf({ lengthscale: [1, 2] });
  expectTypeOf<PathsOf<typeof wide>['rbf.lengthscale']>().toEqualTypeOf<readonly number[]>();
  expectTypeOf<PathsOf<typeof wide>['rbf.variance']>().toEqualTypeOf<number>();
  const held = rbf({ variance: fixed(1) });
  expectTypeOf<PathsOf<typeof held>['rbf.variance']>().toEqualTypeOf<number | readonly number[]>();
  const spline = thinPlateSpline({ centers: 3 });
  expectTypeOf<keyof PathsOf<typeof spline>>().toEqualTypeOf<never>();
  const degrees = polynomial({ degree: 3 });
  expectTypeOf<keyof PathsOf<typeof degrees>>().toEqualTypeOf<
    'polynomial.variance' | 'polynomial.scale' | 'polynomial.offset' | 'polynomial.degree'
  >();
});

it('sums, products, scales and selections join the paths of their parts', () => {
  const sum = add(rbf({ lengthscale: [1, 2] }), multiply(linear(), matern32()), bias());
  expectTypeOf<PathsOf<typeof sum>>().toEqualTypeOf<{
    readonly 'rbf.variance': number;
    readonly 'rbf.lengthscale': readonly number[];
    readonly 'linear.variance': number;
    readonly 'matern32.variance': number;
    readonly 'matern32.lengthscale': number;
    readonly 'bias.variance': number;
  }>();
  const scaled = scale(select(linear({ variance: [1] }), [0]), 2);
  expectTypeOf<PathsOf<typeof scaled>>().toEqualTypeOf<{
    readonly 'scale.variance': number;
    readonly 'linear.variance': readonly number[];
  }>();
  expectTypeOf(sum).toExtend<Kernel>();
});

it('where kernels are renamed or become one, or are not known one by one, any path may be', () => {
  const twice = add(rbf(), rbf());
  expectTypeOf<PathsOf<typeof twice>>().toEqualTypeOf<Unknown>();
  const kernels: Kernel[] = [rbf(), bias()];
  const spread = add(...kernels);
  expectTypeOf<PathsOf<typeof spread>>().toEqualTypeOf<Unknown>();
});

it('own kernels are kernels; radial ones know their paths', () => {
  const own = defineKernel({ name: 'own', parameters: { width: 1 }, covariance: (_p, A) => A });
  const made = own({ width: [1, 2] });
  expectTypeOf<PathsOf<typeof made>>().toEqualTypeOf<Unknown>();
  const radial = defineRadialKernel({ name: 'radial', value: () => {}, slope: () => {} });
  const other = radial({ lengthscale: [1, 2] });
  expectTypeOf<PathsOf<typeof other>>().toEqualTypeOf<{
    readonly 'radial.variance': number;
    readonly 'radial.lengthscale': readonly number[];
  }>();
});

it('names that a kernel does not have are errors of types', () => {
  const attempts = [
    // @ts-expect-error a misspelled parameter
    () => rbf({ lengthscal: 1 }),
    // @ts-expect-error beside one that is right
    () => rbf({ variance: 1, lengthscal: 1 }),
    // @ts-expect-error a text for a number
    () => rbf({ variance: '1' }),
    // @ts-expect-error the factory in the place of a kernel
    () => add(rbf, bias()),
  ];
  for (const attempt of attempts) expectTypeOf(attempt).toBeFunction();
  expectTypeOf(rbf).toBeCallableWith({ variance: 2 });
});
