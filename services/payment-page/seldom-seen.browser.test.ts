import { expect, it } from 'vitest';
import { appForFile } from '#shared/platform/http/testing/serve-app.ts';
import { inBrowser, useBrowser } from '#infra/verify/harness/browser.ts';
import { contextOf, currentPageFaults, screenVariants } from '#infra/verify/harness/sitemap.ts';
import type { OperationEvent } from '#shared/domain/operation/events.ts';
import { accepted, admitted, route, started } from '#shared/domain/operation/testing/given.ts';
import { createTestPage } from './testing/payments.ts';

const [overdue, overdueReceipt, long] = [1, 2, 3].map(
  (number) => `6f1d5b1e-0000-8000-8000-00000000000${number}`,
) as [string, string, string];
const pastWindow = { expires_at: '2026-01-31T11:00:00.000Z' };
const historyOf = (
  operationId: string,
  { receipt = false, amount = '100.00', ...more },
): OperationEvent[] => [
  admitted({
    operationId,
    request: { client_id: 'client-1', method: 'WT_RUB_C2C', amount, currency: 'RUB' },
  }),
  started(1, route({ requires_receipt: receipt })),
  accepted(1, { confirmation_required: receipt, ...more }),
];
const histories = {
  [overdue]: historyOf(overdue, pastWindow),
  [overdueReceipt]: historyOf(overdueReceipt, { ...pastWindow, receipt: true }),
  [long]: historyOf(long, {
    receipt: true,
    amount: '999999999999999.99',
    requisites: {
      number: '2200123456789012345',
      name: 'КОНСТАНТИНОПОЛЬСКАЯ-ВОСКРЕСЕНСКАЯ АЛЕКСАНДРА КОНСТАНТИНОВНА',
      bankname: 'mkb',
      bankname_details: 'Московский кредитный банк',
    },
  }),
};

inBrowser('rarely seen pages', () => {
  const browser = useBrowser();
  const server = appForFile(() => createTestPage(histories).app);

  it.each(screenVariants)(
    'overdue payments, long values and errors pass axe and fit: %s, %s, %s',
    async (...look) => {
      const page = await browser.open({ ...contextOf(look, 320), expectedFaults: /40[04]/ });
      const check = async () => expect(await currentPageFaults(page)).toEqual([]);
      const open = (path: string) => page.goto(`http://127.0.0.1:${server.port}/${path}`);
      for (const id of [overdue, overdueReceipt]) {
        await open(id);
        expect(await page.locator('[data-payment]').getAttribute('data-payment')).toContain(
          'overdue',
        );
        expect(await page.content()).not.toContain('2200123456789012');
        await check();
      }
      await open('nothing');
      await check();
      await open(long);
      await check();
      await page.locator('#receipt').setInputFiles({
        name: 'empty.pdf',
        mimeType: 'application/pdf',
        buffer: Buffer.alloc(0),
      });
      await page.locator('form button').click();
      await page.getByRole('alert').waitFor();
      await check();
    },
  );
});
