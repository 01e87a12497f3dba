import type { Page } from 'playwright-core';
import { portalLink } from '#infra/verify/harness/shops/sessions.ts';
import { busyDay } from './busy-day.ts';
import type { Shots } from './shots.ts';

/** The portal: operations, one operation, and members. */
export const portal: Shots = async (stack) => {
  const gateway = await busyDay(stack);
  const { shopId } = gateway;
  await gateway.admin('POST', `/shops/${shopId}/members`, { name: 'Boris', role: 'viewer' });
  await gateway.admin('POST', `/shops/${shopId}/api-keys`, { label: 'server 2' });
  const old = await gateway.admin<{ key_id: string }>('POST', `/shops/${shopId}/api-keys`, {
    label: 'till of 2025',
  });
  await gateway.admin('DELETE', `/api-keys/${old.key_id}`);
  const { operations } = await gateway.admin<{ operations: { operation_id: string }[] }>(
    'GET',
    `/operations?shop_id=${shopId}&status=partially_completed&limit=1`,
  );
  const open = (path: string) => async (page: Page) => {
    const link = await portalLink(stack, shopId);
    await page.goto(link.href);
    await page.locator('main button').click();
    await page.getByRole('navigation').first().waitFor();
    await page.goto(`${link.origin}${path}`, { waitUntil: 'networkidle' });
  };
  return {
    shots: [
      { name: 'portal-operations', viewport: 'desktop', open: open('/operations') },
      {
        name: 'portal-operation',
        viewport: 'desktop',
        open: open(`/operations/${operations[0]?.operation_id}`),
      },
      { name: 'portal-journal', viewport: 'phone', open: open('/balances/RUB') },
      { name: 'portal-webhooks', viewport: 'desktop', open: open('/webhooks') },
      { name: 'portal-keys', viewport: 'desktop', open: open('/keys') },
    ],
    close: gateway.close,
  };
};
