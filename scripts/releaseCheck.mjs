// Names what is missing for a release with provenance, and fails as long as something is.
//
//   npm run release:check
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const text = (name) => readFileSync(`${root}${name}`, 'utf8');
const json = (name) => JSON.parse(text(name));
const git = (...args) => spawnSync('git', args, { cwd: root, encoding: 'utf8' }).stdout.trim();

const { version, repository, homepage, bugs } = json('package.json');
const citation = text('CITATION.cff');
const released = new RegExp(`^## ${version.replaceAll('.', '\\.')} – (\\d{4}-\\d{2}-\\d{2})$`, 'm');
const identity = process.env.ACTIONS_ID_TOKEN_REQUEST_URL ?? process.env.SIGSTORE_ID_TOKEN;

const missing = [
  [repository?.url, 'package.json: repository.url, which provenance compares with the source of the build'],
  [homepage, 'package.json: homepage'],
  [bugs?.url, 'package.json: bugs.url, where README.md and docs/troubleshooting.md send reports'],
  [released.test(text('CHANGELOG.md')), `CHANGELOG.md: the date of version ${version}`],
  [!/not yet on npm/.test(text('README.md')), 'README.md: how to install from npm'],
  [json('jsr.json').version === version, `jsr.json: version ${version}`],
  [json('codemeta.json').version === version, `codemeta.json: version ${version}`],
  [citation.includes(`\nversion: ${version}\n`), `CITATION.cff: version ${version}`],
  [/^date-released: /m.test(citation), 'CITATION.cff: date-released'],
  [git('status', '--porcelain') === '', 'git: a clean tree'],
  [git('tag', '--points-at', 'HEAD').split('\n').includes(`v${version}`), `git: the tag v${version} on this commit`],
  [identity, 'a build service that signs: npm publish --provenance needs its identity token'],
].flatMap(([isThere, what]) => (isThere ? [] : [what]));

console.log(missing.map((what) => `missing: ${what}`).join('\n'));
console.log(`${missing.length} missing for a release of ${version}`);
process.exitCode = missing.length > 0 ? 1 : 0;
