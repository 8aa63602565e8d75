// Writes tables of simulated pipe flow to try the commands of the documents on: data.csv (80 points: x1 … x9, age, kind, sample, note),
// new.csv (5 others), holes.csv (data.csv without every 29th entry), days.csv (40 days with two gaps) and digits.npy (60 images of 28×28).
import { writeFile } from 'node:fs/promises';
import { pipeFlow } from 'latentfield/data';

const { observations, fractions, labels, labelNames } = pipeFlow({ points: 85, seed: 1 });
const names = ['sample', ...Array.from({ length: 9 }, (_, j) => `x${j + 1}`), 'age', 'kind', 'note'];
const rows = Array.from({ length: observations.rows }, (_, i) => {
  const measured = Array.from(observations.row(i).subarray(0, 9), (entry) => entry.toFixed(4));
  const age = (20 + 60 * fractions.row(i)[0]).toFixed(1);
  const note = ['calm', 'steady', 'bubbles'][i % 3];
  return [`s${i + 1}`, ...measured, age, labelNames[labels[i]], note];
});
const table = (some) => [names, ...some].map((row) => `${row.join(',')}\n`).join('');
const holes = rows
  .slice(0, 80)
  .map((row, i) => row.map((cell, j) => (j >= 1 && j <= 9 && (9 * i + j) % 29 === 0 ? '' : cell)));

// Rings of two sizes, somewhere in the image.
const images = Array.from({ length: 60 }, (_, i) => {
  const [x, y, radius] = [10 + (i % 8), 10 + ((3 * i) % 7), 4 + 3 * (i % 2)];
  return Array.from({ length: 28 * 28 }, (_, k) => {
    const distance = Math.hypot((k % 28) - x, Math.floor(k / 28) - y);
    return Math.round(255 * Math.exp(-((distance - radius) ** 2)));
  });
});
// Two months of days, without eleven in the middle of each.
const days = Array.from({ length: 62 }, (_, i) => i).filter((i) => i % 31 < 10 || i % 31 > 20);
const dated = days.map((i) => {
  const day = new Date(Date.UTC(2024, 2, 1 + i)).toISOString().slice(0, 10);
  return [day, Math.sin(i / 5), Math.cos(i / 5), Math.sin(i / 10)];
});

const header = "{'descr': '|u1', 'fortran_order': False, 'shape': (60, 784), }".padEnd(117);

await writeFile('data.csv', table(rows.slice(0, 80)));
await writeFile('new.csv', table(rows.slice(80)));
await writeFile('holes.csv', table(holes));
await writeFile('days.csv', [['day', 'a', 'b', 'c'], ...dated].map((row) => `${row.join(',')}\n`).join(''));
await writeFile(
  'digits.npy',
  Buffer.concat([Buffer.from(`\x93NUMPY\x01\x00v\x00${header}\n`, 'latin1'), Buffer.from(images.flat())]),
);
