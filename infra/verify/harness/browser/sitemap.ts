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
 * Each language, theme and screen once. The other combinations would show the same words and
 * colours again, and are checked only on request.
 */
export const screenVariants = process.env['ALL_LOOKS'] ? all : all.slice(0, 2);

const wide = { width: 1280, height: 800 };
const phoneWidth = 390;

/** The phone has a common width, unless a page must fit the smallest. */
export const browserContext = (
  [language, colorScheme, screen]: Look,
  width = phoneWidth,
): BrowserContextOptions => ({
  locale: language === 'ru' ? 'ru-RU' : 'en-GB',
  colorScheme,
  viewport: screen === 'wide' ? wide : { width, height: 844 },
});

/** The browser's own parts, which show a PDF, do not count. */
const isElsewhere = (url: string, origin: string): boolean =>
  url.startsWith('http') && new URL(url).origin !== origin;

/** Actions and amounts of a table that are visible only by scrolling sideways. */
const beyondEdge = `[...document.querySelectorAll('.table-frame :is(a, button, input, select, summary, td.amount)')]
  .filter((part) => part.checkVisibility())
  .filter((part) => part.getBoundingClientRect().right > document.documentElement.clientWidth
    || (part.matches('td') && part.scrollWidth > part.clientWidth + 1))
  .map((part) => part.textContent.trim())`;

/** A row of sections may scroll by itself on a phone; 1 px is rounding. */
const widths = `({
  screen: innerWidth,
  page: document.documentElement.scrollWidth - document.documentElement.clientWidth,
  sections: Math.max(0, ...[...document.querySelectorAll('.sections ul')]
    .filter(() => innerWidth >= 1024)
    .map((row) => row.scrollWidth - row.clientWidth)
    .filter((px) => px > 1)),
})`;

/** Parts of the page beyond the edge of the screen. */
export async function horizontalOverflow(page: Page): Promise<string[]> {
  const beyond = await page.evaluate<Record<'screen' | 'page' | 'sections', number>>(widths);
  return (['page', 'sections'] as const)
    .filter((part) => beyond[part] > 0)
    .map((part) => `the ${part}: ${beyond[part]} px beyond ${beyond.screen} px`);
}

/** The same on the other screen, so that each page is seen in each language at each width. */
async function tooWideElsewhere(page: Page): Promise<string[]> {
  const size = page.viewportSize() ?? wide;
  await page.setViewportSize(size.width === wide.width ? { ...size, width: phoneWidth } : wide);
  const found = await horizontalOverflow(page);
  await page.setViewportSize(size);
  return found;
}

/**
 * The faults of the page: violations of axe, too wide for the screen, actions and amounts of tables
 * beyond its edge.
 */
export async function currentPageFaults(page: Page): Promise<string[]> {
  const beyond = await page.evaluate<string[]>(beyondEdge);
  return [
    ...(await axeFaults(page)),
    ...(await horizontalOverflow(page)),
    ...beyond.map((text) => `beyond the edge: ${text}`),
  ];
}

/**
 * Opens the pages of a product one by one.
 * @returns the faults of each: axe, width, language, foreign content, size
 */
export async function findPageFaults(
  page: Page,
  urls: readonly string[],
  { language, maxBytes = Infinity }: { language: string; maxBytes?: number },
): Promise<Record<string, string[]>> {
  let requested: string[] = [];
  page.on('request', (request) => requested.push(request.url()));
  const faults: Record<string, string[]> = {};
  for (const url of urls) {
    requested = [];
    await page.goto(url);
    await page.getByRole('heading', { level: 1 }).waitFor();
    const bytes = Object.values(await pageWeight(page)).reduce((sum, each) => sum + each, 0);
    const { origin } = new URL(url);
    const found = [
      ...(await currentPageFaults(page)),
      ...(await tooWideElsewhere(page)),
      ...((await page.locator('html').getAttribute('lang')) === language ? [] : ['its language']),
      ...requested.filter((each) => isElsewhere(each, origin)).map((each) => `loads ${each}`),
      ...(bytes > 0 && bytes < maxBytes ? [] : [`${bytes} bytes`]),
    ];
    if (found.length > 0) faults[url] = found;
  }
  return faults;
}
