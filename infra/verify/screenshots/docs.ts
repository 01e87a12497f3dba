import type { Page } from 'playwright-core';
import type { Shots } from './shots.ts';

/** The documentation: where it begins, the guide, an endpoint, the statuses, and what a code means. */
export const docs: Shots = async ({ urls }) => {
  const open = (path: string) => async (page: Page) => {
    await page.goto(`${urls.gateway}${path}`);
    await page.locator('h1').waitFor();
  };
  return {
    shots: [
      { name: 'docs-home', viewport: 'desktop', open: open('/docs') },
      { name: 'docs-guide', viewport: 'desktop', open: open('/docs/guide#create') },
      { name: 'docs-reference', viewport: 'desktop', open: open('/docs/reference#createPayment') },
      { name: 'docs-sandbox', viewport: 'desktop', open: open('/docs/sandbox#amounts') },
      { name: 'docs-search', viewport: 'desktop', open: open('/docs/search?q=cancel') },
      { name: 'docs-statuses', viewport: 'desktop', open: open('/docs/statuses') },
      { name: 'docs-guide-phone', viewport: 'phone', open: open('/docs/guide') },
      { name: 'docs-error', viewport: 'phone', open: open('/docs/errors/provider-not-accepted') },
    ],
    close: async () => undefined,
  };
};
