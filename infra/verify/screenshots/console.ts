import { sql } from 'kysely';
import type { Page } from 'playwright-core';
import { setUpBusyGateway } from '#services/admin/console/testing/busy-gateway.ts';
import { connectDatabase } from '#shared/platform/database/connect.ts';
import type { Shots } from './shots.ts';

/** The operator console: what goes on, what a search finds, one operation as it was, a receipt to decide on, a shop. */
export const console: Shots = async (stack) => {
  const gateway = await setUpBusyGateway(stack, 14);
  await spreadOverTheDay(stack.env['DATABASE_URL'] ?? '');
  const open = (path: string) => async (page: Page) => {
    await page.goto(`${stack.urls.admin}/sign-in`);
    await page.locator('#token').fill(stack.adminToken);
    await page.locator('main button').click();
    await page.getByRole('navigation').first().waitFor();
    await page.goto(`${stack.urls.admin}${path}`, { waitUntil: 'networkidle' });
  };
  const [unreadable = ''] = gateway.flagged;
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
      { name: 'console-shop', viewport: 'desktop', open: open(`/shops/${gateway.shopId}`) },
    ],
    close: gateway.close,
  };
};

const viewerMs = 2_500;

/** The browser's viewer of PDFs says nothing when it has drawn one. */
const openReceipt = (open: (page: Page) => Promise<void>) => async (page: Page) => {
  await open(page);
  await page.waitForTimeout(viewerMs);
};

/** A picture's charts need a day: the read model's rows of a minute are told apart by hours. Their log stays as it is. */
async function spreadOverTheDay(url: string): Promise<void> {
  const db = connectDatabase<unknown>(url, { applicationName: 'screenshots' });
  try {
    await sql`
      with moved as (
        select operation_id, make_interval(mins => (1400 * power(percent_rank() over (order by created_at desc), 1.4))::int) as by,
          1 + (row_number() over (order by created_at desc)) % 7 as slow
        from gateway.operations
      )
      update gateway.operations o set created_at = o.created_at - m.by,
        ended_at = o.created_at - m.by + (o.ended_at - o.created_at) * m.slow * 40
      from moved m where m.operation_id = o.operation_id and o.status <> 'manual_check'`.execute(db);
  } finally {
    await db.destroy();
  }
}
