import { fit } from 'latentfield';
import { SETS } from './data/sets.ts';
import { savedText, summaryOf, tableOf } from './fitSummary.ts';
import { modelOf } from './model.ts';
import { DEFAULTS } from './settings.ts';

const dataset = SETS[DEFAULTS.set]!.make();
const { maxIterations, seed } = DEFAULTS;
const made = await fit(modelOf(DEFAULTS, dataset).model, { maxIterations, seed, engine: 'wasm' });
// The saved fit has the trace.
const { latents, trace: _, ...summary } = summaryOf(made);
const known = JSON.stringify({ ...summary, latents: { ...latents, data: Array.from(latents.data) } });

/** Text of example.json: the fit of the initial data set and model, as the page's worker would compute it. */
export const example = `{"summary":${known},"fit":${savedText(made, tableOf(dataset, undefined, DEFAULTS), [maxIterations])}}`;
