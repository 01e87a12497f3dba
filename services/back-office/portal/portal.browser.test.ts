import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import {
  axeFaults,
  browserStack,
  follow,
  inBrowser,
  press,
  title,
  useBrowser,
} from '#infra/verify/harness/browser.ts';
import {
  contextOf,
  currentPageFaults,
  faultsOf,
  screenVariants,
} from '#infra/verify/harness/sitemap.ts';
import { adminOf } from '../console/testing/busy-gateway.ts';

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
      follow(page, 'Export CSV'),
    ]);
    expect(await readFile(await download.path(), 'utf8')).toContain(stack.day.partial);
    await page.getByText(/^The file is complete, rows: \d/).waitFor();

    await page.goto(`${portal}/operations/${stack.day.partial}`);
    await title(page, /^Payment /);
    await page.getByText('Payment credited').waitFor();
    await follow(page, 'payment.partially_completed');
    await page.getByText('The exact bytes that are signed and sent.').waitFor();
    expect(await axeFaults(page)).toEqual([]);

    for (const name of ['Balances', 'Webhooks', 'API keys', 'Members']) {
      await page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name }).click();
      await title(page, name);
    }

    await page.goto(`${portal}/keys/new`);
    await page.getByLabel('Label').fill('server 2');
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

  it('the page of a ping updates automatically, or by a link without script', async () => {
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
    const [page, plain] = [await browser.open(), await browser.open({ javaScriptEnabled: false })];
    for (const each of [page, plain]) {
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
    await admin('PUT', `/shops/${id}/webhook`, { url, enabled: true });
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
    const page = await browser.open({ ...contextOf(look), expectedFaults: /404/ });
    const link = await invite(`Whoever reads ${look.join(', ')}`);
    await page.goto(link);
    expect(await currentPageFaults(page)).toEqual([]);
    await page.locator('main button').click();
    await page.getByRole('navigation').first().waitFor();
    const { origin } = new URL(link);
    const file = await pendingFile();
    const urls = [
      '/operations',
      `/operations/${stack.day.partial}`,
      '/balances',
      '/balances/RUB',
      '/webhooks',
      '/webhooks/endpoints/new',
      '/webhooks/resend?type=payout.declined',
      '/keys',
      '/keys/new',
      '/payouts',
      `/payouts/${file}`,
      `/payouts/${file}/confirm`,
      '/members',
      '/members/new',
      '/nothing-here',
    ].map((path) => `${origin}${path}`);
    expect(await faultsOf(page, urls, { language })).toEqual({});
  });
});
