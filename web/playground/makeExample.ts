import { fit } from 'latentfield';
import { SETS } from './data/sets.ts';
import { savedText, summaryOf, tableOf } from './fitSummary.ts';
import { modelOf } from './model.ts';
import { DEFAULTS } from './settings.ts';

const dataset = SETS[DEFAULTS.set]!.make();
const { maxIterations, seed } = DEFAULTS;
const made = await fit(modelOf(DEFAULTS, dataset).model, { maxIterations, seed, engine: 'wasm' });
// The trace is that of the saved fit.
const { latents, trace: _, ...summary } = summaryOf(made);
const known = JSON.stringify({ ...summary, latents: { ...latents, data: Array.from(latents.data) } });

/** The text of example.json: the fit of the set and the model that the page begins with, as its worker would make it. */
export const example = `{"summary":${known},"fit":${savedText(made, tableOf(dataset, undefined, DEFAULTS), [maxIterations])}}`;
