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
export const screenVariants = process.env['ALL_LOOKS'] ? all : all.slice(0, 2);

const wide = { width: 1280, height: 800 };
const phoneWidth = 390;

/** The phone is as wide as most, unless a page is to fit the smallest. */
export const contextOf = (
  [language, colorScheme, screen]: Look,
  width = phoneWidth,
): BrowserContextOptions => ({
  locale: language === 'ru' ? 'ru-RU' : 'en-GB',
  colorScheme,
  viewport: screen === 'wide' ? wide : { width, height: 844 },
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

/** A row of sections may scroll by itself on a phone; 1 px of it is rounded. */
const widths = `({
  screen: innerWidth,
  page: document.documentElement.scrollWidth - document.documentElement.clientWidth,
  sections: Math.max(0, ...[...document.querySelectorAll('.sections ul')]
    .filter(() => innerWidth >= 1024)
    .map((row) => row.scrollWidth - row.clientWidth)
    .filter((px) => px > 1)),
})`;

/** What of the page is beyond the edge of the screen. */
export async function horizontalOverflow(page: Page): Promise<string[]> {
  const beyond = await page.evaluate<Record<'screen' | 'page' | 'sections', number>>(widths);
  return (['page', 'sections'] as const)
    .filter((part) => beyond[part] > 0)
    .map((part) => `the ${part}: ${beyond[part]} px beyond ${beyond.screen} px`);
}

/** The same on the other screen: so each page has each language at each width. */
async function tooWideElsewhere(page: Page): Promise<string[]> {
  const size = page.viewportSize() ?? wide;
  await page.setViewportSize(size.width === wide.width ? { ...size, width: phoneWidth } : wide);
  const found = await horizontalOverflow(page);
  await page.setViewportSize(size);
  return found;
}

/**
 * What is wrong with how the page stands: by axe, whether it is too wide for the screen, and which
 * actions and amounts of tables are beyond its edge.
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
      ...(await currentPageFaults(page)),
      ...(await tooWideElsewhere(page)),
      ...((await page.locator('html').getAttribute('lang')) === language ? [] : ['its language']),
      ...asked.filter((each) => isElsewhere(each, origin)).map((each) => `loads ${each}`),
      ...(bytes > 0 && bytes < maxBytes ? [] : [`${bytes} bytes`]),
    ];
    if (found.length > 0) faults[url] = found;
  }
  return faults;
}
