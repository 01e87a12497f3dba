import { existsSync } from 'node:fs';
import { chromium, type Browser } from 'playwright-core';
import { findProgram } from '#infra/process/find-program.ts';

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** Chromium without the parts of a desktop browser: tests take less than half the time in it. */
const headlessShell = 'chromium-headless-shell';

/**
 * The program of CHROMIUM_PATH, else the distribution's; undefined if there is none. Tests use the
 * headless shell if there is one; screenshots need the languages of the whole browser.
 */
export function findChromium({ forPictures = false } = {}): string | undefined {
  const named = process.env['CHROMIUM_PATH'];
  if (named)
    return named.includes('/') ? (existsSync(named) ? named : undefined) : findProgram(named);
  const preferred = forPictures ? names : [headlessShell, ...names];
  return preferred.map((name) => findProgram(name)).find((path) => path !== undefined);
}

/**
 * Starts Chromium without background activity. It only opens loopback pages, so it needs no
 * sandbox. `language`: of the browser's own texts, such as date fields.
 */
export function launchChromium(executablePath: string, language = 'en'): Promise<Browser> {
  return chromium.launch({
    executablePath,
    env: { ...process.env, LANGUAGE: language },
    args: [
      `--lang=${language}`,
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      // Otherwise each page starts a spare process, which the next page's own context can't use,
      // for a tenth of the tests' CPU.
      '--renderer-process-limit=1',
    ],
  });
}
