import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import {
  axeFaults,
  browserStack,
  followLink,
  inBrowser,
  press,
  openAsOperator,
  title,
  useBrowser,
} from '#infra/verify/harness/browser/browser.ts';
import { openShop, createTestOperator } from '#infra/verify/harness/shops/operator.ts';
import { currentPageFaults } from '#infra/verify/harness/browser/sitemap.ts';
import { accountCredentials, openAccount } from '#services/sandbox-provider/testing/account.ts';

const { api_key: goodKey, callback_secret: secret } = accountCredentials('second');
const wrongKey = 'an-unknown-api-key';

inBrowser('an account with a provider in the console', () => {
  const browser = useBrowser();
  const stack = browserStack();
  let shopId: string;
  beforeAll(async () => {
    ({ shopId } = await openShop(createTestOperator(stack), { name: 'Tea', routes: [] }));
    await openAccount(stack.urls.sandbox, 'second');
  });

  const row = (page: Page) => page.getByRole('row', { name: /second/ });

  it('is added by an admin, checked, and used by a route (R23.1)', async () => {
    const page = await browser.open({ expectedFaults: /400 / });
    await openAsOperator(page, stack, '/providers');
    await title(page, 'Providers');
    await page
      .getByRole('row', { name: /sandbox/ })
      .first()
      .getByRole('link', { name: 'Accounts' })
      .click();
    await title(page, 'sandbox: Accounts');
    await page.getByRole('row', { name: /default/ }).waitFor();

    await followLink(page, 'Add an account');
    await page.getByLabel('Account', { exact: true }).fill('Second!');
    await page.getByLabel('Label').fill('Second contract');
    await page.getByLabel('API key').fill(wrongKey);
    await page.getByLabel('Secret that signs callbacks').fill(secret);
    await press(page, 'Add an account');
    await page.getByRole('alert').getByText('small letters').waitFor();
    // A typed secret is not sent back.
    expect(await page.content()).not.toContain(wrongKey);
    expect(await axeFaults(page)).toEqual([]);
    await page.getByLabel('Account', { exact: true }).fill('second');
    await page.getByLabel('API key').fill(wrongKey);
    await page.getByLabel('Secret that signs callbacks').fill(secret);
    await press(page, 'Add an account');
    await page.getByRole('alert').getByText('ProviderAccountAdded').waitFor();
    expect(await page.content()).not.toContain(wrongKey);

    await row(page).getByRole('link', { name: 'Check the key' }).click();
    await page.getByText('The provider refuses the key.').waitFor();
    await row(page).getByRole('link', { name: 'Replace the credentials' }).click();
    await page.getByLabel('API key').fill(goodKey);
    await page.getByLabel('Secret that signs callbacks').fill(secret);
    await press(page, 'Replace the credentials');
    await page.getByRole('alert').getByText('ProviderAccountCredentialsReplaced').waitFor();
    await row(page).getByRole('link', { name: 'Check the key' }).click();
    await page.getByText('The provider accepts the key.').waitFor();
    expect(await axeFaults(page)).toEqual([]);

    await page.goto(`${stack.urls.admin}/shops/${shopId}/routes/edit`);
    await press(page, 'Add a route');
    await page.getByLabel('Type of operation').selectOption('payment');
    await page.getByLabel('Method').selectOption('WT_RUB_C2C');
    await page.getByLabel('Provider', { exact: true }).selectOption('sandbox');
    await page.getByLabel('Account with the provider').selectOption('sandbox/second');
    await page.getByLabel('Commission, %').fill('2.50');
    await press(page, 'Continue');
    await page.getByText('Payment WT_RUB_C2C → sandbox/second, Priority 1, 2.50%').waitFor();
    await press(page, 'Replace the routes');
    await page.getByRole('alert').getByText('RoutesReplaced').waitFor();
    await page.getByRole('cell', { name: 'sandbox/second' }).waitFor();
  });

  it('is switched off and removed with reasons, on a phone in dark mode', async () => {
    const viewport = { width: 390, height: 844 };
    const page = await browser.open({ viewport, colorScheme: 'dark' });
    await openAsOperator(page, stack, '/providers/sandbox/accounts');
    for (const [open, act, event] of [
      ['Switch off', 'Switch off', 'ProviderAccountSwitchedOff'],
      ['Remove', 'Remove', 'ProviderAccountRemoved'],
    ] as const) {
      await row(page).getByRole('link', { name: open }).click();
      await page.getByLabel('Reason').fill('the contract has ended');
      await press(page, 'Continue');
      await press(page, act);
      await page.getByRole('alert').getByText(event).waitFor();
    }
    await row(page).getByText('the contract has ended').waitFor();
    // It is still polled about its last operations, so its key may have to be replaced.
    expect(await row(page).getByRole('link').allTextContents()).toEqual([
      'Check the key',
      'Replace the credentials',
    ]);
    await page.goto(`${stack.urls.admin}/providers/sandbox/accounts?lang=ru`);
    expect(await currentPageFaults(page)).toEqual([]);
  });
});
