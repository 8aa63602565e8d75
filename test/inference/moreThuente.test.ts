import { describe, expect, test } from 'vitest';
import { moreThuente } from '../../src/inference/solvers/lineSearch.ts';
import { reference } from '../reference.ts';

interface Case {
  readonly function: 'phi1' | 'phi2' | 'phi3';
  readonly decrease: number;
  readonly curvature: number;
  readonly first: number;
  readonly steps: readonly number[];
}

/** Functions 1 to 3 of Moré and Thuente (1994), §5: value and derivative. */
const functions = {
  phi1: (a: number) => [-a / (a * a + 2), (a * a - 2) / (a * a + 2) ** 2] as const,
  phi2: (a: number) => {
    const b = a + 0.004;
    return [b ** 5 - 2 * b ** 4, 5 * b ** 4 - 8 * b ** 3] as const;
  },
  phi3: (a: number) => {
    const beta = 0.01;
    const wave = ((2 * (1 - beta)) / (39 * Math.PI)) * Math.sin(((39 * Math.PI) / 2) * a);
    const slope = (1 - beta) * Math.cos(((39 * Math.PI) / 2) * a);
    if (a <= 1 - beta) return [1 - a + wave, -1 + slope] as const;
    if (a >= 1 + beta) return [a - 1 + wave, 1 + slope] as const;
    return [(a - 1) ** 2 / (2 * beta) + beta / 2 + wave, (a - 1) / beta + slope] as const;
  },
};

/** What a search is told, evaluation by evaluation, whatever it asks for; and what it asks for. */
interface Told {
  readonly decrease: number;
  readonly curvature: number;
  readonly told: readonly (readonly [value: number, slope: number])[];
  readonly steps: readonly number[];
}

const { lineSearch, toldSearch } = reference<{ lineSearch: Case[]; toldSearch: Told[] }>('solvers.json');

describe('line search of Moré and Thuente', () => {
  test.each(lineSearch)('evaluates the steps that MINPACK-2 does: $function from $first', (expected) => {
    const phi = functions[expected.function];
    const search = moreThuente({ decrease: expected.decrease, curvature: expected.curvature, width: 1e-10 });
    const [startValue, startSlope] = phi(0);
    search.begin(startValue, startSlope, expected.first, 1e10);
    const steps: number[] = [];
    for (let verdict = 'evaluate'; verdict === 'evaluate'; ) {
      steps.push(search.step);
      verdict = search.advance(...phi(search.step));
      if (verdict !== 'evaluate') expect(verdict).toBe('found');
    }
    expect(steps.length).toBe(expected.steps.length);
    steps.forEach((step, i) => {
      expect(Math.abs(step - expected.steps[i]!)).toBeLessThanOrEqual(1e-9 * expected.steps[i]!);
    });
    const [value, slope] = phi(search.step);
    expect(value).toBeLessThanOrEqual(startValue + expected.decrease * search.step * startSlope);
    expect(Math.abs(slope)).toBeLessThanOrEqual(-expected.curvature * startSlope);
  });

  test.each(toldSearch)('requests the steps of MINPACK-2, for any values: $steps', (expected) => {
    const search = moreThuente({ decrease: expected.decrease, curvature: expected.curvature, width: 1e-10 });
    search.begin(0, -1, 1, 1e10);
    expected.steps.forEach((step, i) => {
      expect(Math.abs(search.step - step)).toBeLessThanOrEqual(1e-9 * step);
      const verdict = search.advance(...expected.told[i]!);
      if (i + 1 < expected.steps.length) expect(verdict).toBe('evaluate');
    });
  });

  test('goes at least 1.1 times as far again where a minimum is expected ahead', () => {
    const search = moreThuente({ curvature: 0.02 });
    search.begin(0, -1, 1, 1e10);
    search.advance(-1, -1);
    expect(search.step).toBe(5);
    // Cubic and secant through these two points both have their minimum at 9.
    search.advance(-4, -0.5);
    expect(search.step).toBeCloseTo(5 + 1.1 * (5 - 1), 12);
  });

  test('tries nothing beyond nine tenths of the way to where the function was not finite', () => {
    // −a, and nothing from 10 on: extrapolation goes to the limit each time, the way back three tenths of the step.
    const search = moreThuente();
    search.begin(0, -1, 20, 1e10);
    const steps: number[] = [];
    for (let i = 0; i < 5; i++) {
      steps.push(search.step);
      if (search.step < 10) search.advance(-search.step, -1);
      else search.retreat();
    }
    const second = 6 + 0.3 * (0.9 * 20 - 6);
    const third = 0.9 * (0.9 * 20 - 6) + 6;
    expect(steps.map((step) => Number(step.toFixed(12)))).toEqual(
      [20, 6, 18, second, third].map((step) => Number(step.toFixed(12))),
    );
  });

  test('comes back from where the function is not finite and meets the conditions this side of it', () => {
    // −log(1 − a) − 20a: a barrier at 1, minimum at 0.95.
    const phi = (a: number) => [-Math.log(1 - a) - 20 * a, 1 / (1 - a) - 20] as const;
    const search = moreThuente();
    search.begin(0, -19, 1000, 1e10);
    const steps: number[] = [];
    let verdict = 'evaluate';
    while (verdict === 'evaluate') {
      steps.push(search.step);
      verdict = search.step < 1 ? search.advance(...phi(search.step)) : search.retreat();
    }
    expect(verdict).toBe('found');
    expect(steps.slice(0, 3)).toEqual([1000, 300, 90]);
    const [value, slope] = phi(search.step);
    expect(value).toBeLessThanOrEqual(1e-3 * search.step * -19);
    expect(Math.abs(slope)).toBeLessThanOrEqual(0.9 * 19);
  });

  test('takes the longest step where the function falls all the way', () => {
    const search = moreThuente();
    search.begin(0, -1, 1, 3);
    let verdict = 'evaluate';
    while (verdict === 'evaluate') verdict = search.advance(-search.step, -1);
    expect(verdict).toBe('found');
    expect(search.step).toBe(3);
  });
});
