import { describe, expect, it } from 'vitest';
import { covariance } from '../../src/index.ts';
import { parseKernel } from '../../src/kernels/index.ts';
import { drawnKernel, numbersOf, withNumber } from '../../web/playground/kernel/kernelText.ts';

const TEXT = 'rbf(lengthscale=[1,0.5]) * linear + scale(rbf, fixed(2)) + polynomial(degree=3)';
const labeled = (text: string, label: string) => numbersOf(text).find((number) => number.label === label)!;

describe('the sliders of a kernel', () => {
  it('are one for each of its numbers', () => {
    expect(numbersOf(TEXT).map(({ label, value, free }) => [label, value, free])).toEqual([
      ['rbf variance', 1, true],
      ['rbf lengthscale 1', 1, true],
      ['rbf lengthscale 2', 0.5, true],
      ['linear variance', 1, true],
      ['scale variance', 2, false],
      ['rbf2 variance', 1, true],
      ['rbf2 lengthscale', 1, true],
      ['polynomial variance', 1, true],
      ['polynomial scale', 1, true],
      ['polynomial offset', 1, true],
      ['polynomial degree', 3, false],
    ]);
  });

  it('change one number and leave the others', () => {
    const moved = withNumber(TEXT, labeled(TEXT, 'rbf lengthscale 2'), { value: 4 });
    const X = [
      [0, 1],
      [2, -1],
    ];
    const expected = parseKernel(TEXT.replace('0.5', '4'));
    expect(covariance(parseKernel(moved), X)).toEqual(covariance(expected, X));
    const held = withNumber(moved, labeled(moved, 'linear variance'), { free: false });
    expect(labeled(held, 'linear variance').free).toBe(false);
    expect(labeled(held, 'rbf lengthscale 2').value).toBe(4);
  });

  it.each(['rbf', TEXT, 'white', 'thinPlateSpline', 'rbf(lengthscale=1000)', 'select(matern32, [1])'])(
    'draw %s',
    (text) => {
      const { x, covariances, samples } = drawnKernel(text);
      const at = x.indexOf(0);
      const columns = text === TEXT ? 2 : text.startsWith('select') ? 2 : 1;
      const origin = new Array<number>(columns).fill(0);
      const own = covariance(parseKernel(text), [origin]).at(0, 0);
      expect(covariances[1]!.values[at]).toBe(own);
      expect(samples.flatMap(({ values }) => values).every(Number.isFinite)).toBe(true);
    },
  );

  it('explain invalid text', () => {
    expect(() => numbersOf('rbf + nothing')).toThrow("'nothing'");
  });
});
