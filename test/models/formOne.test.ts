import { readdirSync, readFileSync } from 'node:fs';
import { loadFit } from 'latentfield';
import { expect, it } from 'vitest';

const folder = new URL('../saved/version1/', import.meta.url);
const saved = (name: string) =>
  (JSON.parse(readFileSync(new URL(name, folder), 'utf8')) as { fit: Record<string, unknown> }).fit;
const statuses = ['converged', 'maxIterations', 'stopped', 'failed'];

it.each(readdirSync(folder).filter((name) => /^(gplvm|meu|pca|bayesianGplvm)\.json$/.test(name)))(
  'of form 1, without checksums, refuses another status and a trace that was cut: %s',
  (name) => {
    const fit = saved(name);
    expect(() => loadFit(fit)).not.toThrow();
    const others = statuses.filter((status) => status !== fit.status && !(name === 'pca.json' && status === 'failed'));
    for (const status of others) expect(() => loadFit({ ...fit, status })).toThrow(/cannot be read at status: /);
    const trace = fit.trace as object[];
    for (const cut of trace.length === 0 ? [] : [[], trace.slice(1), trace.slice(0, -1), trace.toSpliced(3, 1)]) {
      expect(() => loadFit({ ...fit, trace: cut })).toThrow(/cannot be read at trace: /);
    }
  },
);
