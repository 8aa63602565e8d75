import { Matrix } from 'latentfield';
import { describe, expect, it } from 'vitest';
import { engineReport } from '../../src/engine/dense/index.ts';
import { sharedMemory } from '../../src/engine/memory.ts';
import { posteriorOn } from '../../src/inference/fit/createFit.ts';
import type { Posterior } from '../../src/model/posterior.ts';

/** A posterior whose members say which engine was at work when they were computed. */
function watched() {
  const seen: string[] = [];
  const see = (name: string) => seen.push(`${name} ${engineReport(sharedMemory()).engine}`);
  const mapping = {
    get observedColumns() {
      see('observedColumns');
      return 3;
    },
    predict: () => see('predict'),
  };
  const posterior = {
    latents: Matrix.zeros(2, 1),
    mapping,
    variables: { missingEntries: mapping },
    get graph() {
      see('graph');
      return { nodes: 2 };
    },
    get field() {
      see('field');
      return { impute: () => see('impute') };
    },
    kktResidual: () => see('kktResidual'),
  } as unknown as Posterior;
  return { posterior, seen };
}

describe('a posterior on an engine', () => {
  it('computes nothing before the first request', () => {
    const { posterior, seen } = watched();
    const placed = posteriorOn('typescript', posterior);
    expect(Object.keys(placed)).toEqual(['latents', 'mapping', 'variables', 'graph', 'field', 'kktResidual']);
    expect(placed.latents).toBe(posterior.latents);
    expect(seen).toEqual([]);
  });

  it('runs functions and members that are computed when they are read on that engine', () => {
    const { posterior, seen } = watched();
    const placed = posteriorOn('typescript', posterior) as unknown as {
      mapping: { observedColumns: number; predict(): void };
      variables: { missingEntries: { predict(): void } };
      graph: unknown;
      field: { impute(): void };
      kktResidual(): void;
    };
    expect(placed.mapping.observedColumns).toBe(3);
    placed.mapping.predict();
    placed.variables.missingEntries.predict();
    expect(placed.graph).toEqual({ nodes: 2 });
    placed.field.impute();
    placed.kktResidual();
    expect(seen).toEqual(
      ['observedColumns', 'predict', 'predict', 'graph', 'field', 'impute', 'kktResidual'].map(
        (name) => `${name} typescript`,
      ),
    );
  });

  it('is the posterior itself without one', () => {
    const { posterior } = watched();
    expect(posteriorOn(undefined, posterior)).toBe(posterior);
  });
});
