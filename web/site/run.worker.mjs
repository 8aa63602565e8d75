// Runs programs of documents (runnable.mjs) in a worker: it answers with the lines that they print, and then with their end or their error.
import * as root from 'latentfield';
import * as core from 'latentfield/core';
import * as data from 'latentfield/data';
import * as fields from 'latentfield/fields';
import * as inference from 'latentfield/inference';
import * as io from 'latentfield/io';
import * as kernels from 'latentfield/kernels';
import * as latents from 'latentfield/latents';
import * as mapping from 'latentfield/mapping';
import * as model from 'latentfield/model';
import * as models from 'latentfield/models';
import * as numerics from 'latentfield/numerics';
import * as ops from 'latentfield/ops';
import * as plot from 'latentfield/plot';
import * as priors from 'latentfield/priors';
import * as tensors from 'latentfield/tensors';
import * as testing from 'latentfield/testing';
import * as workers from 'latentfield/workers';

const modules = {
  ...{ core, data, fields, inference, io, kernels, latents, mapping, model, models },
  ...{ numerics, ops, plot, priors, tensors, testing, workers },
};
const library = Object.fromEntries(Object.entries(modules).map(([name, module]) => [`latentfield/${name}`, module]));
library.latentfield = root;

const AsyncFunction = (async () => {}).constructor;

addEventListener('message', async ({ data: code }) => {
  const log = (...values) => postMessage({ line: values.map((value) => text(value, true)).join(' ') });
  try {
    await new AsyncFunction('library', 'console', code)(library, { log, warn: log, error: log, info: log });
    postMessage({});
  } catch (error) {
    postMessage({ error: error instanceof Error ? `${error.name}: ${error.message}` : text(error, true) });
  }
});

/** A value as Node prints it, but in one line. */
function text(value, isAlone = false) {
  if (typeof value === 'string') return isAlone ? value : `'${value}'`;
  if (typeof value === 'function') return `[Function: ${value.name}]`;
  if (value instanceof Error) return `${value.name}: ${value.message}`;
  if (typeof value !== 'object' || value === null) return Object.is(value, -0) ? '-0' : String(value);
  const isTyped = ArrayBuffer.isView(value);
  const name = isTyped ? `${value.constructor.name}(${value.length}) ` : '';
  if (Array.isArray(value) || isTyped)
    return value.length === 0 ? `${name}[]` : `${name}[ ${Array.from(value, (each) => text(each)).join(', ')} ]`;
  const entries = Object.entries(value).map(([key, each]) => `${key}: ${text(each)}`);
  return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`;
}
