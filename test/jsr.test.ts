import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const read = (name: string) => JSON.parse(readFileSync(new URL(`../${name}`, import.meta.url), 'utf8'));

/** What pages load as it is built. */
const BUILT = ['./browser', './map', './draw-map', './widget', './worker.js', './package.json'];

it('jsr.json publishes the version, the entries and the dependencies of package.json', () => {
  const [jsr, npm] = [read('jsr.json'), read('package.json')];
  expect([jsr.version, jsr.license]).toEqual([npm.version, npm.license]);
  expect(Object.keys(jsr.exports).sort()).toEqual(
    Object.keys(npm.exports)
      .filter((name) => !BUILT.includes(name))
      .sort(),
  );
  for (const [name, file] of Object.entries<string>(jsr.exports)) {
    expect([name, existsSync(new URL(`../${file}`, import.meta.url))]).toEqual([name, true]);
    expect([name, npm.exports[name].default]).toEqual([name, file.replace('./src', './dist').replace(/ts$/, 'js')]);
  }
  const wanted = Object.entries<string>(npm.dependencies).map(([name, range]) => [name, `npm:${name}@${range}`]);
  expect(jsr.imports).toEqual(Object.fromEntries(wanted));
});
