// The packages that come with latentfield: their licenses, that each is one of those below, and that none runs a script when it is installed.
// With `--sbom FILE` a bill of materials (CycloneDX) of them is written too.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';

const LICENSES = ['Apache-2.0', 'MIT', 'ISC', 'BSD-2-Clause', 'BSD-3-Clause', '0BSD', 'CC0-1.0', 'Unlicense'];

const { packages } = JSON.parse(readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8'));
const production = Object.entries(packages).filter(
  ([path, { dev, devOptional, optional, peer }]) => path !== '' && !dev && !devOptional && !optional && !peer,
);
const problems = [];
for (const [path, { version, license, hasInstallScript }] of production) {
  const name = path.replace(/^.*node_modules\//, '');
  console.log(`${name} ${version}: ${license ?? 'no license'}`);
  if (!LICENSES.includes(license)) problems.push(`${name} has the license ${license ?? 'none'}`);
  if (hasInstallScript === true) problems.push(`${name} runs a script when it is installed`);
}
console.log(`${production.length} packages, ${problems.length} problems`);
for (const problem of problems) console.error(problem);

const at = process.argv.indexOf('--sbom');
if (at >= 0) {
  const { status, stdout } = spawnSync(
    'npm',
    ['sbom', '--omit', 'dev', '--omit', 'peer', '--omit', 'optional', '--sbom-format', 'cyclonedx'],
    {
      encoding: 'utf8',
      maxBuffer: 2 ** 28,
    },
  );
  if (status !== 0) problems.push('npm sbom failed');
  else writeFileSync(process.argv[at + 1], stdout);
}
process.exitCode = problems.length > 0 ? 1 : 0;
