import type { Page } from 'playwright-core';
import { addAccounts } from './accounts.ts';
import { busyDay } from './busy-day.ts';
import { closeFee, importSampleStatement } from './statement.ts';
import type { Shots } from './shots.ts';

/**
 * The operator console: overview, search, an operation at a revision, a receipt to decide on, a
 * shop and its routes, provider accounts, statements, activity.
 */
export const console: Shots = async (stack) => {
  const gateway = await busyDay(stack);
  const open = (path: string) => async (page: Page) => {
    await page.goto(`${stack.urls.admin}/sign-in`);
    await page.locator('#token').fill(stack.adminToken);
    await page.locator('main button').click();
    await page.getByRole('navigation').first().waitFor();
    await page.goto(`${stack.urls.admin}${path}`, { waitUntil: 'networkidle' });
  };
  const [unreadable = ''] = gateway.flagged;
  await addAccounts(stack, gateway);
  /** Makes the money older, so pictures of durations are taken before. */
  const statement = once(() => importSampleStatement(stack));
  const closing = once(async () => closeFee(stack, await statement()));
  const shop = `/shops/${gateway.shopId}`;
  const openStatements = async (page: Page) => {
    await closing();
    await open('/statements')(page);
  };
  return {
    shots: [
      { name: 'console-overview', viewport: 'desktop', open: open('/') },
      {
        name: 'console-operation',
        viewport: 'desktop',
        open: open(`/operations/${gateway.partial}?revision=2`),
      },
      {
        name: 'console-review',
        viewport: 'desktop',
        open: openReceipt(open(`/review?operation=${unreadable}`)),
      },
      { name: 'console-search', viewport: 'desktop', open: open('/operations?q=books+820') },
      { name: 'console-list', viewport: 'phone', open: open('/operations') },
      { name: 'console-shop', viewport: 'desktop', open: open(shop) },
      { name: 'console-routes', viewport: 'desktop', open: openRoutes(open(shop)) },
      { name: 'console-routes-form', viewport: 'desktop', open: open(`${shop}/routes/edit`) },
      { name: 'console-providers', viewport: 'desktop', open: open('/providers') },
      {
        name: 'console-accounts',
        viewport: 'desktop',
        open: open('/providers/sandbox/accounts?check=main'),
      },
      { name: 'console-statements', viewport: 'desktop', open: openStatements },
      {
        name: 'console-statement',
        viewport: 'desktop',
        open: async (page) => open(await statement())(page),
      },
      {
        name: 'console-finding',
        viewport: 'phone',
        open: async (page) => open(await closing())(page),
      },
      { name: 'console-activity', viewport: 'desktop', open: open('/activity') },
    ],
    close: gateway.close,
  };
};

const viewerMs = 2_500;

/** The browser's PDF viewer does not signal when it has drawn. */
const openReceipt = (open: (page: Page) => Promise<void>) => async (page: Page) => {
  await open(page);
  await page.waitForTimeout(viewerMs);
};

/** The shop's page from its routes on. */
const openRoutes = (open: (page: Page) => Promise<void>) => async (page: Page) => {
  await open(page);
  await page
    .locator('section:has(a[href$="/routes/edit"])')
    .evaluate((part) => part.scrollIntoView());
};

/** Evaluated on first use. */
function once<T>(work: () => Promise<T>): () => Promise<T> {
  let done: Promise<T> | undefined;
  return () => (done ??= work());
}
