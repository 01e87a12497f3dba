import { existsSync } from 'node:fs';
import { chromium, type Browser } from 'playwright-core';
import { findProgram } from '#infra/process/find-program.ts';

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** Chromium without the parts of a desktop browser: tests take less than half the time in it. */
const headlessShell = 'chromium-headless-shell';

/**
 * The program of CHROMIUM_PATH, else the distribution's; undefined if there is none. Tests take the
 * headless shell where there is one; pictures need the languages of the whole browser.
 */
export function findChromium({ forPictures = false } = {}): string | undefined {
  const named = process.env['CHROMIUM_PATH'];
  if (named)
    return named.includes('/') ? (existsSync(named) ? named : undefined) : findProgram(named);
  const preferred = forPictures ? names : [headlessShell, ...names];
  return preferred.map((name) => findProgram(name)).find((path) => path !== undefined);
}

/**
 * Starts Chromium without anything that it would do of its own accord. Loopback pages only: it
 * needs no sandbox. `language`: of what the browser itself writes, such as date fields.
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
      // Else each page starts a spare process for the next one, which has a context of its own and
      // can't use it: a tenth of what the tests take of a core.
      '--renderer-process-limit=1',
    ],
  });
}
