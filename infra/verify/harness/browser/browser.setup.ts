import type { TestProject } from 'vitest/node';
import { findChromium } from './chromium.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The browser's program; empty if there is none. */
    chromiumPath: string;
  }
}

/**
 * Finds the browser that tests drive. Without one they are skipped, and this reports it.
 * @throws under CI=true, where a test that is skipped would go unseen
 */
export function setup(project: TestProject): void {
  const path = findChromium() ?? '';
  if (path === '') {
    const how = 'no Chromium found: apt-get install chromium-headless-shell, or set CHROMIUM_PATH';
    if (process.env['CI'] === 'true') throw new Error(`browser tests can't run: ${how}`);
    process.stderr.write(`\nThe browser tests are skipped: ${how}\n\n`);
  }
  project.provide('chromiumPath', path);
}
