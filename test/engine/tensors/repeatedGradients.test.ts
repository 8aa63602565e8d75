import { describe, expect, test } from 'vitest';
import { NumericalError } from '../../../src/core/errors.ts';
import { seededRandom } from '../../../src/core/random.ts';
import { withFloat64 } from '../../../src/engine/tensors/float64/scope.ts';
import { repeatedGradients, valueAndGradients } from '../../../src/engine/tensors/gradients.ts';
import * as op from '../../../src/engine/tensors/ops.ts';
import type { Scalar, Tensor, Tensor2D } from '../../../src/engine/tensors/tensorflow.ts';

type Computation = (...xs: Tensor[]) => readonly Scalar[];

/** How often a computation was made by tensor operations at these points, having the value and gradients of one that is never repeated. */
function timesMade(shapes: readonly number[][], compute: Computation, points: readonly (readonly Float64Array[])[]) {
  const repeated = repeatedGradients();
  let made = 0;
  try {
    for (const entries of points) {
      withFloat64(() => {
        const tensors = () => entries.map((own, i) => op.tensor(own, shapes[i]!));
        const found = repeated.at(entries, () => {
          made++;
          const xs = tensors();
          return { xs, f: () => compute(...xs) };
        });
        const xs = tensors();
        const { values, gradients } = valueAndGradients(() => compute(...xs), xs);
        expect(found.values).toEqual(values);
        expect(found.gradients).toEqual(gradients);
      });
    }
  } finally {
    withFloat64(() => repeated.dispose());
  }
  return made;
}

const random = seededRandom(3);
const normals = (size: number) => Float64Array.from({ length: size }, () => random.normal());
/** Two that are recorded, and all that are compared up to 20. */
const REPEATED = 2 + 4;

describe('repeatedGradients', () => {
  const points = Array.from({ length: 20 }, () => [normals(6), normals(1)]);

  test('repeats stock operations with broadcasting, slices, masks and two terms with the bits of tensor operations', () => {
    const y = op.tensor([0.3, -1, 2], [3, 1]);
    const compute: Computation = (x, s) => {
      const scale = op.exp(op.reshape(s!, []));
      const left = op.slice(x as Tensor2D, [0, 0], [3, 1]);
      const far = op.where(op.greater(left, 0), op.square(left), op.neg(left));
      const mean = op.add(op.matMul(x as Tensor2D, op.tensor([1, -2], [2, 1]) as Tensor2D), far);
      return [
        op.sum(op.div(op.square(op.sub(mean, y)), scale)),
        op.neg(
          op.sum(
            op.concat(
              [scale, op.mean(x!)].map((own) => op.reshape(own, [1])),
              0,
            ),
          ),
        ),
      ] as Scalar[];
    };
    expect(timesMade([[3, 2], [1]], compute, points)).toBe(REPEATED);
  });

  test('repeats operations that are computed outside the tape', () => {
    const Y = op.tensor<Tensor2D>([[1], [0.5], [-1]]);
    const compute: Computation = (x, s) => {
      const [one, none] = [op.scalar(1), op.scalar(0)];
      const lengthscale = op.exp(op.reshape(s!, []));
      const covariance = { variance: one, lengthscale, bias: none, noise: op.scalar(0.1) };
      const density = op.gaussianLogDensity(
        op.addDiagonal(op.matMul(x as Tensor2D, x as Tensor2D, false, true), op.square(lengthscale)),
        {
          observations: Y,
          constant: true,
        },
      );
      const prior = op.normalLogDensity(x!, lengthscale);
      return [
        op.addScalars(density, prior),
        op.sum(
          op.radialGramMatrix(
            op.tensor([[0], [1], [3]]),
            {
              name: 'cauchy',
              value: (r) =>
                r.forEach((e, i) => {
                  r[i] = 1 / (1 + e);
                }),
              slope: (r) =>
                r.forEach((e, i) => {
                  r[i] = -1 / (1 + e) ** 2;
                }),
            },
            { ...covariance, lengthscale: one },
          ),
        ),
      ];
    };
    expect(timesMade([[3, 2], [1]], compute, points)).toBe(REPEATED);
  });

  test('does not repeat what reads a number that its operations may depend on', () => {
    const compute: Computation = (x) => [
      op.valueOf(op.sum(x!)) > 0 ? op.sum<Scalar>(x!) : op.sum<Scalar>(op.square(x!)),
    ];
    expect(timesMade([[3, 2], [1]], compute, points)).toBe(20);
    // Numbers that rest on nothing that changes may be read.
    const scale = op.scalar(3);
    const constant: Computation = (x) => [op.mul(op.valueOf(op.square(scale)), op.sum(x!))];
    expect(timesMade([[3, 2], [1]], constant, points)).toBe(REPEATED);
  });

  test('does not repeat what differs from one time to the next', () => {
    let count = 0;
    const alternating: Computation = (x) => [op.mul(1 + (Math.floor(count++ / 2) % 2), op.sum(x!))];
    expect(timesMade([[3, 2], [1]], alternating, points)).toBe(20);
  });

  test('throws the error of tensor operations where a kernel has no result, and continues', () => {
    const repeated = repeatedGradients();
    const at = (x: number) =>
      withFloat64(() =>
        repeated.at([Float64Array.of(x)], () => {
          const diagonal = op.tensor([x]);
          const K = op.mul<Tensor2D>(op.reshape(diagonal, []), op.eye(2));
          const f = () => [
            op.gaussianLogDensity(
              op.mul<Tensor2D>(op.reshape(diagonal, []), op.eye(2)),
              { observations: op.tensor([[1], [1]]) },
              { name: 'The covariance of this test' },
            ),
          ];
          K.dispose();
          return { xs: [diagonal], f };
        }),
      );
    const before = at(2).values[0];
    for (let i = 1; i < 6; i++) at(1 + i / 7);
    expect(() => at(-1)).toThrow(NumericalError);
    expect(() => at(-1)).toThrow('The covariance of this test');
    expect(at(2).values[0]).toBe(before);
    withFloat64(() => repeated.dispose());
  });

  test('occupies memory until its disposal, and none afterwards', () => {
    const live = () => withFloat64(({ memory64 }) => memory64.liveBytes);
    const before = live();
    const repeated = repeatedGradients();
    for (let i = 0; i < 5; i++) {
      withFloat64(() =>
        repeated.at([Float64Array.of(i)], () => {
          const x = op.tensor([i]);
          return { xs: [x], f: () => [op.sum<Scalar>(op.square(x))] };
        }),
      );
    }
    expect(live()).toBeGreaterThan(before);
    withFloat64(() => repeated.dispose());
    expect(live()).toBe(before);
  });
});
