import { expect, it } from 'vitest';
import { add, covariance, gplvm, InvalidInputError, rbf, select } from '../../src/index.ts';

it.each([{ kind: 'kernel' }, { kind: 'kernel', parameters: {} }, { kind: 'kernel', form: {}, parameters: {} }])(
  'a value that is only called a kernel is refused with the remedy: %o',
  (impostor) => {
    const kernel = impostor as never;
    const uses = [
      () => add(kernel, rbf()),
      () => select(kernel, [0]),
      () => covariance(kernel, [[1], [2]]),
      () =>
        gplvm(
          [
            [1, 2],
            [3, 4],
            [5, 7],
          ],
          { latentDim: 1, kernel },
        ),
    ];
    for (const use of uses) expect(use).toThrow(InvalidInputError);
  },
);
