import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { inBrowser, useBrowser } from './browser.ts';

inBrowser('the recorder of journeys', () => {
  const browser = useBrowser();

  it('records typed text once, before the Enter that submits it', async () => {
    const page = await browser.open();
    const did: string[] = [];
    await page.exposeFunction('tellStep', (kind: string, text: string) => {
      if (kind === 'did') did.push(text);
    });
    const client = fileURLToPath(new URL('recorder.client.js', import.meta.url));
    await page.addInitScript({ path: client });
    const form = `<form onsubmit="return false">
      <label>Name<input value="before"></label><label>Key<input type="password"></label>
      <button>Send</button></form>`;
    await page.goto(`data:text/html,${encodeURIComponent(form)}`);
    await page.getByLabel('Name').press('Enter');
    await page.getByLabel('Name').fill('Anna');
    await page.getByLabel('Name').press('Enter');
    await page.getByLabel('Key').fill('secret');
    await page.getByLabel('Name').fill('before');
    await page.getByRole('button').click();
    expect(did).toEqual([
      'press Enter',
      'type “Anna” in “Name”',
      'press Enter',
      'type a secret in “Key”',
      'type “before” in “Name”',
      'press “Send”',
    ]);
  });

  it('records an alert once it is visible', async () => {
    const page = await browser.open();
    const heads: string[] = [];
    await page.exposeFunction('tellStep', (kind: string, text: string) => {
      if (kind !== 'did') heads.push(text);
    });
    const client = fileURLToPath(new URL('recorder.client.js', import.meta.url));
    await page.addInitScript({ path: client });
    const content = `<h1>To pay</h1><div role="alert" hidden><strong>Out of date</strong></div>`;
    await page.goto(`data:text/html,${encodeURIComponent(content)}`);
    await expect.poll(() => heads).toEqual(['To pay']);
    await page.evaluate(`document.querySelector('[role=alert]').hidden = false`);
    await expect.poll(() => heads).toEqual(['To pay', 'To pay: Out of date']);
  });
});
