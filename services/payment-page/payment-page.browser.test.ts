import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page, Route } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, type TestContext } from 'vitest';
import {
  axeFaults,
  browserStack,
  inBrowser,
  useBrowser,
} from '#infra/verify/harness/browser/browser.ts';
import { readFaultMessages, readFaults } from '#infra/verify/harness/browser/read-faults.ts';
import { makeTempFolder, removeFolder } from '#infra/verify/harness/processes/temp-folder.ts';
import { setUpPayments, type Payments } from './testing/payer.ts';

const pdf = (text = 'a receipt') => ({
  name: 'receipt.pdf',
  mimeType: 'application/pdf',
  buffer: Buffer.from(`%PDF-1.4\n${text}`),
});

inBrowser('the hosted page in a browser', () => {
  const browser = useBrowser();
  const stack = browserStack();
  let payments: Payments;
  beforeAll(async () => {
    payments = await setUpPayments(stack);
  });
  afterAll(() => payments?.close());

  const heading = (page: Page) => page.getByRole('heading', { level: 1 });
  /** A mark on the document, which a reload would remove. */
  const mark = (page: Page) => page.evaluate("document.documentElement.dataset.opened = 'once'");
  const isMarked = (page: Page) =>
    page.evaluate("document.documentElement.dataset.opened === 'once'");

  describe('journeys', () => {
    it('a payer copies the details, transfers, and sees that the payment is paid', async () => {
      const payment = await payments.make({ expiresInS: 900 });
      const page = await browser.open({ permissions: ['clipboard-read', 'clipboard-write'] });
      await page.goto(payment.url);
      await mark(page);
      await expect.poll(() => heading(page).textContent()).toMatch(/To pay\s+₽1,234\.50/);
      expect(await page.locator('.countdown').textContent()).toMatch(/Time left\s+1[45]:\d\d/);

      const clipboard = () => page.evaluate('navigator.clipboard.readText()');
      await page.getByRole('button', { name: 'Copy the number' }).click();
      await expect.poll(clipboard).toBe(payment.number);
      await page.getByRole('button', { name: 'Copied', exact: true }).waitFor();
      await page.getByRole('button', { name: 'Copy the amount' }).click();
      await expect.poll(clipboard).toBe('1234.50');

      await payments.control(payment, 'leg', { amount: '1000.00' });
      await page.getByText('Received ₽1,000.00').waitFor();
      expect(await heading(page).textContent()).toMatch(/Left to pay\s+₽234\.50/);
      await payments.control(payment, 'settle', { result: 'completed' });
      await page.getByRole('heading', { name: 'Paid', exact: true }).waitFor();
      expect(await page.title()).toMatch(/^Paid: ₽1,234\.50/);
      expect(await page.getByRole('status').textContent()).toMatch(/^Paid: ₽1,234\.50/);
      expect(await page.content()).not.toContain(payment.number);
      expect(await isMarked(page)).toBe(true);
      expect((await payments.state(payment)).status).toBe('completed');
    });

    it('a payer returns to the shop, which gets only its own operation ID', async () => {
      const payment = await payments.make();
      await payments.cancel(payment);
      const page = await browser.open();
      const requests: (string | undefined)[] = [];
      await page.route('https://tea.example/**', async (route) => {
        requests.push(route.request().url(), route.request().headers()['referer']);
        await route.fulfill({ contentType: 'text/html', body: '<h1>The shop</h1>' });
      });
      await page.goto(payment.url);
      await page.getByRole('banner').getByText('Harbour Tea').waitFor();
      const phone = page.getByRole('link', { name: '+44 20 7946 0000' });
      expect(await phone.getAttribute('href')).toBe('tel:+442079460000');
      const address = page.getByRole('link', { name: 'help@tea.example' });
      expect(await address.getAttribute('href')).toBe('mailto:help@tea.example');
      await page.getByText(payment.order, { exact: true }).waitFor();
      await page.getByText(payment.id, { exact: true }).waitFor();
      expect(requests).toEqual([]);
      await page.getByRole('link', { name: 'Return to the shop' }).click();
      await page.getByRole('heading', { name: 'The shop' }).waitFor();
      expect(requests).toEqual([`https://tea.example/orders/${payment.order}`, undefined]);
    });

    it('a payer is warned of a file that is not a PDF before it is sent, and replaces it', async () => {
      const payment = await payments.make({ receipt: true });
      const page = await browser.open();
      await page.goto(payment.url);
      const choose = (buffer: Buffer) =>
        page.getByLabel('Receipt file').setInputFiles({ ...pdf(), buffer });
      await choose(Buffer.from('a picture, whatever its name says'));
      await page.getByRole('alert').getByText('This is not a PDF').waitFor();
      await page.getByRole('button', { name: 'Send it anyway' }).waitFor();
      await choose(Buffer.alloc(0));
      await page.getByRole('alert').getByText('No file was chosen, or it is empty').waitFor();
      await page.getByRole('button', { name: 'Send receipt' }).click();
      expect((await payments.state(payment)).status).toBe('awaiting_confirmation');
      // With a byte order mark and a blank line before its header, as some banks make them.
      await choose(Buffer.concat([Buffer.from('\ufeff\r\n'), pdf().buffer]));
      await expect.poll(() => page.getByRole('alert').count()).toBe(0);
      await page.getByRole('button', { name: 'Send receipt' }).click();
      await page.getByRole('heading', { name: 'Your receipt is being checked' }).waitFor();
      expect((await payments.state(payment)).status).toBe('awaiting_confirmation');
    });

    it('a payer who is offline keeps the chosen receipt, and sends it later (R15.11)', async () => {
      const payment = await payments.make({ receipt: true });
      const page = await browser.open({ expectedFaults: /ERR_INTERNET_DISCONNECTED/ });
      await page.goto(payment.url);
      await page.getByLabel('Receipt file').setInputFiles(pdf());
      await page.context().setOffline(true);
      await page.getByRole('button', { name: 'Send receipt' }).click();
      await page.getByRole('alert').getByText('the receipt was not sent').waitFor();
      expect((await payments.state(payment)).status).toBe('awaiting_confirmation');
      await page.context().setOffline(false);
      await page.getByRole('button', { name: 'Send receipt' }).click();
      await page.getByRole('heading', { name: 'Your receipt is being checked' }).waitFor();
    });

    it('a chosen file is kept when the state of the page changes', async () => {
      const payment = await payments.make({ receipt: true });
      const page = await browser.open();
      await page.goto(payment.url);
      await page.getByLabel('Receipt file').setInputFiles(pdf());
      await payments.control(payment, 'leg', { amount: '1000.00' });
      await expect.poll(() => heading(page).textContent()).toMatch(/Left to pay\s+₽234\.50/);
      expect(await page.title()).toMatch(/^Left to pay: ₽234\.50/);
      expect(await page.evaluate("document.querySelector('input[type=file]').files[0]?.name")).toBe(
        'receipt.pdf',
      );
      await page.getByRole('button', { name: 'Send receipt' }).click();
      await page.getByRole('heading', { name: 'Your receipt is being checked' }).waitFor();
    });
  });

  // Concurrent, because the page polls only every ten seconds. None of these tests copies, since
  // a browser has one clipboard.
  describe.concurrent('the page', () => {
    describe('updates', () => {
      it('counts down, and shows when the time to pay has run out', async ({
        onTestFinished: whenOver,
      }) => {
        const payment = await payments.make({ expiresInS: 900 });
        const page = await browser.open({ whenOver });
        await page.clock.install();
        await page.goto(payment.url);
        await page.locator('.countdown:not(.soon) b', { hasText: /^1\d:\d\d$/ }).waitFor();
        // Skips to the last minute.
        await page.clock.fastForward('14:30');
        await page.locator('.countdown.soon b', { hasText: /^00:\d\d$/ }).waitFor();
        await payments.control(payment, 'expire', {});
        await page.getByRole('heading', { name: 'The time to pay has run out' }).waitFor();
        await page.locator('[data-payment^="expired"]').waitFor();
        expect(await page.content()).not.toContain(payment.number);
        expect((await payments.state(payment)).status).toBe('expired');
      });

      it('polls when the event stream is unavailable', async ({ onTestFinished: whenOver }) => {
        const payment = await payments.make();
        const page = await browser.open({ whenOver, expectedFaults: /503/ });
        await page.route('**/events?*', (route) => route.fulfill({ status: 503, body: '' }));
        await page.goto(payment.url);
        await payments.control(payment, 'settle', { result: 'declined' });
        await page.getByRole('heading', { level: 1, name: 'The payment was declined' }).waitFor();
        expect((await payments.state(payment)).status).toBe('declined');
      });
    });

    describe('whose state can’t be read', () => {
      /** A page whose stream is open, so that it is not polled soon. */
      const open = async (whenOver: TestContext['onTestFinished']) => {
        const payment = await payments.make({ expiresInS: 900 });
        const page = await browser.open({ whenOver, expectedFaults: readFaultMessages });
        const [stream] = await Promise.all([
          page.waitForResponse((response) => response.url().includes('/events?')),
          page.goto(payment.url),
        ]);
        expect(stream.status()).toBe(200);
        return { payment, page };
      };
      const paid = (page: Page) => page.getByRole('heading', { name: 'Paid', exact: true });
      const warning = 'We can’t check this payment right now';

      it.for(readFaults)(
        'warns in place of the requisites while the server %s, until it shows the outcome (R15.9)',
        async ([, fault], { onTestFinished: whenOver }) => {
          const { payment, page } = await open(whenOver);
          const end = await fault(page);
          await payments.control(payment, 'settle', { result: 'completed' });
          await page.getByRole('alert').getByText(warning).waitFor();
          await page.locator('.requisites').waitFor({ state: 'hidden' });
          expect(
            await page.getByRole('button', { name: /^Copy the (amount|number)$/ }).count(),
          ).toBe(0);
          expect(await axeFaults(page)).toEqual([]);
          await end();
          await paid(page).waitFor();
          expect(await page.title()).toMatch(/^Paid: /);
          expect(await page.getByText(warning).count()).toBe(0);
        },
      );

      it('is read again after one failure, with the stream still open (R15.9)', async ({
        onTestFinished: whenOver,
      }) => {
        const { payment, page } = await open(whenOver);
        await page.route(payment.url, (route) => route.fulfill({ status: 503 }), { times: 1 });
        await payments.control(payment, 'settle', { result: 'completed' });
        await paid(page).waitFor();
        expect(await page.title()).toMatch(/^Paid: /);
      });

      it('is read no sooner than Retry-After says, even when the browser is online again (R15.9)', async ({
        onTestFinished: whenOver,
      }) => {
        const { payment, page } = await open(whenOver);
        await page.clock.install();
        await page.reload();
        const refuse = (route: Route) =>
          route.fulfill({ status: 429, headers: { 'retry-after': '280' } });
        await page.route(payment.url, refuse);
        const refused = page.waitForResponse((response) => response.status() === 429);
        await payments.control(payment, 'settle', { result: 'completed' });
        await refused;
        await page.unroute(payment.url, refuse);
        const reads: string[] = [];
        page.on('request', (sent) => sent.url() === payment.url && reads.push(sent.url()));
        await page.evaluate("dispatchEvent(new Event('online'))");
        await page.clock.runFor(60_000);
        expect(reads).toEqual([]);
        await page.clock.runFor(280_000);
        await paid(page).waitFor();
        expect(await page.title()).toMatch(/^Paid: /);
      });

      it('is read a moment after its stream broke, which is another for each page (R15.9)', async ({
        onTestFinished: whenOver,
      }) => {
        const payment = await payments.make();
        const page = await browser.open({ whenOver });
        await page.clock.install();
        await page.addInitScript(
          `Math.random = () => 0.5;
          globalThis.EventSource = class extends EventTarget {
            static OPEN = 1; readyState = 1; close() {}
            constructor() { super(); globalThis.stream = this; }
          }`,
        );
        await page.goto(payment.url);
        const firstRead = page.waitForResponse(payment.url);
        await page.clock.runFor(11_000);
        await firstRead;
        // Otherwise the page's time also passes between two calls.
        await page.clock.pauseAt(await page.evaluate<number>('Date.now() + 5_000'));
        const reads: string[] = [];
        page.on('request', (sent) => sent.url() === payment.url && reads.push(sent.url()));
        await page.evaluate(
          "for (const type of ['open', 'error']) stream.dispatchEvent(new Event(type))",
        );
        await page.clock.runFor(900);
        expect(reads).toEqual([]);
        const nextRead = page.waitForResponse(payment.url);
        await page.clock.runFor(200);
        expect((await nextRead).status()).toBe(200);
      });

      it('is read every minute also while a stream is open, which may be silent (R15.9)', async ({
        onTestFinished: whenOver,
      }) => {
        const payment = await payments.make();
        const page = await browser.open({ whenOver });
        await page.clock.install();
        await page.addInitScript(
          'globalThis.EventSource = class extends EventTarget { static OPEN = 1; readyState = 1; close() {} }',
        );
        await page.goto(payment.url);
        // The first read is early, in case the stream does not open.
        const firstRead = page.waitForResponse(payment.url);
        await page.clock.runFor(11_000);
        await firstRead;
        await payments.control(payment, 'settle', { result: 'completed' });
        await payments.waitFor(payment, 'completed');
        await page.clock.runFor(61_000);
        await paid(page).waitFor();
        expect(await page.title()).toMatch(/^Paid: /);
      });
    });

    describe('language, theme, keyboard', () => {
      it('changes the theme without a reload, and remembers it', async ({
        onTestFinished: whenOver,
      }) => {
        const payment = await payments.make({ receipt: true });
        const page = await browser.open({ whenOver, colorScheme: 'light' });
        await page.goto(payment.url);
        await page.getByLabel('Receipt file').setInputFiles(pdf());
        const background = () => page.evaluate('getComputedStyle(document.body).backgroundColor');
        const light = await background();
        await page.getByRole('link', { name: 'Dark theme' }).click();
        expect(await background()).not.toBe(light);
        expect(await page.evaluate("document.querySelector('input[type=file]').files.length")).toBe(
          1,
        );
        expect(await page.evaluate('document.activeElement.title')).toBe('Light theme');
        await page.reload();
        expect(await background()).not.toBe(light);
      });

      it('can be used by keyboard: skip link, copy buttons, form', async ({
        onTestFinished: whenOver,
      }) => {
        const payment = await payments.make({ receipt: true });
        const page = await browser.open({
          whenOver,
          permissions: ['clipboard-read', 'clipboard-write'],
        });
        await page.goto(payment.url);
        await page.keyboard.press('Tab');
        expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to content');
        await page.keyboard.press('Enter');
        const reached: unknown[] = [];
        for (let tabs = 0; tabs < 5; tabs += 1) {
          await page.keyboard.press('Tab');
          reached.push(
            await page.evaluate(
              "document.activeElement.id || document.activeElement.dataset.copy || 'other'",
            ),
          );
        }
        expect(reached.slice(0, 2)).toEqual(['1234.50', payment.number]);
        expect(reached).toContain('receipt');
      });

      it('does not send a file that is too large', async ({ onTestFinished: whenOver }) => {
        const payment = await payments.make({ receipt: true });
        const page = await browser.open({ whenOver });
        await page.goto(payment.url);
        const folder = makeTempFolder();
        whenOver(() => removeFolder(folder));
        const file = join(folder, 'large.pdf');
        writeFileSync(file, Buffer.alloc(10 * 1024 * 1024 + 1));
        await page.getByLabel('Receipt file').setInputFiles(file);
        await page.getByRole('button', { name: 'Send receipt' }).click();
        expect(await page.getByLabel('Receipt file').getAttribute('aria-invalid')).toBe('true');
        expect((await payments.state(payment)).status).toBe('awaiting_confirmation');
        await page.getByRole('button', { name: 'Send receipt' }).waitFor();
      });
    });
  });
});
