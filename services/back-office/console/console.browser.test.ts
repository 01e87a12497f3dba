import { describe, expect, it } from 'vitest';
import {
  axeFaults,
  browserStack,
  followLink,
  inBrowser,
  press,
  recordedEvents,
  openAsOperator,
  title,
  useBrowser,
} from '#infra/verify/harness/browser/browser.ts';
import { request } from '#infra/verify/harness/shops/merchant.ts';
import { currencies } from '#shared/domain/currencies.ts';
import { dayAfter } from '#shared/application/statements/days.ts';
import { readFaultMessages, readFaults } from '#infra/verify/harness/browser/read-faults.ts';
import {
  browserContext,
  currentPageFaults,
  findPageFaults,
  screenVariants,
} from '#infra/verify/harness/browser/sitemap.ts';
import { listPages } from '../frame/site-map.ts';
import { fillPath } from '../testing/fill-path.ts';
import { consoleSections } from './pages.ts';

const maxPageBytes = 150_000;

inBrowser('the console in a browser', () => {
  const browser = useBrowser();
  const stack = browserStack();

  const open = (path: string) => `${stack.urls.admin}${path}`;

  const createPayment = async (order: string): Promise<string> => {
    const payment = {
      merchant_operation_id: order,
      client_id: 'client-1',
      method: 'WT_RUB_C2C',
      amount: '4321.00',
      currency: 'RUB',
    };
    const { urls, day } = stack;
    const { body } = await request(`${urls.gateway}/v1/payment`, 'POST', payment, day.key);
    return body.operation_id;
  };

  describe('journeys', () => {
    it('an admin signs in, sets up a shop with a route and a key, and revokes the key', async () => {
      const permissions = ['clipboard-read', 'clipboard-write'];
      const page = await browser.open({ permissions, expectedFaults: /40[01] / });
      await page.goto(open('/shops'));
      await page.getByLabel('Token').fill('an-unknown-token');
      await press(page, 'Sign in').catch(() => undefined);
      await page.getByText('This token is not valid').waitFor();
      await page.getByLabel('Token').fill(stack.adminToken);
      await press(page, 'Sign in');
      await title(page, 'Shops');

      await followLink(page, 'New merchant');
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
      await page.getByText('Payment WT_RUB_C2C → sandbox, Priority 1, 2.50%').waitFor();
      await page.getByText('there is nothing to estimate').waitFor();
      await press(page, 'Replace the routes');
      await title(page, 'Tea');
      expect(await recordedEvents(page)).toMatch(/RoutesReplaced shop-[0-9a-f-]{36} revision 1/);

      await followLink(page, 'New key');
      await page.getByLabel('Label').fill('till 1');
      await page.getByLabel('Everything').check();
      await press(page, 'Continue');
      await page.getByText('Nothing has changed yet').waitFor();
      await press(page, 'Issue the key');
      await title(page, 'Tea');
      expect(await recordedEvents(page)).toMatch(/ApiKeyIssued shop-[0-9a-f-]{36} revision 2/);
      const key = (await page.locator('.secret code').textContent()) ?? '';
      expect(key).toMatch(/^gw_\w{40}$/);
      await page.getByRole('button', { name: 'Copy API key' }).click();
      await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toBe(key);
      await page.reload();
      expect(await page.content()).not.toContain(key);

      await followLink(page, 'Revoke');
      await press(page, 'Revoke the key');
      await title(page, 'Tea');
      expect(await recordedEvents(page)).toMatch(/ApiKeyRevoked shop-[0-9a-f-]{36} revision 3/);
    });

    it('an admin sees a picture, and decides on several receipts by keyboard', async () => {
      const page = await browser.open();
      await openAsOperator(page, stack, '/review');
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
      expect(await axeFaults(page)).toEqual([]);
    });

    it('a list announces new rows while it is visible and in use, and does not poll otherwise', async () => {
      const page = await browser.open({ timezoneId: 'Asia/Tokyo' });
      await page.clock.install();
      await openAsOperator(page, stack, `/operations?shop=${stack.day.shopId}`);
      await page.getByText('Times are in Asia/Tokyo').waitFor();
      const polls: string[] = [];
      page.on('request', (sent) => {
        if (sent.headers()['x-live'] !== undefined) polls.push(sent.url());
      });
      const responses: string[] = [];
      page.on('response', (response) => {
        if (response.request().headers()['x-live'] !== undefined) responses.push(response.url());
      });
      const id = await createPayment('order-while-one-looks');
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

    it.for(readFaults)(
      'while the server %s, a list shows that, and then what is new (R16.18)',
      async ([name, fault]) => {
        const page = await browser.open({ expectedFaults: readFaultMessages });
        await openAsOperator(page, stack, `/operations?shop=${stack.day.shopId}`);
        const end = await fault(page);
        await createPayment(`order-while-it-${name}`);
        await page.getByRole('alert').getByText('may be out of date').waitFor();
        expect(await axeFaults(page)).toEqual([]);
        await end();
        await page.getByRole('button', { name: /^\d+ new$/ }).waitFor();
        await page.getByText('may be out of date').waitFor({ state: 'hidden' });
      },
    );

    it('a list shows that it is updated no more once its reader is signed out', async () => {
      const page = await browser.open();
      await openAsOperator(page, stack, `/operations?shop=${stack.day.shopId}`);
      await page.context().clearCookies();
      const alert = page.getByRole('alert').getByText('Updates have stopped: sign in again.');
      await alert.waitFor();
      expect(await alert.isVisible()).toBe(true);
    });

    it('an admin on a phone searches from any page, and sees the amount in the row', async () => {
      const page = await browser.open({ viewport: { width: 390, height: 844 } });
      await openAsOperator(page, stack, '/webhooks');
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
    });

    it('keyboard shortcuts open sections, rows and their list, but not while typing', async () => {
      const page = await browser.open();
      await openAsOperator(page, stack, '/');
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
  });

  describe('all pages', () => {
    const ofOperations = ['/', '/operations', '/review', '/suspense'];
    const ofShops = ['/shops', '/webhooks', '/balances'];
    /** The pages of the table, other states of them, and forms. */
    const sections = {
      operations: () => [
        ...pagesOf((section) => ofOperations.includes(section)),
        '/?range=month',
        '/operations?q=client-1',
        '/operations?status=creating',
        `/operations/${stack.day.partial}?revision=1`,
        `/operations/${stack.day.flagged[2]}`,
        `/review?operation=${stack.day.flagged[2]}`,
        `/review/several?operation=${stack.day.flagged[2]}`,
      ],
      shops: () => {
        const { shopId, deafShopId } = stack.day;
        return [
          ...pagesOf((section) => ofShops.includes(section)),
          '/shops/new',
          `/shops/${shopId}/settings`,
          `/shops/${shopId}/keys/new`,
          `/shops/${shopId}/routes/edit`,
          `/shops/${shopId}/routes/try?type=payment&method=WT_RUB_C2C&amount=1.00&currency=RUB`,
          `/shops/${shopId}/webhook/edit`,
          `/shops/${shopId}/webhook/rotate`,
          `/shops/${deafShopId}/messages`,
          `/shops/${shopId}/messages/redeliver`,
          `/shops/${shopId}/adjustments/new`,
        ];
      },
      'the gateway itself': () => {
        const day = stack.day.statementDay;
        const of = `account=sandbox%2Fdefault&currency=RUB&day=${day}`;
        return [
          ...pagesOf((section) => ![...ofOperations, ...ofShops].includes(section)),
          '/providers/sandbox/accounts/new',
          `/statements/sandbox/default/RUB/${dayAfter(day, 1)}`,
          `/statements/import?${of}`,
          `/statements/ask?${of}`,
          '/activity?operator=anna&kind=ShopCreated',
          '/audits/1',
          '/operators/new',
          '/nothing-here',
        ];
      },
    };

    /** Without receipts, which are files. */
    function pagesOf(isIn: (section: string) => boolean): string[] {
      const parameters = {
        operation_id: stack.day.partial,
        shop_id: stack.day.shopId,
        provider: 'sandbox',
        account: 'default',
        currency: 'RUB',
        day: stack.day.statementDay,
        audit: '0',
      };
      return listPages(consoleSections)
        .filter(({ page, section }) => isIn(section.path) && !page.path.endsWith('/:receipt_id'))
        .map(({ page }) => fillPath(page.path, parameters));
    }

    const each = screenVariants.flatMap((look) =>
      (['operations', 'shops', 'the gateway itself'] as const).map(
        (section) => [section, ...look] as const,
      ),
    );
    it.each(each)(
      'of %s have no faults in %s, %s, on a screen that is %s',
      async (section, ...look) => {
        const page = await browser.open({ ...browserContext(look), expectedFaults: /404/ });
        await page.goto(open('/sign-in'));
        expect(await currentPageFaults(page)).toEqual([]);
        await page.locator('#token').fill(stack.adminToken);
        await page.locator('main button').click();
        await page.getByRole('navigation').first().waitFor();
        const [language] = look;
        const urls = sections[section]().map(open);
        expect(await findPageFaults(page, urls, { language, maxBytes: maxPageBytes })).toEqual({});
      },
    );
  });
});
