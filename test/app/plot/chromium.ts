import { existsSync } from 'node:fs';
import type { Browser } from 'playwright-core';
import { CHROMIUM_ARGUMENTS } from '../../../scripts/chromiumArguments.mjs';

/** Where Debian and others put it; LATENTFIELD_CHROMIUM names another place. */
const PLACES = [
  process.env.LATENTFIELD_CHROMIUM,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];

/** A Chromium of this machine; undefined where there is none. */
export const CHROMIUM = PLACES.find((path) => path !== undefined && path !== '' && existsSync(path));

/** Ends the names of tests that need one, where there is none. */
export const NEEDS_CHROMIUM = CHROMIUM === undefined ? ' (chromium is not installed: apt-get install chromium)' : '';

export async function startChromium(): Promise<Browser> {
  const { chromium } = await import('playwright-core');
  return chromium.launch({ executablePath: CHROMIUM!, args: CHROMIUM_ARGUMENTS });
}
