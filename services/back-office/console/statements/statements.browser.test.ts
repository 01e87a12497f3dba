import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { avoidMidnight } from '#infra/verify/harness/tests/avoid-midnight.ts';
import {
  browserStack,
  followLink,
  inBrowser,
  press,
  openAsOperator,
  title,
  useBrowser,
} from '#infra/verify/harness/browser/browser.ts';
import { currentPageFaults } from '#infra/verify/harness/browser/sitemap.ts';
import { dayAfter, newestDay } from '#shared/application/statements/days.ts';
import { camt053File } from '#shared/application/statements/testing/bank-files.ts';

// The day must not change during these tests.
await avoidMidnight();

// Older than the days that the processor fetches.
const [fileDay, fetchDay] = [-12, -10].map((back) => dayAfter(newestDay(Date.now()), back)) as [
  string,
  string,
];
const lines = (amount: string, completedAt = `${fileDay}T10:00:00Z`) =>
  [
    'kind,direction,leg_id,amount,currency,completed_at',
    `transfer,in,t-1001,100.00,RUB,${fileDay}T09:00:00Z`,
    `transfer,out,t-1002,${amount},RUB,${completedAt}`,
    `fee,out,f-17,3.00,RUB,${fileDay}T11:00:00Z`,
  ].join('\n');

const csv = { name: 'day.csv', mimeType: 'text/csv' };

inBrowser('providers’ statements in the console', () => {
  const browser = useBrowser();
  const stack = browserStack();

  const choose = (page: Page, text: string) =>
    page.getByLabel('File', { exact: true }).setInputFiles({ ...csv, buffer: Buffer.from(text) });
  it('an admin imports a corrected file, which need not be chosen again when another field is corrected', async () => {
    const page = await browser.open({ expectedFaults: /400 / });
    await openAsOperator(page, stack, '/statements');
    await title(page, 'Statements');
    await page.getByRole('heading', { name: 'Days without a statement' }).waitFor();

    await followLink(page, 'Import a file');
    await page.getByLabel('Account with the provider').selectOption('sandbox/default');
    await page.getByLabel('Currency').selectOption('RUB');
    await page.getByLabel('Day').fill(fileDay);
    await page.getByLabel('Opening balance').fill('0.00');
    await page.getByLabel('Closing balance').fill('57.00');
    await choose(page, lines('1e2', 'yesterday').replace('100.00', '100'));
    await press(page, 'Continue');
    const alert = page.getByRole('alert');
    await alert.getByText('Lines with errors: 2').waitFor();
    await page.getByRole('row', { name: /^3 amount give the amount/ }).waitFor();
    expect(await currentPageFaults(page)).toEqual([]);

    await choose(page, lines('40.00'));
    await press(page, 'Continue');
    await page.getByText('Nothing has changed yet').waitFor();
    await page.getByText('match the lines').waitFor();
    expect(await currentPageFaults(page)).toEqual([]);
    // The uploaded file is retained while another field is corrected.
    await press(page, 'Edit');
    await page.getByText('The file is already uploaded').waitFor();
    await page.getByLabel('Closing balance').fill('58.00');
    await press(page, 'Continue');
    await page.getByText(/closing balance by the lines/).waitFor();
    await press(page, 'Import the statement');
    await alert.getByText('StatementImported').waitFor();
    await title(page, `sandbox, RUB, ${fileDay}`);
    await page.getByRole('heading', { name: 'The balance does not add up: 1' }).waitFor();
    await page.getByRole('heading', { name: 'The provider’s fee: 1' }).waitFor();

    expect(await currentPageFaults(page)).toEqual([]);
  });

  it.each([
    {
      language: 'en',
      width: 1280,
      next: 'Continue',
      leftOut: /^9, USD: another currency, lines: 6/,
    },
    { language: 'ru', width: 390, next: 'Дальше', leftOut: /^9, USD: валюта другая, строк: 6/ },
  ])(
    'a bank’s file is shown before it counts: $language, $width px (R22.19)',
    async ({ language, width, next, leftOut }) => {
      const page = await browser.open({ viewport: { width, height: 844 } });
      await openAsOperator(page, stack, '/statements');
      const of = `account=sandbox%2Fdefault&currency=RUB&day=${fetchDay}`;
      await page.goto(`${stack.urls.admin}/statements/import?${of}&lang=${language}`);
      const [begin, own = '', end] = camt053File.split(/(?=<Stmt>)|(?<=<\/Stmt>)/);
      const other = own.replace('40702810900000001234', '9').replaceAll('RUB', 'USD');
      const bytes = [begin, own, other, end].join('').replaceAll('2026-01-31', fetchDay);
      await page
        .locator('input[type=file]')
        .setInputFiles({ name: 'day.xml', mimeType: 'text/xml', buffer: Buffer.from(bytes) });
      await press(page, next);
      await page.getByText(leftOut).waitFor();
      await page.getByText(/\+ .*1[ ,\u{A0}\u{202F}]140[.,]50.* = /u).waitFor();
      expect(await currentPageFaults(page)).toEqual([]);
    },
  );

  it('an invalid file is explained in Russian, on a phone in dark mode', async () => {
    const viewport = { width: 390, height: 844 };
    const page = await browser.open({ viewport, colorScheme: 'dark', expectedFaults: /400 / });
    await openAsOperator(page, stack, '/statements');
    const of = `account=sandbox%2Fdefault&currency=RUB&day=${fetchDay}`;
    await page.goto(`${stack.urls.admin}/statements/import?${of}&lang=ru`);
    await page
      .getByLabel('Файл', { exact: true })
      .setInputFiles({ ...csv, buffer: Buffer.from('day;amount\n1;2') });
    await press(page, 'Дальше');
    await page.getByText(/назовите в первой строке столбцы/).waitFor();
    expect(await currentPageFaults(page)).toEqual([]);
  });
});
