// Prints the table of laws × models of test/laws, with the reason for each pair that is left out.
import { laws, leftOut } from '../test/laws/table.mjs';

const width = Math.max(...Object.keys(leftOut).map((name) => name.length)) + 2;
const names = Object.keys(laws);
console.log(names.map((law) => `${law.padEnd(10)}${laws[law]}`).join('\n'));
console.log(`\n${''.padEnd(width)}${names.map((law) => law.padEnd(10)).join('')}`);
const reasons = [];
for (const [model, lacks] of Object.entries(leftOut)) {
  const cells = names.map((law) => {
    if (!(law in lacks)) return 'holds';
    if (!reasons.includes(lacks[law])) reasons.push(lacks[law]);
    return `– (${reasons.indexOf(lacks[law]) + 1})`;
  });
  console.log(`${model.padEnd(width)}${cells.map((cell) => cell.padEnd(10)).join('')}`.trimEnd());
}
console.log(`\n${reasons.map((reason, i) => `(${i + 1}) ${reason}`).join('\n')}`);
