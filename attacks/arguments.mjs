// Every public function with each single hostile argument and each pair of them: what comes back is a value or one of the library's errors.
import * as tf from '@tensorflow/tfjs-core';
import { LatentFieldError } from 'latentfield';
import { exportedFunctions, hostile, isOwn, shown } from './hostile.mjs';

/** No arguments, one, two, …, in an order drawn by the seed. */
const lists = [[], ...hostile.map((a) => [a]), ...hostile.flatMap((a) => hostile.map((b) => [a, b]))];

export async function attackArguments({ seed, cases, report }) {
  const functions = exportedFunctions();
  const all = functions.length * lists.length;
  // A prime step visits each call once before any again.
  const step = 1_000_003;
  for (let k = 0, at = (seed * 7919) % all; k < Math.min(cases, all); k++, at = (at + step) % all) {
    const [name, called] = functions[at % functions.length];
    await oneCall(name, called, lists[Math.floor(at / functions.length)], report);
  }
}

async function oneCall(name, called, makers, report) {
  const given = makers.map((make) => make());
  const what = `${name}(${given.map(shown).join(', ')})`;
  const before = tf.engine().state.numTensors;
  try {
    let result = await called(...given);
    // Results are often unused; generators begin on their first request.
    if (typeof result?.next === 'function') result = await result.next();
    report.count('values');
  } catch (error) {
    if (error instanceof LatentFieldError) {
      report.count('typed errors');
      if (error.message.length > 500)
        report.fail(`${what}, message of ${error.message.length} characters`, error.message);
    } else if (isOwn(name, error)) report.count("errors of the caller's own");
    else {
      report.count('untyped errors');
      report.fail(`${what}, untyped error`, error?.stack ?? error);
    }
  }
  const left = tf.engine().state.numTensors - before;
  if (left !== 0) report.fail(what, `${left} tensors were left`);
}
