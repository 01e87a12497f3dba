import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import {
  axeFaults,
  browserStack,
  followLink,
  inBrowser,
  press,
  title,
  useBrowser,
} from '#infra/verify/harness/browser/browser.ts';
import { readFaultMessages, readFaults } from '#infra/verify/harness/browser/read-faults.ts';
import {
  browserContext,
  currentPageFaults,
  findPageFaults,
  screenVariants,
} from '#infra/verify/harness/browser/sitemap.ts';
import { adminOf } from '../console/testing/busy-gateway.ts';
import { listPages } from '../frame/site-map.ts';
import { fillPath } from '../testing/fill-path.ts';
import { portalSections } from './pages.ts';

inBrowser('the portal in a browser', () => {
  const browser = useBrowser();
  const stack = browserStack();

  /** The sign-in link of a new member of the shop. */
  const invite = async (name: string): Promise<string> => {
    const path = `/shops/${stack.day.shopId}/members`;
    const member = { name, role: 'admin' };
    return (await adminOf(stack)<{ sign_in_url: string }>('POST', path, member)).sign_in_url;
  };

  it('an admin signs in by a link, reads a payment and its webhook, issues a key and adds a member', async () => {
    const link = await invite('Anna');
    // The origin of the link, because cookies belong to one host.
    const { origin: portal } = new URL(link);
    const page = await browser.open({ expectedFaults: /40[13] / });
    await page.goto(link);
    await press(page, 'Sign in');
    await title(page, 'Operations');

    const [download] = await Promise.all([
      page.waitForEvent('download'),
      followLink(page, 'Export CSV'),
    ]);
    expect(await readFile(await download.path(), 'utf8')).toContain(stack.day.partial);
    await page.getByText(/^The file is complete, rows: \d/).waitFor();

    await page.goto(`${portal}/operations/${stack.day.partial}`);
    await title(page, /^Payment /);
    await page.getByText('Payment credited').waitFor();
    await followLink(page, 'payment.partially_completed');
    await page.getByText('The exact bytes that are signed and sent.').waitFor();
    expect(await axeFaults(page)).toEqual([]);

    for (const name of ['Balances', 'Statement', 'Webhooks', 'API keys', 'Members']) {
      await page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name }).click();
      await title(page, name);
    }

    await page.goto(`${portal}/keys/new`);
    await page.getByLabel('Label').fill('server 2');
    await page.getByLabel('Everything, including webhook settings').check();
    await press(page, 'Issue the key');
    await page.getByText('Shown only once').waitFor();
    expect(await axeFaults(page)).toEqual([]);
    expect(await page.locator('.secret code').textContent()).toMatch(/^gw_\w{40}$/);

    await page.goto(`${portal}/members/new`);
    await page.getByLabel('Name').fill('Vera');
    await press(page, 'Add the member');
    await page.getByRole('row', { name: /Vera/ }).getByRole('link', { name: 'Remove' }).click();
    await press(page, 'Remove the member');
    await page.getByText('The member is removed.').waitFor();
  });

  it('a phone names the shop in the bar of each page', async () => {
    const page = await browser.open({ viewport: { width: 390, height: 844 } });
    await page.goto(await invite('Konstantin'));
    await press(page, 'Sign in');
    const name = page.locator('.brand span');
    const box = await name.boundingBox();
    expect(box && box.x + box.width).toBeLessThanOrEqual(390);
    // Not clipped to a pixel, as it is for screen readers alone.
    expect(box?.width).toBeGreaterThan(40);
    expect(await name.isVisible()).toBe(true);
  });

  it('support finds a payment by what the payer reports, and opens its receipt', async () => {
    const link = await invite('Olga');
    const page = await browser.open();
    await page.goto(link);
    await press(page, 'Sign in');
    await page.getByRole('searchbox').fill('1490');
    await press(page, 'Find');
    await page
      .getByRole('row', { name: /Manual check/ })
      .getByRole('link')
      .first()
      .click();
    await page.getByText('An operator of the gateway is checking the receipt.').waitFor();
    const href = await page.getByRole('link', { name: 'Open PDF' }).getAttribute('href');
    const file = await page.request.get(new URL(href ?? '', page.url()).href);
    expect(new URL(file.url()).port).toBe(new URL(stack.urls.gateway).port);
    expect([file.status(), file.headers()['content-type']]).toEqual([200, 'application/pdf']);
  });

  /** Opens the page of a ping that can't be delivered yet. @returns lets it be tried, and fail */
  const openPendingPing = async (...pages: [Page, ...Page[]]): Promise<() => Promise<void>> => {
    const admin = adminOf(stack);
    const url = 'http://127.0.0.1:1/';
    const { merchant_id } = await admin<{ merchant_id: string }>('POST', '/merchants', {
      name: 'Paused',
    });
    const shop = { merchant_id, name: 'Paused', overdraft_limits: {} };
    const { shop_id: id } = await admin<{ shop_id: string }>('POST', '/shops', shop);
    // While the endpoint is disabled, its webhooks stay pending.
    await admin('PUT', `/shops/${id}/webhook`, { url, enabled: false });
    const invited = async () => {
      const member = { name: 'Anna', role: 'admin' };
      return admin<{ sign_in_url: string }>('POST', `/shops/${id}/members`, member);
    };
    for (const each of pages) {
      const { sign_in_url: link } = await invited();
      await each.goto(link);
      await press(each, 'Sign in');
      await title(each, 'Operations');
      await each.goto(`${new URL(link).origin}/webhooks/endpoints/${id}/ping`);
      await press(each, 'Send a ping');
      await title(each, 'ping');
      await each.getByText('This page refreshes by itself.').waitFor();
      await each.getByText('The ping is queued.').waitFor();
    }
    return async () => void (await admin('PUT', `/shops/${id}/webhook`, { url, enabled: true }));
  };

  it('the page of a ping updates automatically, or by a link without script', async () => {
    const [page, plain] = [await browser.open(), await browser.open({ javaScriptEnabled: false })];
    const enable = await openPendingPing(page, plain);
    await enable();
    await page.locator('[data-watched="Exhausted"]').waitFor();
    await page.getByText('This page refreshes by itself.').waitFor({ state: 'detached' });
    // The one-time message is still there: the page was not reloaded.
    await page.getByText('The ping is queued.').waitFor();
    expect(await axeFaults(page)).toEqual([]);
    await expect
      .poll(async () => {
        const link = plain.getByRole('link', { name: 'Refresh' });
        if ((await link.count()) > 0) await link.click();
        return plain.locator('[data-watched]').getAttribute('data-watched');
      })
      .toBe('Exhausted');
  });

  it.for(readFaults)(
    'while the server %s, a page that refreshes itself shows that, and then continues (R16.18)',
    async ([, fault]) => {
      const page = await browser.open({ expectedFaults: readFaultMessages });
      const enable = await openPendingPing(page);
      const end = await fault(page);
      await enable();
      await page.getByRole('alert').getByText('may be out of date').waitFor();
      expect(await axeFaults(page)).toEqual([]);
      await end();
      await page.locator('[data-watched="Exhausted"]').waitFor();
      await page.getByText('may be out of date').waitFor({ state: 'hidden' });
    },
  );

  /** A file of payouts that waits for a second member. */
  const pendingFile = async (): Promise<string> => {
    const setting = { payout_batches_need_second_member: true };
    await adminOf(stack)('PATCH', `/shops/${stack.day.shopId}`, setting);
    const header = 'merchant_operation_id,client_id,method,amount,currency,number,name,bankname';
    const response = await fetch(`${stack.urls.gateway}/v1/payout-batches`, {
      method: 'POST',
      headers: { ...stack.day.key, 'content-type': 'text/csv' },
      body: `${header}\nbulk-1,client-1,WT_RUB_C2C,1500.00,RUB,2200 1234 5678 9010,,\n`,
    });
    return ((await response.json()) as { batch_id: string }).batch_id;
  };

  it.each(screenVariants)('has no faults in %s, %s, on a screen that is %s', async (...look) => {
    const [language] = look;
    const page = await browser.open({ ...browserContext(look), expectedFaults: /404/ });
    const link = await invite(`Reader of ${look.join(', ')}`);
    await page.goto(link);
    expect(await currentPageFaults(page)).toEqual([]);
    await page.locator('main button').click();
    await page.getByRole('navigation').first().waitFor();
    const { origin } = new URL(link);
    const file = await pendingFile();
    const parameters = { operation_id: stack.day.partial, currency: 'RUB', batch_id: file };
    // A file is no page; that of a message is seen in the journeys.
    const isElsewhere = /\.(?:csv|json)$|:receipt_id$|:message_id$/;
    const patterns = listPages(portalSections).map((entry) => entry.page.path);
    const urls = [
      ...patterns
        .filter((pattern) => !isElsewhere.test(pattern))
        .map((pattern) => fillPath(pattern, parameters)),
      '/operations?q=1500+yesterday',
      `/operations/${stack.day.flagged[0]}`,
      '/webhooks/endpoints/new',
      '/webhooks/resend?type=payout.declined',
      '/keys/new',
      `/payouts/${file}/confirm`,
      `/operations?file=${file}`,
      '/members/new',
      '/nothing-here',
    ].map((path) => `${origin}${path}`);
    expect(await findPageFaults(page, urls, { language })).toEqual({});
  });
});
