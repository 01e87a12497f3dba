import { expect, it } from 'vitest';
import { inBrowser, useBrowser } from '#infra/verify/harness/browser/browser.ts';
import {
  browserContext,
  currentPageFaults,
  findPageFaults,
  screenVariants,
} from '#infra/verify/harness/browser/sitemap.ts';
import type { Method } from '#shared/domain/methods/index.ts';
import type { OperationEvent } from '#shared/domain/operation/events.ts';
import { accepted, admitted, route, started } from '#shared/domain/operation/testing/given.ts';
import { appForFile } from '#shared/platform/http/testing/serve-app.ts';
import { histories, ids } from './testing/histories.ts';
import { createTestPage } from './testing/payments.ts';

const maxPageBytes = 60_000;
const [overdueReceipt, long, phone, dueSoon] = [41, 42, 43, 44].map(
  (number) => `6f1d5b1e-0000-8000-8000-0000000000${number}`,
) as [string, string, string, string];
const historyOf = (
  operationId: string,
  { receipt = false, amount = '100.00', method = 'WT_RUB_C2C' as Method, ...more },
): OperationEvent[] => [
  admitted({ operationId, request: { client_id: 'client-1', method, amount, currency: 'RUB' } }),
  started(1, route({ requires_receipt: receipt })),
  accepted(1, { confirmation_required: receipt, ...more }),
];
const { payout: _payout, creating: _creating, ...visible } = ids;
const pages = createTestPage(
  {
    ...histories,
    [overdueReceipt]: historyOf(overdueReceipt, {
      receipt: true,
      expires_at: '2026-01-31T11:00:00.000Z',
    }),
    [dueSoon]: historyOf(dueSoon, { expires_at: new Date(Date.now() + 900_000).toISOString() }),
    [phone]: historyOf(phone, {
      method: 'WT_RUB_PHONE',
      requisites: { number: '+79451234567', bankname: 'sberbank', bankname_details: 'Сбербанк' },
    }),
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
  },
  {
    forPayers: {
      display_name: 'Harbour Tea',
      support: '+44 20 7946 0000, help@tea.example',
      return_url: 'https://tea.example/orders/{merchant_operation_id}',
    },
  },
);

inBrowser('a page in each state', () => {
  const browser = useBrowser();
  const server = appForFile(() => pages.app);

  it.each(screenVariants)('has no faults in %s, %s, on a screen that is %s', async (...look) => {
    const [language] = look;
    const page = await browser.open({ ...browserContext(look, 320), expectedFaults: /40[04]/ });
    const urlOf = (path: string) => `http://127.0.0.1:${server.port}/${path}`;
    const shown = [...Object.values(visible), overdueReceipt, dueSoon, phone, long, 'nothing'];
    expect(
      await findPageFaults(page, shown.map(urlOf), { language, maxBytes: maxPageBytes }),
    ).toEqual({});

    await page.goto(urlOf(long));
    const empty = { name: 'empty.pdf', mimeType: 'application/pdf', buffer: Buffer.alloc(0) };
    await page.locator('#receipt').setInputFiles(empty);
    await page.locator('form button').click();
    await page.getByRole('alert').waitFor();
    expect(await currentPageFaults(page)).toEqual([]);
  });
});
