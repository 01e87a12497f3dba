import type { Page } from 'playwright-core';
import type { Shots } from './shots.ts';

/** The documentation: the guide, the statuses, and what an error code means. */
export const docs: Shots = async ({ urls }) => {
  const open = (path: string) => async (page: Page) => {
    await page.goto(`${urls.gateway}${path}`);
    await page.locator('h1').waitFor();
  };
  return {
    shots: [
      { name: 'docs-guide', viewport: 'desktop', open: open('/docs/guide#create') },
      { name: 'docs-statuses', viewport: 'desktop', open: open('/docs/statuses') },
      { name: 'docs-error', viewport: 'phone', open: open('/docs/errors/provider-not-accepted') },
    ],
    close: async () => undefined,
  };
};
