import { pipeFlow, swissRoll, twoMoons } from 'latentfield/data';
import type { Dataset } from './dataset.ts';
import { drawnDigits, drawnSpectra, turningBar, walkingFigure } from './drawn.ts';

/** Built-in data sets, by the names used in links. All are simulated; none is a recording. */
export const SETS: Readonly<Record<string, { readonly title: string; readonly make: () => Dataset }>> = {
  pipeFlow: { title: 'Pipe flow (simulated, 12 columns, 3 regimes)', make: flow },
  drawnDigits: { title: 'Drawn digits (images of seven segments)', make: drawnDigits },
  turningBar: { title: 'Turning bar (images of an object)', make: turningBar },
  drawnSpectra: { title: 'Drawn spectra (curves of 46 wavelengths)', make: drawnSpectra },
  walkingFigure: { title: 'Walking figure (simulated poses)', make: walkingFigure },
  swissRoll: { title: 'Swiss roll (3 columns)', make: roll },
  twoMoons: { title: 'Two moons (2 columns)', make: moons },
};

function flow(): Dataset {
  const { observations, labels, labelNames, columnNames } = pipeFlow({ points: 150, seed: 1 });
  return {
    name: 'pipe flow',
    observations,
    columns: columnNames,
    labels: labels.map((label) => labelNames[label]!),
    labelColumn: 'regime',
    ids: undefined,
    idColumn: 'id',
    view: { kind: 'values' },
    notes: [],
  };
}

function roll(): Dataset {
  const { observations, parameters } = swissRoll({ points: 300, seed: 1 });
  const beside = [{ column: 'angle along the roll', values: parameters.column(0), isNumber: true }];
  return { ...plain('swiss roll', ['x', 'y', 'z']), observations, beside };
}

function moons(): Dataset {
  const { observations, labels } = twoMoons({ points: 200, seed: 1 });
  return {
    ...plain('two moons', ['x', 'y']),
    observations,
    labels: labels.map((label) => `moon ${label + 1}`),
    labelColumn: 'moon',
  };
}

const plain = (name: string, columns: readonly string[]) => ({
  ...{ name, columns, labels: undefined, labelColumn: 'label', ids: undefined, idColumn: 'id' },
  ...({ view: { kind: 'values' }, notes: [] } as const),
});
