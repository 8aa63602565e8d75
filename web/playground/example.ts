import type { Dataset } from './data/dataset.ts';
import { type FitSummary, savedRows, traceOf } from './fitSummary.ts';
import { DEFAULTS, type Settings } from './settings.ts';

/** Fit that was computed when the page was built. */
export interface Example {
  readonly settings: Settings;
  readonly dataset: Dataset;
  readonly summary: FitSummary;
  /** Text of its JSON. */
  readonly text: string;
}

/** Fit of these settings, if the page was built with it: the initial example. Single-file pages have none. */
export async function exampleOf(settings: Settings, dataset: Dataset): Promise<Example | undefined> {
  if (JSON.stringify(settings) !== JSON.stringify(DEFAULTS)) return undefined;
  const response = await fetch('./example.json').catch(() => undefined);
  if (response?.ok !== true) return undefined;
  const { summary, fit } = await response.json();
  const { latents } = summary;
  return {
    settings,
    dataset: { ...dataset, observations: savedRows(fit)! },
    summary: { ...summary, trace: traceOf(fit), latents: { ...latents, data: Float64Array.from(latents.data) } },
    text: JSON.stringify(fit),
  };
}
