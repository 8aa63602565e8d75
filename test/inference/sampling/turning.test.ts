import { fixed, gamma, gplvm, InvalidInputError, nuts, positive, rbf, samplePosterior } from 'latentfield';
import { expect, it } from 'vitest';

const Y = Array.from({ length: 6 }, (_, i) => [Math.sin(i / 2), Math.cos(i / 2), i / 8, Math.sin(i)]);
const prior = gamma({ shape: 2, rate: 2 });
const short = { chains: 1, warmup: 10, draws: 4, seed: 1, method: nuts({ metric: 'laplace', maxDepth: 3 }) };
const made = (lengthscale: number | readonly number[]) =>
  gplvm(Y, {
    latentDim: 2,
    kernel: rbf({ variance: fixed(1), lengthscale: fixed(lengthscale) }),
    noise: positive(0.1, { prior }),
  });

it('a Laplace metric is refused for latents that turn, and accepted where they are fixed or cannot', async () => {
  const turning = samplePosterior(made(1), short);
  await expect(turning).rejects.toThrow(InvalidInputError);
  await expect(turning).rejects.toThrow(/can turn.*'diagonal'.*hold/);
  expect((await samplePosterior(made(1), { ...short, hold: ['latents'] })).names).toEqual(['mapping.noise']);
  expect((await samplePosterior(made([1, 3]), short)).names.length).toBe(13);
});

it('many free points that have not mixed should be fixed, by the message', async () => {
  const many = Array.from({ length: 100 }, (_, i) => [Math.sin(i / 9), Math.cos(i / 7)]);
  const model = gplvm(many, {
    latentDim: 1,
    kernel: rbf({ variance: fixed(1), lengthscale: fixed(1) }),
    noise: fixed(0.1),
  });
  const { message } = await samplePosterior(model, {
    chains: 1,
    warmup: 2,
    draws: 8,
    seed: 1,
    method: nuts({ maxDepth: 2 }),
  });
  expect(message).toMatch(/never changed/);
  expect(message).toMatch(/100 free latent points.*hold: \['latents'\]/);
});

it.each([
  [3, [[0, 2], [1]], '3 of 3 chains have not even explored their own mode, with R̂ up to '],
  [11, [[0], [1, 2]], '2 of 3 chains have not even explored their own mode, with R̂ up to '],
])(
  'chains that draw different maps are named, with the mean log density of each: seed %i',
  async (seed, maps, said) => {
    const { latents, logDensity, message } = await samplePosterior(made([1, 1]), {
      chains: 3,
      warmup: 5,
      draws: 12,
      seed,
      method: nuts({ maxDepth: 4 }),
    });
    const { modes, chainRHat, rHat } = latents!;
    expect(rHat).toBeGreaterThan(1.1);
    expect(modes.map(({ chains }) => chains)).toEqual(maps);
    const named = modes.map(({ chains }) => {
      const own = chains.flatMap((c) => [...logDensity.row(c)]);
      const mean = own.reduce((sum, entry) => sum + entry, 0) / own.length;
      return `${chains.length === 1 ? 'chain' : 'chains'} ${chains.join(', ')} (mean log density ${mean.toFixed(1)})`;
    });
    expect(message).toContain(`The chains draw 2 different maps, which are in latents.modes: ${named.join('; ')}.`);
    const known = chainRHat.filter((own) => !Number.isNaN(own));
    expect(message).toContain(`${said}${Math.max(...known).toFixed(2)} within each.`);
    expect(message.includes('Distances of chain 0 never moved.')).toBe(Number.isNaN(chainRHat[0]));
  },
);
