import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { AxeResults } from 'axe-core';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { beforeAll, describe, expect, inject, onTestFinished, type TestContext } from 'vitest';
import type { BrowserDay } from '../stacks/browser-stack.setup.ts';
import { launchChromium } from './chromium.ts';
import { forFile } from '../tests/for-file.ts';
import { recordPages, withoutRecording } from './recorder.ts';
import { fetchShared, type SharedStack } from '../stacks/shared-stack.ts';
import type { StackAddress } from '../stacks/test-stack.ts';
import { waitLimitMs } from '../tests/eventually.ts';

const path = inject('chromiumPath');

/**
 * `describe` for tests in a browser: skipped without one, as `browser.setup.ts` reports.
 */
export const inBrowser = path === '' ? describe.skip : describe;

/** The stack of all files of the project, with a day's work on it (`browser-stack.setup.ts`). */
export const browserStack = (): SharedStack<BrowserDay> =>
  forFile(() => fetchShared<SharedStack<BrowserDay>>(inject('browserStackUrl')));

/** One browser for all files of this process, because a browser has one clipboard. */
let launched: Promise<Browser> | undefined;

type OpenOptions = BrowserContextOptions & {
  /** Errors in the page's console that the test expects; any other fails it. */
  expectedFaults?: RegExp;
  /** Of the test's own context, where tests run at the same time. */
  whenOver?: TestContext['onTestFinished'];
};

/** Each page has a context of its own: no cookies, no cache of others. */
export function useBrowser() {
  let browser: Browser;
  beforeAll(async () => {
    if (path !== '') browser = await (launched ??= launchChromium(path));
  });
  return {
    /**
     * A page that is closed after the test, and that fails the test on errors of its scripts or its
     * policy.
     */
    open: async ({
      expectedFaults,
      whenOver = onTestFinished,
      ...options
    }: OpenOptions = {}): Promise<Page> => {
      const context = await browser.newContext({ locale: 'en-GB', ...options });
      context.setDefaultTimeout(waitLimitMs);
      // Concurrent tests can't be distinguished.
      if (whenOver === onTestFinished) await recordPages(context);
      const page = await context.newPage();
      const faults: string[] = [];
      page.on('pageerror', (error) => faults.push(error.message));
      page.on('console', (message) => {
        if (message.type() === 'error' && !expectedFaults?.test(message.text()))
          faults.push(message.text());
      });
      whenOver(async () => {
        await context.close();
        expect(faults).toEqual([]);
      });
      return page;
    },
  };
}

// Not the package's export, which is twice as large for every page.
const axe = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

/** The violations that axe finds in the page, by all its rules: one line for each element. */
export async function axeFaults(page: Page): Promise<string[]> {
  const { violations } = await withoutRecording(async () => {
    await page.evaluate(axe);
    return page.evaluate<AxeResults>("axe.run({ resultTypes: ['violations'] })");
  });
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map((node) => `${id}: ${help}: ${node.html.slice(0, 200)} ${node.failureSummary ?? ''}`),
  );
}

type Name = string | RegExp;

export const press = (page: Page, name: Name): Promise<void> =>
  page.getByRole('button', { name }).click();

export const followLink = (page: Page, name: Name): Promise<void> =>
  page.getByRole('link', { name }).first().click();

/** Waits for the page with that title. */
export const title = (page: Page, name: Name): Promise<void> =>
  page.getByRole('heading', { level: 1, name }).waitFor();

/** Signs in to the console on the way to a page, as an admin by default. */
export async function openAsOperator(
  page: Page,
  { urls, adminToken }: StackAddress,
  to: string,
  token = adminToken,
): Promise<void> {
  await page.goto(`${urls.admin}${to}`);
  await page.getByLabel('Token').fill(token);
  await press(page, 'Sign in');
  await page.getByRole('navigation', { name: 'Sections' }).waitFor();
}

/** The recorded events that a page of the console reports. */
export const recordedEvents = async (page: Page): Promise<string> =>
  (await page.getByRole('alert').textContent())?.replaceAll(/\s+/g, ' ') ?? '';

/** Bytes that the page has loaded, uncompressed and without headers, by the browser's count. */
export async function pageWeight(page: Page): Promise<Record<string, number>> {
  const entries = await page.evaluate<[string, number][]>(`
    [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
      .map(({ name, decodedBodySize }) => [new URL(name).pathname, decodedBodySize])`);
  return Object.fromEntries(entries);
}
