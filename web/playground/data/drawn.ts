import { Matrix, seededRandom } from 'latentfield/core';
import type { Dataset } from './dataset.ts';

const SIDE = 12;

/** Brightness of a soft line at a distance. */
const soft = (distance: number, width: number) => Math.exp(-((distance / width) ** 2));

const drawn = (
  name: string,
  rows: number[][],
  columns: Pick<Dataset, 'columns' | 'labels' | 'labelColumn' | 'view'>,
): Dataset => ({ name, observations: Matrix.from(rows), ...columns, ids: undefined, idColumn: 'id', notes: [] });

/** Images of a bar that rotates and changes its length: two numbers determine an image. */
export function turningBar(): Dataset {
  const rows: number[][] = [];
  const labels: string[] = [];
  const angles: number[] = [];
  for (let angle = 0; angle < 18; angle++) {
    for (let length = 0; length < 6; length++) {
      const turn = (Math.PI * angle) / 18;
      const half = 2 + 0.7 * length;
      const pixels: number[] = [];
      for (let i = 0; i < SIDE; i++) {
        for (let j = 0; j < SIDE; j++) {
          const [x, y] = [j - (SIDE - 1) / 2, i - (SIDE - 1) / 2];
          const along = Math.cos(turn) * x + Math.sin(turn) * y;
          const across = -Math.sin(turn) * x + Math.cos(turn) * y;
          const beyond = Math.max(0, Math.abs(along) - half);
          pixels.push(soft(Math.hypot(across, beyond), 1.2));
        }
      }
      rows.push(pixels);
      labels.push(`length ${length + 1}`);
      angles.push(10 * angle);
    }
  }
  const view = { kind: 'image', height: SIDE, width: SIDE } as const;
  return {
    ...drawn('turning bar', rows, { columns: pixelNames(SIDE, SIDE), labels, labelColumn: 'length', view }),
    beside: [{ column: 'angle', values: Float64Array.from(angles), isNumber: true }],
  };
}

/** Segments of each digit, in the order top, upper left, upper right, middle, lower left, lower right, bottom. */
const SEGMENTS = [
  '1110111',
  '0010010',
  '1011101',
  '1011011',
  '0111010',
  '1101011',
  '1101111',
  '1010010',
  '1111111',
  '1111011',
];
const ENDS = [
  [2, 2, 2, 7],
  [2, 2, 6, 2],
  [2, 7, 6, 7],
  [6, 2, 6, 7],
  [6, 2, 10, 2],
  [6, 7, 10, 7],
  [10, 2, 10, 7],
] as const;

/** Seven-segment digits, drawn with varying slants, shifts and widths. */
export function drawnDigits(): Dataset {
  const random = seededRandom(5);
  const [height, width] = [13, 10];
  const rows: number[][] = [];
  const labels: string[] = [];
  for (let n = 0; n < 240; n++) {
    const digit = n % 10;
    const slant = 0.18 * random.normal();
    const [down, right] = [0.3 * random.normal(), 0.4 * random.normal()];
    const thick = 0.9 + 0.25 * random.uniform();
    const pixels: number[] = [];
    for (let i = 0; i < height; i++) {
      for (let j = 0; j < width; j++) {
        const y = i - down;
        const x = j - right + slant * (i - 6);
        const nearest = ENDS.reduce(
          (least, [y1, x1, y2, x2], k) =>
            SEGMENTS[digit]![k] === '1' ? Math.min(least, fromSegment(y, x, y1, x1, y2, x2)) : least,
          Infinity,
        );
        pixels.push(soft(nearest, thick) + 0.02 * random.normal());
      }
    }
    rows.push(pixels);
    labels.push(String(digit));
  }
  const view = { kind: 'image', height, width } as const;
  return drawn('drawn digits', rows, { columns: pixelNames(height, width), labels, labelColumn: 'digit', view });
}

