import {
  type Density,
  defineDensity,
  defineModel,
  describe as describeModel,
  fit,
  fixed,
  gamma,
  gaussian,
  gaussianProcess,
  latent,
  linearMap,
  Matrix,
  mapped,
  mixture,
  observed,
  type Parameter,
  positive,
  rbf,
  real,
  seededRandom,
  standardNormal,
} from 'latentfield';
import { box } from 'latentfield/model';
import * as op from 'latentfield/ops';
import { checkDensity, checkModel } from 'latentfield/testing';
import { describe, expect, it } from 'vitest';

type Tensor2D = op.Tensor2D;
type Moments = { mean: Tensor2D; variance: Tensor2D; noise?: op.Tensor };
const random = seededRandom(7);
const Y = Matrix.from(Array.from({ length: 9 }, () => Array.from({ length: 3 }, () => random.normal())));

/** log N(z | mean, width²·I) of each row. */
const around = defineDensity({
  name: 'around',
  parameters: { mean: real([0, 0]), width: positive(0.5) },
  logDensity: (p, { value }) =>
    op.sum<op.Tensor1D>(
      op.sub(
        op.mul(-0.5, op.square(op.div(op.sub(value, p.mean), p.width))),
        op.add(op.log(p.width), 0.5 * Math.log(2 * Math.PI)),
      ),
      1,
    ),
});

const process = gaussianProcess({ kernel: rbf(), noise: 0.1 }).density;
const modelOf = (density: Density) =>
  defineModel({
    name: 'own',
    variables: ({ y }: { y: Matrix }) => {
      const z = latent({ dim: 2, density: standardNormal() });
      return { z, y: observed(y, { density, given: z }) };
    },
  });
const failures = (density: Density) => {
  const own = modelOf(density);
  return checkModel(own({ y: Y }), { models: { own }, throws: false })
    .checks.filter(({ passed }) => !passed)
    .map(({ name, message }) => `${name}: ${message}`);
};
/** The process with moments of one's own. */
const withMoments = (change: (moments: Moments) => Moments): Density => ({
  ...process,
  condition: (p, fitted, context) => {
    const own = process.condition!(p, fitted, context);
    return { ...own, moments: (given) => change(own.moments!(given)) };
  },
});

it('the types of operations distinguish a scalar from a tensor', () => {
  const X = op.tensor<Tensor2D>(Float64Array.of(1, 2), [1, 2]);
  const scalar = op.neg(op.sum(op.square(X)));
  const whole: op.Scalar = scalar;
  // @ts-expect-error: it is N×q
  const rows: op.Scalar = op.neg(op.square(X));
  // @ts-expect-error: a sum over all axes is a scalar
  const sums: op.Tensor1D = op.neg(op.sum(op.square(X)));
  expect([whole.rank, rows.rank, sums.rank]).toEqual([0, 2, 0]);
});

