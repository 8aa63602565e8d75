import { describe, expect, it } from 'vitest';
import {
  defineModel,
  evaluate,
  fit,
  fixed,
  hiddenMarkov,
  InvalidInputError,
  logDensityOf,
  type Matrix,
  type MatrixLike,
  normal,
  observed,
  positive,
  real,
  samplePrior,
  seededRandom,
  simplex,
} from '../../src/index.ts';

const PI = [0.3, 0.7];
const A = [
  [0.8, 0.2],
  [0.4, 0.6],
];
const Y = [[0.2], [-0.7], [2.1], [1.4], [0.3], [2.6], [2.2]];

const gaussian = (y: number, m: number, s: number) =>
  -0.5 * ((y - m) / s) ** 2 - Math.log(s) - 0.5 * Math.log(2 * Math.PI);
const emission = (state: number, y: number) => (state === 0 ? gaussian(y, 0, 1) : gaussian(y, 2, 0.5));

/** The sum over all paths of states, one after another. */
function overPaths(Y: readonly number[][], starts: readonly number[], pi = PI, moves = A): number {
  let total = 0;
  for (let path = 0; path < 2 ** Y.length; path++) {
    const states = Y.map((_, i) => (path >> i) & 1);
    const log = states.reduce((sum, state, i) => {
      const enters = starts.includes(i) ? pi[state]! : moves[states[i - 1]!]![state]!;
      const own = Y[i]!.reduce((all, y) => (Number.isNaN(y) ? all : all + emission(state, y)), 0);
      return sum + Math.log(enters) + own;
    }, 0);
    total += Math.exp(log);
  }
  return Math.log(total);
}

const states = () => [normal({ mean: real(0), deviation: fixed(1) }), normal({ mean: real(2), deviation: fixed(0.5) })];
const model = (segments: readonly number[] = []) =>
  defineModel({
    name: 'hidden',
    variables: (Y: MatrixLike) => ({
      y: observed(Y, {
        density: hiddenMarkov(states(), { segments: [...segments], initial: PI, transitions: A }),
        center: false,
        scale: false,
        missing: 'ignore',
      }),
    }),
  });

