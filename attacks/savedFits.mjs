// Damaged saved fits: each must be refused, or be the same fit; damage with matching new checksums may only end in a fit that works or an error of the library.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as tf from '@tensorflow/tfjs-core';
import { loadFit } from 'latentfield';
import seedrandom from 'seedrandom';
import { checksums } from '../dist/core/saved.js';
import { damaged } from './mutations.mjs';
import { tried } from './report.mjs';
import { answersOf, own } from './savedModels.mjs';

const folder = fileURLToPath(new URL('../test/saved/version2/', import.meta.url));

/** Every file, with its answers in this version, whose last bits may differ from the version that saved it. */
async function allSaved(options) {
  const found = [];
  for (const file of readdirSync(folder).sort()) {
    const { fit } = JSON.parse(readFileSync(join(folder, file), 'utf8'));
    const answers = JSON.stringify(await answersOf(loadFit(fit, own, options)));
    found.push({ name: file.replace('.json', ''), fit, answers });
  }
  return found;
}

const modes = ['as it is', 'with new checksums', 'truncated'];

export async function attackSavedFits({ seed, cases, report }) {
  const random = seedrandom(`saved ${seed}`);
  const options = { engine: 'wasm' };
  const saved = await allSaved(options);
  const tensors = tf.engine().state.numTensors;
  for (let i = 0; i < cases; i++) {
    const { name, fit, answers } = saved[Math.floor(random() * saved.length)];
    const mode = random() < 0.04 ? modes[2] : random() < 0.5 ? modes[1] : modes[0];
    const { json, kind, key } = damaged(fit, random);
    const what = `case ${i}: ${name}, ${kind} at ${key}, ${mode}`;
    if (mode === 'truncated') {
      const text = JSON.stringify(fit).slice(0, Math.floor(random() * JSON.stringify(fit).length));
      let isRead = true;
      try {
        JSON.parse(text);
      } catch {
        isRead = false;
      }
      report.count(isRead ? 'truncated and read' : 'refused as no JSON');
      continue;
    }
    if (mode === 'with new checksums' && isObject(json.checksums)) {
      const { checksums: _, ...rest } = json;
      try {
        json.checksums = checksums(rest, ['model', 'values']);
      } catch {
        // Nested too deep to have one.
      }
    }
    const loaded = await tried(report, what, async () => loadFit(json, own, options));
    if (loaded === undefined) continue;
    if (loaded.error !== undefined) {
      if (!namesPlace(loaded.error.message)) report.fail(`${what}, no place in the message`, loaded.error.message);
      report.count('refused');
      continue;
    }
    const found = await tried(report, `${what}, used`, () => answersOf(loaded.value));
    if (found === undefined) continue;
    const isSame = found.error === undefined && JSON.stringify(found.value) === answers;
    if (isSame) report.count('loaded, the same answers');
    else if (mode === 'as it is') {
      report.count('silent');
      report.fail(`${what}, loaded in silence`, found.error?.message ?? JSON.stringify(found.value).slice(0, 200));
    } else
      report.count(
        found.error === undefined ? 'believed: a fit that agrees with itself' : 'loaded, then refused in use',
      );
  }
  if ({}.polluted !== undefined) report.fail('prototypes', 'Object.prototype was changed');
  const left = tf.engine().state.numTensors - tensors;
  if (left !== 0) report.fail('tensors', `${left} tensors were left`);
}

const isObject = (value) => typeof value === 'object' && value !== null;

/** Refusals name a path, or state that the file is not a saved fit or has another form. */
const namesPlace = (message) => /at \S+: |is of form|takes the object|nested more than/.test(message);
