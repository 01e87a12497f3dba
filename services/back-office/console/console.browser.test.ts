import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import {
  axeFaults,
  browserStack,
  follow,
  inBrowser,
  press,
  recordedEvents,
  signIn,
  title,
  useBrowser,
} from '#infra/verify/harness/browser.ts';
import { request } from '#infra/verify/harness/merchant.ts';
import { currencies } from '#shared/domain/methods/index.ts';
import { dayAfter } from '#shared/application/statements/days.ts';
import {
  contextOf,
  currentPageFaults,
  faultsOf,
  screenVariants,
} from '#infra/verify/harness/sitemap.ts';
import { adminOf } from './testing/busy-gateway.ts';

const maxPageBytes = 150_000;

inBrowser('the console in a browser', () => {
  const browser = useBrowser();
  const stack = browserStack();
  const admin = adminOf(stack);

  const open = (path: string) => `${stack.urls.admin}${path}`;

  describe('journeys', () => {
    it('an admin signs in, sets up a shop with a route and a key, and revokes the key', async () => {
      const permissions = ['clipboard-read', 'clipboard-write'];
      const page = await browser.open({ permissions, expectedFaults: /40[01] / });
      await page.goto(open('/shops'));
      await page.getByLabel('Token').fill('a-token-of-nobody');
      await press(page, 'Sign in').catch(() => undefined);
      await page.getByText('This token is not valid').waitFor();
      await page.getByLabel('Token').fill(stack.adminToken);
      await press(page, 'Sign in');
      await title(page, 'Shops');

      await follow(page, 'New merchant');
      await page.getByLabel('Name').fill('Harbour Tea');
      await press(page, 'Continue');
      await press(page, 'Create the merchant');
      await title(page, 'New shop');
      expect(await recordedEvents(page)).toMatch(
        /MerchantCreated merchant-[0-9a-f-]{36} revision 0/,
      );
      await page.getByLabel('Name', { exact: true }).fill('Tea');
      await page.getByLabel('Name shown to payers').fill('Harbour Tea & Co');
      await page.getByLabel('Support for payers').fill('+44 20 7946 0000');
      const returnTo = page.getByLabel('Return to the shop');
      await returnTo.fill('https://{operation_id}.example/');
      // A limit, or “Unlimited”, has to be entered.
      await page.getByLabel('Overdraft limit, RUB').fill('500.00');
      for (const currency of currencies.filter((each) => each !== 'RUB'))
        await page.getByLabel(`Overdraft limit, ${currency}`, { exact: true }).fill('Unlimited');
      await press(page, 'Continue');
      await page.getByRole('alert').getByText('may hold placeholders in its path').waitFor();
      await returnTo.fill('https://tea.example/orders/{merchant_operation_id}');
      await press(page, 'Continue');
      await press(page, 'Create the shop');
      await title(page, 'Tea');
      expect(await recordedEvents(page)).toMatch(/ShopCreated shop-[0-9a-f-]{36} revision 0/);
      for (const shown of ['Harbour Tea & Co', '+44 20 7946 0000', 'https://tea.example/orders/'])
        await page.getByText(shown).waitFor();
      const shop = page.url();

      await page.goto(`${shop}/routes/edit`);
      await press(page, 'Add a route');
      await page.getByLabel('Type of operation').selectOption('payment');
      await page.getByLabel('Method').selectOption('WT_RUB_C2C');
      await page.getByLabel('Provider', { exact: true }).selectOption('sandbox');
      const percent = page.getByLabel('Commission, %');
      await percent.fill('two and a half');
      await press(page, 'Continue');
      await page.getByRole('alert').getByText('must be a decimal percentage').waitFor();
      expect(await percent.getAttribute('aria-invalid')).toBe('true');
      expect(await axeFaults(page)).toEqual([]);
      // Enter continues, and removes no route.
      await percent.fill('2.50');
      await percent.press('Enter');
      await page.getByText('Payment WT_RUB_C2C → sandbox, Priority 1, 2.50 %').waitFor();
      await page.getByText('there is nothing to estimate').waitFor();
      await press(page, 'Replace the routes');
      await title(page, 'Tea');
      expect(await recordedEvents(page)).toMatch(/RoutesReplaced shop-[0-9a-f-]{36} revision 1/);

      await follow(page, 'Which route?');
      await page.getByLabel('Amount').fill('100.00');
      await press(page, 'Show');
      await page.getByRole('row', { name: /WT_RUB_C2C → sandbox/ }).waitFor();
      await page.goto(shop);

      await follow(page, 'New key');
      await page.getByLabel('Label').fill('till 1');
      await press(page, 'Continue');
      await page.getByText('Nothing has changed yet').waitFor();
      await press(page, 'Issue the key');
      await title(page, 'Tea');
      expect(await recordedEvents(page)).toMatch(/ApiKeyIssued shop-[0-9a-f-]{36} revision 2/);
      const key = (await page.locator('.secret code').textContent()) ?? '';
      expect(key).toMatch(/^gw_\w{40}$/);
      await page.getByRole('button', { name: 'Copy API key' }).click();
      await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toBe(key);
      const pay = async () => {
        const response = await fetch(`${stack.urls.gateway}/v1/get_balances`, {
          headers: { 'x-api-key': key },
        });
        return response.status;
      };
      expect(await pay()).not.toBe(401);
      await page.reload();
      expect(await page.content()).not.toContain(key);

      await follow(page, 'Revoke');
      await press(page, 'Revoke the key');
      await title(page, 'Tea');
      expect(await recordedEvents(page)).toMatch(/ApiKeyRevoked shop-[0-9a-f-]{36} revision 3/);
      expect(await pay()).toBe(401);
    });

    it('an operator decides on receipts, and is offered no action of an admin', async () => {
      const { token } = await admin<{ token: string }>('POST', '/tokens', {
        name: 'oleg',
        role: 'operator',
      });
      const viewport = { width: 390, height: 844 };
      const page = await browser.open({ viewport, expectedFaults: /400 / });
      await signIn(page, stack, '/', token);
      await follow(page, 'Manual check');
      await title(page, 'Manual check');
      const [first = '', second = ''] = stack.day.flagged;
      await page.goto(open(`/review?operation=${first}`));
      await page.locator(`iframe[src^="/operations/${first}/receipts/"]`).waitFor();
      // No decision is preselected.
      expect(await page.locator('#a-decision').inputValue()).toBe('');
      await page.locator('#a-decision').selectOption('approve');
      await page.getByLabel('Amount on the receipt').fill('1490.001');
      await page.getByLabel('Note').fill('seen on the account');
      await press(page, 'Continue');
      await page.getByText('Please correct these fields').waitFor();
      await page.getByLabel('Amount on the receipt').fill('1000.00');
      await press(page, 'Continue');
      await page.getByText('Credited to the shop').waitFor();
      expect(await page.locator('.outcome .figure-large').textContent()).toContain('969.00');
      await press(page, 'Confirm the decision');
      await title(page, 'Manual check');
      expect(await recordedEvents(page)).toContain(`ReviewDecided operation-${first} revision`);
      expect(await recordedEvents(page)).toContain('OperationPartiallyCompleted');
      // The next one is open, and the decided one has left the list.
      await page.locator(`iframe[src^="/operations/${second}/receipts/"]`).waitFor();
      expect(await page.locator(`a[href="/review?operation=${first}"]`).count()).toBe(0);
      await page.goto(open(`/review?operation=${second}`));
      await page.locator('#a-decision').selectOption('decline');
      await page.getByLabel('Note').fill('forged');
      await press(page, 'Continue');
      await press(page, 'Confirm the decision');
      expect(await recordedEvents(page)).toContain('OperationDeclined');
      const answer = await admin('GET', `/operations/${second}`);
      expect(answer).toMatchObject({ status: 'declined', decline_reason: 'receipt_rejected' });

      await page.goto(open(`/shops/${stack.day.shopId}`));
      await title(page, 'Books');
      expect(await page.getByRole('link', { name: /New key|Revoke|Edit|Rotate/ }).count()).toBe(0);
      expect(await page.getByRole('link', { name: 'Ping' }).count()).toBe(1);
    });

    it('an admin sees a picture, and decides on several receipts by keyboard', async () => {
      const page = await browser.open();
      await signIn(page, stack, '/review');
      const [, , picture = '', fourth = '', fifth = ''] = stack.day.flagged;
      await page.goto(open(`/review?operation=${picture}`));
      await page.locator('.receipt img').waitFor();
      await expect
        .poll(() => page.evaluate("document.querySelector('.receipt img').naturalWidth"))
        .toBe(360);
      const chosen = (id: string) =>
        page.locator(`a[href="/review?operation=${id}"][aria-current]`).waitFor();
      await page.keyboard.press('j');
      await chosen(fourth);
      await page.keyboard.press('k');
      await chosen(picture);
      // The same key on a Russian keyboard.
      await page.evaluate(
        "dispatchEvent(new KeyboardEvent('keydown', { key: 'о', code: 'KeyJ' }))",
      );
      await chosen(fourth);
      await page.locator(`input[value="${picture}"]`).check();
      await page.locator(`input[value="${picture}"]`).uncheck();
      // Keys also work while a checkbox has the focus.
      await page.keyboard.press('x');
      expect(await page.locator(`input[value="${fourth}"]`).isChecked()).toBe(true);
      await page.locator(`input[value="${fifth}"]`).check();
      await press(page, 'Decide on the selected');
      await title(page, 'Decide on several receipts');
      await page.locator('#a-decision').selectOption('approve');
      await page.getByLabel('Note').fill('all seen on the account');
      await page.getByLabel(`Amount on the receipt, ${fourth}`).fill('7000.00');
      await page.getByLabel('Every receipt without an entered amount').check();
      await press(page, 'Continue');
      // 7,000 and 349, less 3 % and one rouble each.
      expect(await page.locator('.figure-large').textContent()).toContain('7,126.53');
      expect(await axeFaults(page)).toEqual([]);
      await press(page, 'Confirm decisions: 2');
      await title(page, 'Manual check');
      const report = await recordedEvents(page);
      expect(report).toContain('Decisions recorded: 2 of 2');
      expect(report).toContain(`ReviewDecided operation-${fourth}`);
      expect(report).toContain(`ReviewDecided operation-${fifth}`);
    });

    it('a list announces new rows while it is visible and in use, and does not poll otherwise', async () => {
      const page = await browser.open({ timezoneId: 'Asia/Tokyo' });
      await page.clock.install();
      await signIn(page, stack, `/operations?shop=${stack.day.shopId}`);
      await page.getByText('Times are in Asia/Tokyo').waitFor();
      const polls: string[] = [];
      page.on('request', (sent) => {
        if (sent.headers()['x-live'] !== undefined) polls.push(sent.url());
      });
      const responses: string[] = [];
      page.on('response', (response) => {
        if (response.request().headers()['x-live'] !== undefined) responses.push(response.url());
      });
      const { body } = await request(
        `${stack.urls.gateway}/v1/payment`,
        'POST',
        {
          merchant_operation_id: 'order-while-one-looks',
          client_id: 'client-1',
          method: 'WT_RUB_C2C',
          amount: '4321.00',
          currency: 'RUB',
        },
        stack.day.key,
      );
      const id = body.operation_id;
      await expect
        .poll(async () => {
          await page.mouse.move(10, 10 + polls.length);
          await page.clock.runFor(15_000);
          // The page's clock stops until the response is there: the next delay depends on how long
          // it took.
          await expect.poll(() => responses.length).toBe(polls.length);
          return page.getByRole('button', { name: '1 new' }).count();
        })
        .toBe(1);
      expect(await axeFaults(page)).toEqual([]);
      expect(await page.locator(`[data-row="${id}"]`).count()).toBe(0);
      await press(page, '1 new');
      await page.locator(`[data-row="${id}"]`).waitFor();
      // Without input, it stops polling after ten minutes.
      await page.clock.runFor(11 * 60_000);
      const before = polls.length;
      await page.clock.runFor(60 * 60_000);
      expect(polls.length).toBe(before);
      await page.mouse.move(10, 10);
      await page.clock.runFor(1_000);
      await expect.poll(() => polls.length).toBe(before + 1);
      const hide = (hidden: boolean) =>
        page.evaluate(
          `Object.defineProperty(document, 'hidden', { configurable: true, value: ${hidden} }); document.dispatchEvent(new Event('visibilitychange'))`,
        );
      await hide(true);
      await page.clock.runFor(5 * 60_000);
      expect(polls.length).toBe(before + 1);
      await hide(false);
      await page.clock.runFor(1_000);
      await expect.poll(() => polls.length).toBe(before + 2);
    });

    it('an admin on a phone searches from any page, sees the amount in the row, and saves a filter', async () => {
      const page = await browser.open({ viewport: { width: 390, height: 844 } });
      await signIn(page, stack, '/webhooks');
      await page.keyboard.press('/');
      await page.keyboard.type('books 820');
      await page.keyboard.press('Enter');
      await title(page, 'Operations');
      const amount = page.locator('td.amount').first();
      expect(await amount.textContent()).toContain('820.00');
      const box = await amount.boundingBox();
      expect(box && box.x + box.width).toBeLessThanOrEqual(390);
      await page.keyboard.press('/');
      await page.keyboard.type(stack.day.partial.slice(0, 13));
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'State now' }).waitFor();

      await page.goto(open(`/operations?shop=${stack.day.shopId}&status=declined`));
      await page.getByText('Save this filter').click();
      await page.getByLabel('Name').fill('declined books');
      await press(page, 'Save');
      await page.goto(open('/operations'));
      await follow(page, 'declined books');
      await page.waitForURL(/status=declined/);
      expect(await axeFaults(page)).toEqual([]);
      await press(page, 'Delete the filter');
      await page.waitForURL(open('/operations'));
      expect(await page.getByRole('link', { name: 'declined books' }).count()).toBe(0);
    });

    it('an admin resends an exhausted webhook, and then all exhausted ones', async () => {
      const page = await browser.open();
      await signIn(page, stack, '/');
      await page.goto(open(`/shops/${stack.day.deafShopId}/messages?status=exhausted`));
      await expect
        .poll(async () => {
          await page.reload();
          return page.getByRole('link', { name: 'Resend', exact: true }).count();
        })
        .toBeGreaterThan(0);
      await follow(page, /^Resend$/);
      await press(page, 'Resend');
      await title(page, 'Webhook deliveries: Игры');
      expect(await recordedEvents(page)).toMatch(
        /WebhookRedeliveryRequested webhook-commands revision \d+/,
      );
      await expect
        .poll(async () => {
          await page.reload();
          return page.getByText(/^▸? ?4 ·|4 ·/).count();
        })
        .toBeGreaterThan(0);
      await expect
        .poll(async () => {
          await page.reload();
          return page.getByRole('link', { name: 'Resend exhausted' }).count();
        })
        .toBe(1);
      await follow(page, 'Resend exhausted');
      await press(page, 'Continue');
      expect(await page.locator('.outcome').textContent()).toMatch(/Webhooks\s*\d/);
      await press(page, 'Resend');
      expect(await recordedEvents(page)).toMatch(
        /Webhooks being resent: \d+.*WebhookRedeliveriesRequested/,
      );
    });

    it('keyboard shortcuts open sections, rows and their list, but not while typing', async () => {
      const page = await browser.open();
      await signIn(page, stack, '/');
      await page.keyboard.press('g');
      await page.keyboard.press('o');
      await title(page, 'Operations');
      const row = (index: number) => page.locator('tbody tr').nth(index).locator('a').first();
      for (const key of ['j', 'j', 'j', 'k']) await page.keyboard.press(key);
      expect(await page.locator('tbody tr').nth(1).locator('a:focus').count()).toBe(1);
      const href = await row(1).getAttribute('href');
      await page.keyboard.press('Enter');
      await page.waitForURL(open(href ?? ''));

      await page.keyboard.press('?');
      const dialog = page.getByRole('dialog', { name: 'Keys' });
      await dialog.getByText('Manual check').waitFor();
      expect(await axeFaults(page)).toEqual([]);
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'hidden' });
      await page.keyboard.press('/');
      await page.keyboard.type('go?jk');
      expect(await page.getByRole('searchbox').inputValue()).toBe('go?jk');
      expect(page.url()).toBe(open(href ?? ''));
      await page.keyboard.press('Tab');
      // The same keys on a Russian keyboard.
      await page.evaluate(`for (const [key, code] of [['п', 'KeyG'], ['к', 'KeyR']])
        dispatchEvent(new KeyboardEvent('keydown', { key, code }))`);
      await title(page, 'Manual check');
    });

    it('an operation is shown at earlier revisions, by keyboard', async () => {
      const page = await browser.open();
      await signIn(page, stack, '/');
      await page.goto(open('/operations'));
      await page.getByRole('searchbox').fill(stack.day.partial);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'State now' }).waitFor();
      const status = () => page.locator('.state-facts > div').first().textContent();
      expect(await status()).toContain('partially_completed');
      await page.getByRole('link', { name: 'First' }).focus();
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: /State at revision 0 of \d/ }).waitFor();
      expect(await status()).toContain('creating');
      await page.getByRole('link', { name: 'Next', exact: true }).focus();
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: /State at revision 1 of/ }).waitFor();
      await page.getByText('Full event').first().click();
      expect(await page.locator('.events pre').first().textContent()).toContain(
        '"type": "OperationAdmitted"',
      );
    });

    it('an auditor exports a list with the filter of the page', async () => {
      const { token } = await admin<{ token: string }>('POST', '/tokens', {
        name: 'anna',
        role: 'auditor',
      });
      const page = await browser.open();
      await signIn(
        page,
        stack,
        `/operations?shop=${stack.day.shopId}&status=partially_completed`,
        token,
      );
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('link', { name: 'Export CSV' }).click(),
      ]);
      await page.getByText(/^The file is complete, rows: \d/).waitFor();
      expect(download.suggestedFilename()).toMatch(/^operations-.*\.csv$/);
      const [names, ...rows] = (await readFile(await download.path(), 'utf8'))
        .trimEnd()
        .split('\r\n');
      expect(names).toMatch(/^\uFEFFoperation_id,type,status,/);
      expect(rows.map((row) => row.split(',')[2])).toEqual(rows.map(() => 'partially_completed'));
      expect(rows.map((row) => row.split(',')[0])).toContain(stack.day.partial);
    });

    it('an admin works without script, and is signed out when the token is revoked', async () => {
      const issued = await admin<{ token: string; token_id: string }>('POST', '/tokens', {
        name: 'vera',
        role: 'admin',
      });
      const page = await browser.open({ javaScriptEnabled: false });
      await signIn(page, stack, '/suspense', issued.token);
      await follow(page, 'Resolve');
      await page.getByLabel('Resolution').selectOption('credit_shop');
      await page.getByLabel('Note').fill('the shop agrees');
      await press(page, 'Continue');
      await press(page, 'Confirm the decision');
      await title(page, 'Suspense');
      expect(await recordedEvents(page)).toContain('EntryPosted ledger-');
      await admin('DELETE', `/tokens/${issued.token_id}`);
      await follow(page, 'Operations');
      await title(page, 'Sign in');
    });
  });

  describe('all pages', () => {
    const sections = {
      operations: () => [
        '/',
        '/?range=month',
        '/operations',
        '/operations?q=client-1',
        '/operations?status=creating',
        `/operations/${stack.day.partial}`,
        `/operations/${stack.day.partial}?revision=1`,
        `/operations/${stack.day.flagged[2]}`,
        '/review',
        `/review?operation=${stack.day.flagged[2]}`,
        `/review/several?operation=${stack.day.flagged[2]}`,
        '/suspense',
      ],
      shops: () => {
        const { shopId, deafShopId } = stack.day;
        return [
          '/shops',
          `/shops/${shopId}`,
          '/shops/new',
          `/shops/${shopId}/settings`,
          `/shops/${shopId}/keys/new`,
          `/shops/${shopId}/routes/edit`,
          `/shops/${shopId}/routes/try?type=payment&method=WT_RUB_C2C&amount=1.00&currency=RUB`,
          `/shops/${shopId}/webhook/edit`,
          `/shops/${shopId}/webhook/rotate`,
          `/shops/${deafShopId}/messages`,
          `/shops/${shopId}/messages/redeliver`,
          `/shops/${shopId}/ledger/RUB`,
          `/shops/${shopId}/adjustments/new`,
          '/webhooks',
          '/balances',
        ];
      },
      'the gateway itself': () => {
        const day = stack.day.statementDay;
        const of = `account=sandbox%2Fdefault&currency=RUB&day=${day}`;
        return [
          '/providers',
          '/providers/sandbox/accounts',
          '/providers/sandbox/accounts/new',
          '/statements',
          `/statements/sandbox/default/RUB/${day}`,
          `/statements/sandbox/default/RUB/${dayAfter(day, 1)}`,
          `/statements/import?${of}`,
          `/statements/ask?${of}`,
          '/projections',
          '/activity',
          '/activity?operator=anna&kind=ShopCreated',
          '/audits',
          '/operators',
          '/operators/new',
          '/nothing-here',
        ];
      },
    };

    const each = screenVariants.flatMap((look) =>
      (['operations', 'shops', 'the gateway itself'] as const).map(
        (section) => [section, ...look] as const,
      ),
    );
    it.each(each)(
      'of %s have no faults in %s, %s, on a screen that is %s',
      async (section, ...look) => {
        const page = await browser.open({ ...contextOf(look), expectedFaults: /404/ });
        await page.goto(open('/sign-in'));
        expect(await currentPageFaults(page)).toEqual([]);
        await page.locator('#token').fill(stack.adminToken);
        await page.locator('main button').click();
        await page.getByRole('navigation').first().waitFor();
        const [language] = look;
        const urls = sections[section]().map(open);
        expect(await faultsOf(page, urls, { language, maxBytes: maxPageBytes })).toEqual({});
      },
    );
  });
});