describe('a hidden Markov model', () => {
  it.each([
    ['one sequence', Y, []],
    ['an even number of rows', Y.slice(0, 6), []],
    ['two sequences', Y, [3]],
    ['a sequence of one row', Y, [3, 4]],
    ['two columns and a missing entry', Y.map(([y], i) => [y!, i === 2 ? Number.NaN : y! - 0.5]), [5]],
  ])('is the sum over all paths of states: %s', (_, rows, segments) => {
    const { objective } = evaluate(model(segments)(rows));
    expect(Math.abs(objective - overPaths(rows, [0, ...segments]))).toBeLessThan(1e-12 * Math.abs(objective) * 10);
  });

  it('does not underflow where a row is far from every state', () => {
    const rows = [[0], [90], [-60]];
    const paths = [0, 1, 2, 3, 4, 5, 6, 7].map((path) => {
      const s = [path & 1, (path >> 1) & 1, path >> 2];
      return s.reduce(
        (sum, state, i) => sum + Math.log(i === 0 ? PI[state]! : A[s[i - 1]!]![state]!) + emission(state, rows[i]![0]!),
        0,
      );
    });
    const most = Math.max(...paths);
    const expected = most + Math.log(paths.reduce((sum, own) => sum + Math.exp(own - most), 0));
    expect(Math.abs(evaluate(model()(rows)).objective / expected - 1)).toBeLessThan(1e-14);
  });

  it('has the gradient that differences show, of the probabilities too', () => {
    const open = logDensityOf(model([4])(Y), { seed: 1 });
    try {
      expect(open.size).toBe(5);
      const { gradient } = open.evaluate(open.start);
      for (let i = 0; i < open.size; i++) {
        const at = (step: number) =>
          open.evaluate(Float64Array.from(open.start, (x, j) => (i === j ? x + step : x))).value;
        const slope = (8 * (at(1e-3) - at(-1e-3)) - (at(2e-3) - at(-2e-3))) / 12e-3;
        expect(Math.abs(gradient[i]! - slope)).toBeLessThan(1e-9);
      }
    } finally {
      open.dispose();
    }
  });

  it('is drawn with the frequencies of its chain', () => {
    const drawn = samplePrior(
      defineModel({
        name: 'drawn',
        variables: (Y: MatrixLike) => ({
          y: observed(Y, {
            density: hiddenMarkov([normal({ mean: 0, deviation: 0.01 }), normal({ mean: 1, deviation: 0.01 })], {
              initial: simplex([0.3, 0.7]),
              transitions: A,
            }),
            center: false,
            scale: false,
          }),
        }),
      })(Array.from({ length: 4000 }, () => [0])),
      { draws: 1, seed: 3 },
    );
    const path = Array.from((drawn[0]!.y as Matrix).data, Math.round);
    const after = (from: number) => path.slice(1).filter((_, i) => path[i] === from);
    for (const from of [0, 1]) {
      const next = after(from);
      const share = next.filter((state) => state === 1).length / next.length;
      const right = A[from]![1]!;
      // Within four standard errors.
      expect(Math.abs(share - right)).toBeLessThan(4 * Math.sqrt((right * (1 - right)) / next.length));
    }
  });

  it('recovers the chain of simulated rows, with the likelihood of the forward recursion at the optimum', async () => {
    const random = seededRandom(5);
    let state = 0;
    const rows = Array.from({ length: 500 }, () => {
      if (random.uniform() < A[state]![1 - state]!) state = 1 - state;
      return [state === 0 ? random.normal() : 3 + 0.5 * random.normal()];
    });
    const found = await fit(
      defineModel({
        name: 'recovered',
        variables: (Y: MatrixLike) => ({
          y: observed(Y, {
            density: hiddenMarkov([
              normal({ mean: real(-1), deviation: positive(1) }),
              normal({ mean: real(4), deviation: positive(1) }),
            ]),
            center: false,
            scale: false,
          }),
        }),
      })(rows),
      { seed: 1 },
    );
    expect(found.status).toBe('converged');
    const { parameters } = found;
    const number = (path: string) => parameters[path] as number;
    const row = (k: number) => parameters[`y.transitions.${k}`] as number[];
    // Rows of about 330 and 170 transitions: standard errors of at most 0.022 and 0.038.
    expect(Math.abs(row(0)[1]! - 0.2)).toBeLessThan(0.09);
    expect(Math.abs(row(1)[0]! - 0.4)).toBeLessThan(0.15);
    expect(Math.abs(number('y.normal.mean'))).toBeLessThan(0.25);
    expect(Math.abs(number('y.normal2.mean') - 3)).toBeLessThan(0.2);
    const densities = (y: number) =>
      ['normal', 'normal2'].map((name) =>
        Math.exp(gaussian(y, number(`y.${name}.mean`), number(`y.${name}.deviation`))),
      );
    let weights = parameters['y.initial'] as number[];
    let log = 0;
    rows.forEach(([y], i) => {
      const moved = i === 0 ? weights : [0, 1].map((k) => weights[0]! * row(0)[k]! + weights[1]! * row(1)[k]!);
      const joint = moved.map((own, k) => own * densities(y!)[k]!);
      const sum = joint[0]! + joint[1]!;
      log += Math.log(sum);
      weights = joint.map((own) => own / sum);
    });
    expect(Math.abs(found.objective / log - 1)).toBeLessThan(1e-11);
  });

  it('refuses weights of rows and batches, as a sum over paths is not a sum over rows', async () => {
    const weighted = defineModel({
      name: 'weighted',
      variables: (Y: MatrixLike) => ({
        y: observed(Y, { density: hiddenMarkov(states()), weights: [2, 1, 1, 1, 1, 1, 1], center: false }),
      }),
    })(Y);
    expect(() => evaluate(weighted)).toThrow(InvalidInputError);
    await expect(fit(weighted)).rejects.toThrow(
      /'y' .* weights of rows, which under .*'hiddenMarkov' are not independent/,
    );
    const batches = fit(model()(Y), { batchSize: 3 } as object);
    await expect(batches).rejects.toBeInstanceOf(InvalidInputError);
    await expect(batches).rejects.toThrow(/'hidden' cannot be evaluated on some of its rows/);
  });

  it('refuses probabilities that do not belong to its states', () => {
    expect(() => hiddenMarkov(states(), { initial: [0.2, 0.2] })).toThrow(InvalidInputError);
    expect(() => hiddenMarkov(states(), { transitions: [[0.5, 0.5]] })).toThrow(/transitions/);
    expect(() => hiddenMarkov([normal()])).toThrow(/at least two/);
    expect(() => evaluate(model([9])(Y))).toThrow(/first rows of sequences/);
  });
});
