// Damaged checkpoints: of the form of today every one must be refused; those whose checksums were made again, or that have none, must
// end in a fit whose result is finite or in an error of the library's.
import { fit, gplvm, mpme, scg } from 'latentfield';
import seedrandom from 'seedrandom';
import { checksums } from '../dist/core/saved.js';
import { damaged } from './mutations.mjs';
import { tried } from './report.mjs';
import { Y } from './savedModels.mjs';

const kinds = [
  { name: 'gplvm', model: () => gplvm(Y, { latentDim: 1 }), options: { restarts: 1, seed: 5 } },
  {
    name: 'gplvm by scg',
    model: () => gplvm(Y, { latentDim: 2, backConstraint: 'linear' }),
    options: { solver: scg() },
  },
  { name: 'mpme', model: () => mpme(Y, { latentDim: 1, slackPenalty: 1 }), options: {} },
];
const short = { maxIterations: 4, engine: 'wasm' };

export async function attackCheckpoints({ seed, cases, report }) {
  const random = seedrandom(`checkpoints ${seed}`);
  const saved = [];
  for (const { name, model, options } of kinds) {
    const whole = await fit(model(), { ...options, ...short });
    await fit(model(), {
      ...options,
      ...short,
      checkpointInterval: 0,
      checkpoint: (state) => {
        saved.push({ name, model, options, state: JSON.parse(JSON.stringify(state)), bits: bitsOf(whole) });
      },
    });
  }
  for (let i = 0; i < cases; i++) {
    const { name, model, options, state, bits } = saved[Math.floor(random() * saved.length)];
    const { json, kind, key } = damaged(state, random);
    const isSealed = random() < 0.5;
    if (isSealed && typeof json.checksums === 'object' && json.checksums !== null) {
      const { checksums: _, ...rest } = json;
      try {
        json.checksums = checksums(rest, ['starts']);
      } catch {
        // Nested too deep, or no list of starts any more.
      }
    }
    const what = `case ${i}: ${name}, ${kind} at ${key}${isSealed ? ', with new checksums' : ''}`;
    const { seed: _, restarts: __, ...rest } = options;
    const resumed = await tried(report, what, () => fit(model(), { ...rest, ...short, resume: json }));
    if (resumed === undefined) continue;
    if (resumed.error !== undefined) report.count('refused');
    else if (bitsOf(resumed.value) === bits) report.count('resumed, the same bits');
    else if (!isSealed) {
      report.count('silent');
      report.fail(`${what}, resumed in silence`, resumed.value.message);
    } else if (Number.isFinite(resumed.value.objective) || resumed.value.status === 'failed') {
      report.count('believed: another way to a finite result');
    } else report.fail(`${what}, not finite`, resumed.value.message);
  }
}

const bitsOf = ({ latents, objective, parameters }) => JSON.stringify([latents, objective, parameters]);
