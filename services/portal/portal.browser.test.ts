import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { axeFaults, inBrowser, useBrowser } from '#infra/verify/harness/browser.ts';
import { startTestStack, type TestStack } from '#infra/verify/harness/test-stack.ts';
import {
  setUpBusyGateway,
  type BusyGateway,
} from '#services/admin/console/testing/busy-gateway.ts';

inBrowser('the portal in a browser', () => {
  const browser = useBrowser();
  let stack: TestStack;
  let gateway: BusyGateway;
  beforeAll(async () => {
    stack = await startTestStack({ env: { WEBHOOK_RETRY_SCHEDULE: '0s,200ms' } });
    gateway = await setUpBusyGateway(stack);
  });
  afterAll(async () => {
    await gateway?.close();
    await stack?.stop();
  });

  const title = (page: Page, name: string | RegExp) =>
    page.getByRole('heading', { level: 1, name }).waitFor();
  const press = (page: Page, name: string) => page.getByRole('button', { name }).click();
  const follow = (page: Page, name: string | RegExp) =>
    page.getByRole('link', { name }).first().click();

  it('an admin signs in by a link, looks at a payment and its webhook, issues a key and lets a colleague in', async () => {
    const { sign_in_url: link } = await gateway.admin<{ sign_in_url: string }>(
      'POST',
      `/shops/${gateway.shopId}/members`,
      { name: 'Anna', role: 'admin' },
    );
    // As the link has it: cookies are of one host.
    const { origin: portal } = new URL(link);
    const page = await browser.open({ expectedFaults: /40[13] / });
    const sound = async () => expect(await axeFaults(page)).toEqual([]);
    await page.goto(link);
    await sound();
    await press(page, 'Sign in');
    await title(page, 'Operations');
    await sound();

    const [download] = await Promise.all([
      page.waitForEvent('download'),
      follow(page, 'Export CSV'),
    ]);
    expect(await readFile(await download.path(), 'utf8')).toContain(gateway.partial);

    await page.goto(`${portal}/operations/${gateway.partial}`);
    await title(page, /^Payment /);
    await page.getByText('Payment credited').waitFor();
    await sound();
    await follow(page, 'payment.partially_completed');
    await page.getByText('The exact bytes that are signed and sent.').waitFor();
    await sound();

    for (const name of ['Balances', 'Webhooks', 'API keys', 'Members']) {
      await page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name }).click();
      await title(page, name);
      await sound();
    }

    await page.goto(`${portal}/keys/new`);
    await sound();
    await page.getByLabel('Label').fill('server 2');
    await press(page, 'Issue the key');
    await page.getByText('Shown only once').waitFor();
    expect(await page.locator('.secret code').textContent()).toMatch(/^gw_\w{40}$/);

    await page.goto(`${portal}/members/new`);
    await page.getByLabel('Name').fill('Vera');
    await press(page, 'Add the member');
    const second = (await page.locator('.secret code').textContent()) ?? '';
    const colleague = await browser.open({ expectedFaults: /403 / });
    await colleague.goto(second);
    await press(colleague, 'Sign in');
    await title(colleague, 'Operations');
    await colleague.goto(`${portal}/keys/new`);
    await title(colleague, 'Your role does not allow this');
    await page.getByRole('row', { name: /Vera/ }).getByRole('link', { name: 'Remove' }).click();
    await press(page, 'Remove the member');
    await page.getByText('The member is removed.').waitFor();
    await colleague.goto(`${portal}/operations`);
    await title(colleague, 'Sign in');
  });
});
