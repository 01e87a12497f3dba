import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { appForFile } from '#shared/platform/http/testing/serve-app.ts';
import { inBrowser, pageWeight, useBrowser } from '#infra/verify/harness/browser/browser.ts';
import {
  browserContext,
  findPageFaults,
  screenVariants,
} from '#infra/verify/harness/browser/sitemap.ts';
import { createApiWithoutStores } from '#services/merchant-api/testing/api-without-stores.ts';
import { defaultStackUrls } from './stack-urls.ts';
import { sectionNames } from './sections.ts';

/** As with DEMO=1, for a reader on the same machine. */
const demoStackUrls = { ...defaultStackUrls, canTry: true, demoKey: () => 'key' };
const paths = [
  ...sectionNames.map((name) => (name === '' ? '/docs' : `/docs/${name}`)),
  '/docs/search?q=payment',
  '/docs/errors/provider-not-accepted',
  '/docs/errors/amount-invalid',
];

inBrowser('the documentation in a browser', () => {
  const { open } = useBrowser();
  const server = appForFile(() => createApiWithoutStores({}, { stackUrls: demoStackUrls }).api);
  const urlOf = (path: string) => `http://127.0.0.1:${server.port}${path}`;

  const tab = (page: Page, name: string) =>
    page.locator('[data-tabs]').first().getByRole('radio', { name });
  const shownCode = (page: Page) =>
    page.locator('[data-tabs]').first().locator('pre:visible').innerText();

  it.each(screenVariants)('has no faults in %s, %s, on a screen that is %s', async (...look) => {
    const [language] = look;
    const page = await open(browserContext(look));
    const urls = paths.map(urlOf);
    expect(await findPageFaults(page, urls, { language })).toEqual({});
  });

  it('loads less than 120 kB for the guide', async () => {
    const page = await open();
    await page.goto(urlOf('/docs/guide'));
    const weight = Object.values(await pageWeight(page)).reduce((total, bytes) => total + bytes, 0);
    expect(weight).toBeGreaterThan(10_000);
    expect(weight).toBeLessThan(120_000);
  });

  it('switches the language of examples by keyboard, remembers it, and copies an example', async () => {
    const page = await open({ permissions: ['clipboard-read', 'clipboard-write'] });
    await page.goto(urlOf('/docs/guide'));
    expect(await shownCode(page)).toContain('curl');
    await tab(page, 'curl').focus();
    await page.keyboard.press('ArrowRight');
    expect(await shownCode(page)).toContain('createClient');
    // All other examples follow.
    expect(await page.getByRole('radio', { name: 'TypeScript', checked: true }).count()).toBe(
      await page.getByRole('radio', { name: 'TypeScript' }).count(),
    );
    await page.locator('[data-tabs]').first().getByRole('button', { name: 'Copy' }).click();
    await page.getByRole('status').getByText('Copied').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(await shownCode(page));
    await page.reload();
    expect(await shownCode(page)).toContain('createClient');
  });

  it('works without script: languages of examples, theme, language, table of contents', async () => {
    const page = await open({ javaScriptEnabled: false, colorScheme: 'light' });
    await page.goto(urlOf('/docs/guide?lang=en'));
    await page.locator('[data-tabs]').first().locator('label', { hasText: 'Python' }).click();
    expect(await shownCode(page)).toContain('from gateway_client import Gateway');
    expect(await page.getByRole('button', { name: 'Copy' }).count()).toBe(0);
    await page.getByRole('link', { name: 'Dark theme' }).click();
    expect(await page.locator('html').getAttribute('data-theme')).toBe('dark');
    await page.getByRole('link', { name: 'Русский' }).click();
    await page.getByRole('heading', { level: 1, name: 'Первый платёж за десять минут' }).waitFor();
    expect(await page.locator('html').getAttribute('data-theme')).toBe('dark');
    await page
      .getByRole('navigation', { name: 'На этой странице' })
      .getByRole('link', { name: 'Вебхук' })
      .click();
    expect(new URL(page.url()).hash).toBe('#webhook');
  });

  it('starts with a link that skips the navigation', async () => {
    const page = await open();
    await page.goto(urlOf('/docs/statuses'));
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    expect(await page.evaluate('document.activeElement.id')).toBe('content');
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.closest("main") !== null')).toBe(true);
  });

  it('marks the current page and section in its navigation', async () => {
    const page = await open();
    await page.goto(urlOf('/docs/webhooks'));
    const sections = page.getByRole('navigation', { name: 'Documentation' });
    expect(await sections.locator('[aria-current=page]').innerText()).toBe('Webhooks');
    await page.evaluate('document.querySelector("#order").scrollIntoView()');
    await page.locator('.contents a[aria-current]', { hasText: 'Order and repeats' }).waitFor();
  });

  it('names the status diagrams and draws all arrows', async () => {
    const page = await open();
    await page.goto(urlOf('/docs/statuses?lang=en'));
    for (const name of ['Statuses of a payment', 'Statuses of a payout']) {
      await page.getByRole('img', { name: new RegExp(name) }).waitFor();
    }
    const arrows = page.locator('.diagram .arrow');
    expect(await arrows.count()).toBe(24);
    // The content security policy blocks none of their styles.
    expect(
      await page.evaluate(`getComputedStyle(document.querySelector('.arrow')).strokeWidth`),
    ).toBe('1.75px');
  });

  it('leads from a search in the bar to the section of a page', async () => {
    const page = await open();
    await page.goto(urlOf('/docs/guide'));
    await page
      .getByRole('searchbox', { name: 'Search the documentation' })
      .fill('cancel a payment');
    await page.keyboard.press('Enter');
    await page.getByRole('status').getByText('Found').waitFor();
    await page.locator('article').getByRole('link', { name: 'Cancel a payment' }).click();
    expect(new URL(page.url()).hash).toBe('#cancelOperation');
    await page.getByRole('heading', { name: 'Cancel a payment' }).waitFor();
  });

  it('sends a request with the demo’s key, shows the response, and stores no key', async () => {
    const page = await open({ expectedFaults: /400 \(Bad Request\)|ERR_|401/ });
    await page.goto(urlOf('/docs/reference?lang=en'));
    const form = page.locator('form[data-try="post /v1/payment"]');
    expect(await form.getByLabel('API key').inputValue()).toBe('key');
    expect(await form.getByLabel('Body').inputValue()).toMatch(
      /"merchant_operation_id": "order-\w{6,}"/,
    );
    await form.getByLabel('Body').fill('{"amount": "1"}');
    await form.getByRole('button', { name: 'Send' }).click();
    await form.getByRole('group', { name: 'Answer' }).getByText('HTTP 400').waitFor();
    expect(await form.getByRole('group', { name: 'Answer' }).innerText()).toContain(
      'amount_invalid',
    );
    const methods = page.locator('form[data-try="get /v1/methods"]');
    await methods.getByRole('button', { name: 'Send' }).click();
    await methods.getByText('WT_RUB_PHONE').waitFor();
    await form.getByLabel('API key').fill('another key');
    expect(await methods.getByLabel('API key').inputValue()).toBe('another key');
    await methods.getByRole('button', { name: 'Send' }).click();
    await methods.getByText('api_key_invalid').waitFor();
    const stored = await page.evaluate(
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])',
    );
    expect(stored).not.toMatch(/key/);
    await page.reload();
    expect(await form.getByLabel('API key').inputValue()).toBe('key');
  });

  it('has a search, but no request forms, without script', async () => {
    const page = await open({ javaScriptEnabled: false });
    await page.goto(urlOf('/docs/reference?lang=en'));
    expect(await page.getByRole('button', { name: 'Send' }).count()).toBe(0);
    await page.getByRole('searchbox').fill('balances');
    await page.getByRole('searchbox').press('Enter');
    await page.locator('article').getByRole('link', { name: 'Read the balances' }).waitFor();
  });
});
