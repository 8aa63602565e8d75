import { draw, fixed, gamma, gplvm, InvalidInputError, nuts, positive, rbf } from 'latentfield';
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

it('a Laplace metric is refused for latents that turn, and taken where they are held or cannot', async () => {
  const turning = draw(made(1), short);
  await expect(turning).rejects.toThrow(InvalidInputError);
  await expect(turning).rejects.toThrow(/can turn.*'diagonal'.*hold/);
  expect((await draw(made(1), { ...short, hold: ['latents'] })).names).toEqual(['mapping.noise']);
  expect((await draw(made([1, 3]), short)).names.length).toBe(13);
});

it('many free points that have not mixed are advised to be held', async () => {
  const many = Array.from({ length: 100 }, (_, i) => [Math.sin(i / 9), Math.cos(i / 7)]);
  const model = gplvm(many, {
    latentDim: 1,
    kernel: rbf({ variance: fixed(1), lengthscale: fixed(1) }),
    noise: fixed(0.1),
  });
  const { message } = await draw(model, { chains: 1, warmup: 2, draws: 8, seed: 1, method: nuts({ maxDepth: 2 }) });
  expect(message).toMatch(/never moved/);
  expect(message).toMatch(/100 free latent points.*hold: \['latents'\]/);
});
