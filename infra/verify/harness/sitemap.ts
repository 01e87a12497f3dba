import type { BrowserContextOptions, Page } from 'playwright-core';
import { axeFaults, pageWeight } from './browser.ts';

type Look = readonly [language: 'en' | 'ru', theme: 'light' | 'dark', screen: 'wide' | 'phone'];

const all: readonly Look[] = [
  ['en', 'light', 'wide'],
  ['ru', 'dark', 'phone'],
  ['en', 'dark', 'wide'],
  ['ru', 'light', 'phone'],
];

/**
 * Each language, each theme and each screen. The other two of the four combinations would show the
 * same words and colours again: only when they are asked for.
 */
export const looks = process.env['ALL_LOOKS'] ? all : all.slice(0, 2);

/** The phone is as wide as most, unless a page is to fit the smallest. */
export const contextOf = (
  [language, colorScheme, screen]: Look,
  phoneWidth = 390,
): BrowserContextOptions => ({
  locale: language === 'ru' ? 'ru-RU' : 'en-GB',
  colorScheme,
  viewport: screen === 'wide' ? { width: 1280, height: 800 } : { width: phoneWidth, height: 844 },
});

/** The browser's own parts, which show a PDF, are nobody's. */
const isElsewhere = (url: string, origin: string): boolean =>
  url.startsWith('http') && new URL(url).origin !== origin;

/** What of a table can be used or is money, and can be seen only by scrolling sideways. */
const beyondEdge = `[...document.querySelectorAll('.table-frame :is(a, button, input, select, summary, td.amount)')]
  .filter((part) => part.checkVisibility())
  .filter((part) => part.getBoundingClientRect().right > document.documentElement.clientWidth
    || (part.matches('td') && part.scrollWidth > part.clientWidth + 1))
  .map((part) => part.textContent.trim())`;

/**
 * What is wrong with how the page stands: by axe, whether it is too wide for the screen, and which
 * actions and amounts of tables are beyond its edge.
 */
export async function faultsNow(page: Page): Promise<string[]> {
  const wider = await page.evaluate<number>(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  );
  const beyond = await page.evaluate<string[]>(beyondEdge);
  return [
    ...(await axeFaults(page)),
    ...(wider === 0 ? [] : [`${wider} px to scroll sideways`]),
    ...beyond.map((text) => `beyond the edge: ${text}`),
  ];
}

/**
 * Opens one page of a product after the other; gives what is wrong with those that have faults: by
 * axe, too wide, in another language, loaded from elsewhere or too large.
 */
export async function faultsOf(
  page: Page,
  urls: readonly string[],
  { language, maxBytes = Infinity }: { language: string; maxBytes?: number },
): Promise<Record<string, string[]>> {
  let asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  const faults: Record<string, string[]> = {};
  for (const url of urls) {
    asked = [];
    await page.goto(url);
    await page.getByRole('heading', { level: 1 }).waitFor();
    const bytes = Object.values(await pageWeight(page)).reduce((sum, each) => sum + each, 0);
    const { origin } = new URL(url);
    const found = [
      ...(await faultsNow(page)),
      ...((await page.locator('html').getAttribute('lang')) === language ? [] : ['its language']),
      ...asked.filter((each) => isElsewhere(each, origin)).map((each) => `loads ${each}`),
      ...(bytes > 0 && bytes < maxBytes ? [] : [`${bytes} bytes`]),
    ];
    if (found.length > 0) faults[url] = found;
  }
  return faults;
}