function fromSegment(y: number, x: number, y1: number, x1: number, y2: number, x2: number): number {
  const [dy, dx] = [y2 - y1, x2 - x1];
  const part = Math.min(1, Math.max(0, ((y - y1) * dy + (x - x1) * dx) / (dy * dy + dx * dx)));
  return Math.hypot(y - y1 - part * dy, x - x1 - part * dx);
}

const pixelNames = (height: number, width: number) =>
  Array.from({ length: height * width }, (_, k) => `row${Math.floor(k / width)}col${k % width}`);

/** Spectra of two peaks over a slope: positions, widths and heights vary from sample to sample. */
export function drawnSpectra(): Dataset {
  const random = seededRandom(11);
  const wavelengths = Array.from({ length: 46 }, (_, j) => 400 + 8 * j);
  const rows: number[][] = [];
  const labels: string[] = [];
  for (let n = 0; n < 160; n++) {
    const kind = n % 3;
    const part = random.uniform();
    const [first, second] = [470 + 50 * part, 600 + 40 * part + 12 * kind];
    const [height, width] = [0.5 + part + 0.3 * kind, 22 + 14 * part];
    rows.push(
      wavelengths.map(
        (nm) =>
          soft(nm - first, width) * height +
          soft(nm - second, 30) * (1.6 - part - 0.25 * kind) +
          0.0008 * (nm - 400) +
          0.015 * random.normal(),
      ),
    );
    labels.push(['low', 'middle', 'high'][kind]!);
  }
  return drawn('drawn spectra', rows, {
    columns: wavelengths.map(String),
    labels,
    labelColumn: 'content',
    view: { kind: 'curve' },
  });
}

const JOINTS = ['head', 'neck', 'elbowL', 'handL', 'elbowR', 'handR', 'hip', 'kneeL', 'footL', 'kneeR', 'footR'];
const BONES = [
  [0, 1],
  [1, 2],
  [2, 3],
  [1, 4],
  [4, 5],
  [1, 6],
  [6, 7],
  [7, 8],
  [6, 9],
  [9, 10],
] as const;

/** Figure that walks, then runs: a loop of poses, which becomes larger and faster. */
export function walkingFigure(): Dataset {
  const rows: number[][] = [];
  const labels: string[] = [];
  for (let frame = 0; frame < 120; frame++) {
    const gait = frame < 60 ? 0 : 1;
    const phase = (2 * Math.PI * frame) / (gait === 0 ? 30 : 20);
    rows.push(pose(phase, gait));
    labels.push(gait === 0 ? 'walk' : 'run');
  }
  const columns = JOINTS.flatMap((joint) => [`${joint}X`, `${joint}Y`]);
  const view = { kind: 'figure', bones: BONES } as const;
  return drawn('walking figure', rows, { columns, labels, labelColumn: 'gait', view });
}

function pose(phase: number, gait: number): number[] {
  const swing = 0.45 + 0.4 * gait;
  const bend = 0.35 + 0.8 * gait;
  const lean = 0.05 + 0.2 * gait;
  const bounce = (0.03 + 0.05 * gait) * Math.cos(2 * phase);
  const hip = [0, 1 + bounce] as const;
  const neck = step(hip, Math.PI / 2 - lean, 0.62);
  const head = step(neck, Math.PI / 2 - lean, 0.22);
  const arm = (side: number) => {
    const angle = -Math.PI / 2 - side * swing * Math.sin(phase);
    const elbow = step(neck, angle, 0.32);
    return [elbow, step(elbow, angle + 0.3 + 0.9 * gait, 0.3)] as const;
  };
  const leg = (side: number) => {
    const angle = -Math.PI / 2 + side * swing * Math.sin(phase);
    const knee = step(hip, angle, 0.46);
    return [knee, step(knee, angle - bend * Math.max(0, side * Math.cos(phase)) - 0.1, 0.46)] as const;
  };
  return [head, neck, ...arm(1), ...arm(-1), hip, ...leg(1), ...leg(-1)].flat();
}

const step = ([x, y]: readonly [number, number], angle: number, length: number) =>
  [x + length * Math.cos(angle), y + length * Math.sin(angle)] as const;