describe('checkModel of a model of variables', () => {
  it('passes a process, and looks at all that is derived', () => {
    const own = modelOf(process);
    const { checks } = checkModel(own({ y: Y }), { models: { own } });
    expect(checks.map(({ name }) => name)).toEqual([
      'gradients',
      'transforms',
      'every parameter is used',
      'terms add up to the objective',
      'the same every time',
      'plain JSON',
      'JSON round trip',
      'there is a maximum',
      'the density of new rows',
      "predictions of 'y'",
      'draws',
      'the same after JSON',
      'leaves no tensors behind',
    ]);
  });

  it('refuses moments of another process, of other columns, and below 0', { tags: 'long' }, () => {
    expect(failures(withMoments((own) => ({ ...own, mean: op.mul(2, own.mean) })))[0]).toMatch(
      /^predictions of 'y': entry \d is .* and should be/,
    );
    expect(failures(withMoments((own) => ({ ...own, variance: op.mul(1.5, own.variance) })))[0]).toMatch(
      /^predictions of 'y': entry \d is .* and should be/,
    );
    const columns = (x: Tensor2D) => op.slice<Tensor2D>(x, [0, 0], [-1, 2]);
    expect(
      failures(withMoments(({ mean, variance }) => ({ mean: columns(mean), variance: columns(variance) })))[0],
    ).toMatch(/^predictions of 'y': .*(columns|3×2)/);
    const below = withMoments(({ mean, variance }) => ({ mean, variance: op.mul(-1, op.onesLike(variance)) }));
    expect(failures(below)[0]).toMatch(/^predictions of 'y'/);
  });

  it('accepts parameters that start on a bound, and densities that are not drawn from, which it reports', () => {
    const own = defineModel({
      name: 'own',
      variables: ({ y }: { y: Matrix }) => {
        const z = latent({ dim: 2, density: standardNormal() });
        const bounded = defineDensity({
          name: 'bounded',
          parameters: { weight: box(0, Infinity, [0, 0, 2]), part: box(0, 1, 1) },
          logDensity: (p, { value, given: [f] }) => {
            const center = op.mul(p.part, op.sum(op.square(f!), 1, true));
            const squares = op.square(op.sub(value, op.add(op.reshape(p.weight, [1, 3]), center)));
            return op.sum<op.Tensor1D>(op.mul(-0.5, op.add(squares, Math.log(2 * Math.PI))), 1);
          },
          condition: (p) => ({
            moments: ([f]) => {
              const mean = op.add<Tensor2D>(
                op.reshape(p.weight, [1, 3]),
                op.mul(p.part, op.sum(op.square(f!), 1, true)),
              );
              return { mean, variance: op.zerosLike(mean), noise: op.scalar(1) };
            },
          }),
        });
        return { z, y: observed(y, { density: bounded(), given: z }) };
      },
    });
    const { checks } = checkModel(own({ y: Y }), { models: { own } });
    expect(checks.find(({ name }) => name === 'draws')!.message).toMatch(
      /^not compared: 'y' .* gives moments of new rows, but no sample/,
    );
  });

  it('names a misspelled member of the condition of a density', () => {
    const spelled = (condition: () => object) =>
      defineDensity({
        name: 'spelled',
        logDensity: (_, { value, given: [z] }) =>
          op.sum<op.Tensor1D>(op.mul(-0.5, op.square(op.sub(value, op.sum(z!, 1, true)))), 1),
        condition: condition as never,
      })();
    const near = (condition: () => object) => {
      const own = modelOf(spelled(condition));
      return () => checkModel(own({ y: Y }), { models: { own } });
    };
    expect(near(() => ({ momnets: () => ({}) }))).toThrow(
      /What condition of the density 'spelled' returns has no member 'momnets'\. Did you mean 'moments'\?/,
    );
    const noize = (z: Tensor2D) => ({ mean: z, variance: z, noize: op.scalar(1) });
    expect(near(() => ({ moments: ([z]: Tensor2D[]) => noize(z!) }))).toThrow(
      /What moments of the density 'spelled' returns has no member 'noize'\. Did you mean 'noise'\?/,
    );
    expect(() =>
      checkDensity(
        spelled(() => ({ momnets: () => ({}) })),
        { givenColumns: [2] },
      ),
    ).toThrow(/no member 'momnets'/);
  });

  it('refuses draws of something else, and a parameter that nobody uses', () => {
    const shifted: Density = {
      ...process,
      condition: (...all) => {
        const own = process.condition!(...all);
        return { ...own, sample: (given) => op.add(1, own.moments!(given).mean) };
      },
    };
    expect(failures(shifted)).toEqual([expect.stringMatching(/^draws: entry 0 of 'y' should be/)]);
    const idle = defineDensity({
      name: 'idle',
      parameters: { unused: positive(1) },
      logDensity: (_, { value, given: [z] }) =>
        op.sum<op.Tensor1D>(op.mul(-0.5, op.square(op.sub(value, op.sum(op.square(z!), 1, true)))), 1),
    });
    expect(failures(idle())).toContainEqual(
      expect.stringMatching(/^every parameter is used: No gradient arrives at 'y.unused'/),
    );
    expect(() => defineModel({ name: 'x', variabels: () => ({}) } as never)).toThrow(/variabels/);
    expect(() => defineModel({ name: 'x', variables: () => ({}), placment: 1 } as never)).toThrow(/placment/);
  });

  it('refuses latent points that shrink with the scales of their density without end, and names the remedy', () => {
    const { PI } = Math;
    const normal = (x: Tensor2D, m: op.TensorOrNumber, s: op.TensorOrNumber) =>
      op.sum<op.Tensor1D>(
        op.sub(op.mul(-0.5, op.square(op.div(op.sub(x, m), s))), op.add(op.log(s), 0.5 * Math.log(2 * PI))),
        1,
      );
    const groups = defineDensity({
      name: 'groups',
      parameters: { first: real([-1, 0]), second: real([1, 0]), width: positive(0.5) },
      logDensity: (p, { value }) =>
        op.logSumExp<op.Tensor1D>(
          op.stack([normal(value, p.first, p.width), normal(value, p.second, p.width)]) as op.Tensor,
          0,
        ),
    });
    const grouped = (density: Density) =>
      defineModel({
        name: 'grouped',
        variables: ({ y }: { y: Matrix }) => {
          const z = latent({ dim: 2, density });
          return { z, y: observed(y, { density: process, given: z }) };
        },
      });
    const maximum = (density: Density) => {
      const own = grouped(density);
      const { checks } = checkModel(own({ y: Y }), { models: { own, grouped: own }, throws: false });
      return checks.find(({ name }) => name === 'there is a maximum')!;
    };
    const { passed, message } = maximum(groups());
    expect(passed).toBe(false);
    // N·q·ln 10 at most, of 9 points of 2 columns, and most of that.
    const gain = Number(/rises by ([\d.]+) per factor of ten as 'z' shrinks/.exec(message)![1]);
    expect(gain).toBeLessThan(9 * 2 * Math.log(10) + 0.1);
    expect(gain).toBeGreaterThan(0.8 * 9 * 2 * Math.log(10));
    expect(message).toMatch(/'z\.width'.*without bound.*fixed\(…\).*prior.*Gaussian rows/);
    expect(maximum(groups({ width: fixed(0.5) })).passed).toBe(true);
    expect(maximum(standardNormal({ precision: positive(1) })).passed).toBe(false);
  });

  it('moves the weights of a mixture by their variables, which keep the sum', { tags: 'long' }, () => {
    const at = (mean: number) =>
      around({ mean: real([mean, 0]), width: positive(0.5, { prior: gamma({ shape: 2, rate: 4 }) }) });
    const mixed = defineModel({
      name: 'mixed',
      variables: ({ y }: { y: Matrix }) => {
        const z = latent({ dim: 2, density: mixture([at(-1), at(1)]) });
        return { z, y: observed(y, { density: process, given: z }) };
      },
    });
    const { checks } = checkModel(mixed({ y: Y }), { models: { mixed } });
    expect(checks.find(({ name }) => name === 'gradients')!.message).toMatch(
      /largest error \d\.\de-(0[89]|\d\d|[789])/,
    );
    expect(describeModel(mixed({ y: Y }))).toContain('z.weights: simplex, 2');
  });

  it('detects components that close around one point, and points that lie at the means of their density', async () => {
    const short = { maxIterations: 1 };
    const mixed = (second: Density) =>
      defineModel({
        name: 'mixed',
        variables: ({ y }: { y: Matrix }) => {
          const first = around({ mean: real([-1, 0]), width: fixed(1) });
          const z = latent({ dim: 2, density: mixture([first, second]) });
          return { z, y: observed(y, { density: process, given: z }) };
        },
      })({ y: Y });
    await expect(fit(mixed(around({ mean: real([1, 0]) })), short)).rejects.toThrow(
      /'z' shrinks with .*'z\.around2\.width'/,
    );
    // One point's 2·ln 10 for each factor of ten.
    await expect(fit(mixed(around({ mean: fixed([1, 0]) })), short)).rejects.toThrow(
      /rises by 4\.6\d? per factor of ten as the density of 'z' closes around one of its points, by 'z\.around2\.width', without bound.*fixed\(…\)/,
    );
    expect((await fit(mixed(around({ mean: real([1, 0]), width: fixed(0.5) })), short)).status).toBe('maxIterations');
    const width = positive(0.5, { prior: gamma({ shape: 2, rate: 4 }) });
    expect((await fit(mixed(around({ mean: real([1, 0]), width })), short)).status).toBe('maxIterations');

    const chain = (variance: Parameter) =>
      defineModel({
        name: 'chain',
        variables: ({ y }: { y: Matrix }) => {
          const top = latent({ dim: 1, density: standardNormal() });
          const middle = mapped(top, linearMap(), { dim: 2 });
          const low = latent({ dim: 2, density: gaussian({ variance }), given: middle });
          return { top, middle, low, y: observed(y, { density: process, given: low }) };
        },
      })({ y: Y });
    const gain = await fit(chain(positive(0.2)), short).then(
      () => Number.NaN,
      ({ message }) => Number(/rises by ([\d.]+).*closes around its points, by 'low\.noise'/.exec(message)?.[1]),
    );
    // Half a logarithm of ten for each of 9·2 entries.
    expect(gain).toBeGreaterThan(0.95 * 9 * Math.log(10));
    expect((await fit(chain(fixed(0.2)), short)).status).toBe('maxIterations');
  });
});
