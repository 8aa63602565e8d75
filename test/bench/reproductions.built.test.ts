// @module-tag long
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';

const folder = new URL('../../bench/reproductions/', import.meta.url);
const isBuilt = existsSync(new URL('../../dist/index.js', import.meta.url));

describe.runIf(isBuilt)(
  `a check of the reproductions${isBuilt ? '' : ' (the library is not built: npm run build)'}`,
  () => {
    /** Runs the check on one reproduction that stands in place of those that there are. */
    const checked = (place: string, gradientTimes: number) => {
      const study = join(place, 'study.mjs');
      writeFileSync(
        study,
        `import * as tf from '${import.meta.resolve('@tensorflow/tfjs-core')}';
      import { library } from '${new URL('data.mjs', folder).href}';
      const { definePrior, fit, gplvm } = library;
      const custom = tf.customGrad((X, save) => {
        save([X]);
        return {
          value: tf.neg(tf.sum(tf.square(X))),
          gradFunc: (dy, [saved]) => tf.mul(tf.mul(saved, dy), ${gradientTimes}),
        };
      });
      const prior = definePrior({ name: 'custom', logDensity: (_, X) => custom(X) });
      const run = (study) => study.cell('value', async () => {
        const model = gplvm([[1, 2], [3, 4], [5, 7], [2, 2], [0, 1]], { latentDim: 1, priors: [prior()] });
        return { value: (await fit(model)).objective };
      });
      export const reproductions = [{ name: 'one', title: 'One', source: 'none', files: [], run }];`,
      );
      const hooks = join(place, 'hooks.mjs');
      writeFileSync(
        hooks,
        `import { register } from 'node:module';
      const isHere = import.meta.url.endsWith('#hooks');
      if (!isHere) register(import.meta.url + '#hooks');
      // No number of it is stored, from which another could differ.
      const instead = {
        './index.mjs': '${pathToFileURL(study).href}',
        './differences.mjs': 'data:text/javascript,export const differences = () => [];',
      };
      export const resolve = (specifier, context, next) =>
        context.parentURL?.endsWith('/run.mjs') && instead[specifier]
          ? { url: instead[specifier], shortCircuit: true }
          : next(specifier, context);`,
      );
      return spawnSync(
        process.execPath,
        [
          ...['--import', pathToFileURL(hooks).href],
          ...[fileURLToPath(new URL('run.mjs', folder)), 'one', '--quick', '--check', '--memory', place],
        ],
        { encoding: 'utf8' },
      );
    };

    it('fails for a number behind which a fit failed, and names both', () => {
      const place = mkdtempSync(join(tmpdir(), 'check-'));
      const right = checked(place, -2);
      const wrong = checked(place, 100);
      rmSync(place, { recursive: true });
      expect(right.stdout).toContain('0 fits failed.');
      expect(right.status).toBe(0);
      expect(wrong.stderr).toMatch(/^A number stands on a fit that failed: one: value, failed \(gplvm\): .+/m);
      expect(wrong.stdout).toContain('1 fits failed.');
      expect(wrong.status).toBe(1);
    });
  },
);
