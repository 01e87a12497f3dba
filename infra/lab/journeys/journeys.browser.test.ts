import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { folderForFile } from '#infra/verify/harness/tests/for-file.ts';
import { program } from '#services/documentation/snippets/load.ts';
import { findFreePort } from '#infra/process/free-port.ts';
import { eventually } from '#infra/verify/harness/tests/eventually.ts';
import {
  axeFaults,
  followLink,
  inBrowser,
  press,
  recordedEvents,
  openAsOperator,
  title,
  useBrowser,
} from '#infra/verify/harness/browser/browser.ts';
import { request } from '#infra/verify/harness/shops/merchant.ts';
import { createTestOperator } from '#infra/verify/harness/shops/operator.ts';
import { recordCommand, withoutRecording } from '#infra/verify/harness/browser/recorder.ts';
import { bannerCommand, bannerValue, typeLine } from '#infra/verify/harness/processes/terminal.ts';
import { startTestStack, type TestStack } from '#infra/verify/harness/stacks/test-stack.ts';

/** Journeys that begin in a terminal with `npm start`. */
inBrowser('with npm start', () => {
  const browser = useBrowser();
  const out = folderForFile();
  let stack: TestStack;
  let startedInMs = 0;
  beforeAll(async () => {
    const fromMs = performance.now();
    stack = await startTestStack({ env: { DEMO: '1' }, npm: true });
    startedInMs = performance.now() - fromMs;
  });
  afterAll(() => stack?.stop());

  /** Waits for a line of the terminal in which the gateway runs. */
  const see = (what: string, line: RegExp) => {
    const wait = () =>
      eventually(what, () => line.test(stack.output())).then(
        () => line.exec(stack.output())?.[0] ?? '',
      );
    return recordCommand('look at the first terminal', wait, (found) => found);
  };
  const env = () => ({
    OUT: out,
    GATEWAY: stack.urls.gateway,
    ADMIN: stack.urls.admin,
    ADMIN_TOKEN: stack.adminToken,
    API_KEY: bannerValue(stack, 'Demo shop key'),
    SHOP_ID: bannerValue(stack, 'Demo shop'),
  });

  it('a newcomer creates a payment, watches it being paid, and finds it in the console', async () => {
    const took = `The gateway is ready, after ${(startedInMs / 1_000).toFixed(1)} s`;
    await recordCommand('npm start', async () => took, String);
    const shown = 'paste the first curl of the banner';
    const excerpt = (printed: string) => /"status":"\w+"/.exec(printed)?.[0] ?? '';
    const created = await typeLine(stack, bannerCommand(stack, '/v1/payment'), { shown, excerpt });
    const { payment_url: url, operation_id: id } = JSON.parse(created) as Record<string, string>;
    const page = await browser.open();
    await page.goto(url ?? '');
    await page.getByText('100.00').first().waitFor();
    await page.getByRole('heading', { name: 'Paid', exact: true }).waitFor();
    await see('the webhook is printed', /webhook payment\.completed.*signature valid/);
    await page.goto(`${stack.urls.gateway}/`);
    await title(page, /./);
    expect(page.url()).toBe(`${stack.urls.gateway}/docs`);
    await page.goto(bannerValue(stack, 'Sign in, once'));
    await press(page, 'Sign in');
    await title(page, 'Overview');
    await followLink(page, 'Operations');
    await title(page, 'Operations');
    await page.locator(`[data-row="${id}"] a`).first().click();
    await title(page, /Payment\s₽100\.00/);
    await page.getByText('Completed').first().waitFor();
  });

  it('a developer follows the guide to a payment, looks up an error and receives webhooks', async () => {
    const page = await browser.open({ expectedFaults: /422/ });
    await page.goto(`${stack.urls.gateway}/docs`);
    await followLink(page, 'Guide');
    await title(page, /ten minutes/i);
    writeFileSync(join(out, 'guide.sh'), program('guide', 'sh'));
    const shown = 'eval "$(npm run -s demo)"; the guide’s curl, block by block';
    const excerpt = (printed: string) => /"status":"completed"/.exec(printed)?.[0] ?? '';
    const guide = 'cd "$OUT"; bash -e -o pipefail guide.sh';
    expect(await typeLine(stack, guide, { env: env(), shown, excerpt })).toContain(
      '"status":"completed"',
    );
    await page.getByRole('searchbox').fill('create a payment');
    await page.keyboard.press('Enter');
    await page.locator('article').getByRole('link', { name: 'Create a payment' }).first().click();
    const form = page.locator('form[data-try="post /v1/payment"]');
    const body = form.getByLabel('Body');
    await body.fill((await body.inputValue()).replace(/"amount": "[^"]*"/, '"amount": "1002.00"'));
    await form.getByRole('button', { name: 'Send' }).click();
    const answer = form.getByRole('group', { name: 'Answer' });
    await answer.getByText('HTTP 422').waitFor();
    const { type } = JSON.parse((await answer.innerText()).replace(/^HTTP.*\n/, '')) as {
      type: string;
    };
    await page.goto(type);
    await title(page, /provider_not_accepted|accepted/i);
    await receiveWebhooks();
  });

  /** Receives webhooks with the guide's program instead of the demo's. */
  async function receiveWebhooks(): Promise<void> {
    const port = String(await findFreePort());
    const setUp = program('own-webhook', 'sh').replace('127.0.0.1:4000', `127.0.0.1:${port}`);
    const shown = 'the guide’s two lines: an address for webhooks, and a new secret';
    const printed = await typeLine(stack, setUp, {
      env: env(),
      shown,
      excerpt: () => 'whsec_…, shown once',
    });
    await typeLine(stack, 'cd "$OUT"; curl -sS "$GATEWAY/docs/client.tgz" | tar xz', {
      env: env(),
    });
    writeFileSync(join(out, 'webhook.ts'), program('webhook', 'ts'));
    const secret = printed.trim().split('\n').at(-1);
    const receiver = spawn(process.execPath, ['webhook.ts'], {
      cwd: out,
      env: { PATH: process.env['PATH'], PORT: port, WEBHOOK_SECRET: secret },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let received = '';
    receiver.stdout.on('data', (chunk: Buffer) => (received += chunk.toString('utf8')));
    try {
      const listens = () =>
        fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: '{}' }).catch(() => undefined);
      await eventually('it listens', async () => (await listens())?.status === 401);
      const wait = async () => {
        await pay('own-receiver', '100.00');
        await eventually('it prints the webhook', () =>
          received.includes('payment.completed own-receiver'),
        );
        return received;
      };
      await recordCommand(
        'node webhook.ts &, and the guide’s payment again',
        wait,
        (text) => text.trim().split('\n').at(-1) ?? '',
      );
    } finally {
      receiver.kill();
      await once(receiver, 'exit');
    }
  }

  const call = (path: string, body: object) =>
    request(`${stack.urls.gateway}/v1/${path}`, 'POST', body, { 'x-api-key': env().API_KEY });
  const pay = (merchant_operation_id: string, amount: string) => {
    const [client_id, method, currency] = ['client-1', 'WT_RUB_C2C', 'RUB'];
    return call('payment', { merchant_operation_id, client_id, method, amount, currency });
  };

  it('an analyst runs two queries in SQL, and exports the read models as Parquet', async () => {
    expect((await pay('declined-1', '1002.00')).status).toBe(422);
    expect((await pay('paid-1', '100.00')).status).toBe(200);
    const statusOf = async () =>
      (await call('get_operation_state', { merchant_operation_id: 'paid-1' })).body.status;
    await withoutRecording(() => expect.poll(statusOf).toBe('completed'));
    const funnel = `select sum(created) as created, sum(accepted) as accepted, sum(paid) as paid from funnel_by_day`;
    const asked = async (query: string, some: RegExp, excerpt: (printed: string) => string) => {
      const ask = () =>
        typeLine(stack, `npm run -s psql -- -c "${query}"`, {
          shown: `npm run psql -- -c "${query}"`,
          excerpt,
        });
      await expect.poll(ask, { interval: 500 }).toMatch(some);
    };
    const row = (printed: string) => printed.split('\n')[2]?.replaceAll(/\s+/g, ' ').trim() ?? '';
    await asked(funnel, /\d+ +\| +\d+ +\| +[1-9]/, row);
    await asked('select reason, operations from declines_by_reason', /provider_refused/, row);
    const line = `npm run -s export -- --all --out "$OUT/export"`;
    const excerpt = (printed: string) =>
      /^operations .*/m.exec(printed)?.[0].replaceAll(/\s+/g, ' ') ?? '';
    await typeLine(stack, line, { env: env(), excerpt });
    expect(
      readFileSync(join(out, 'export', 'operations.parquet'))
        .subarray(0, 4)
        .toString(),
    ).toBe('PAR1');
  });

  // On this stack, because no other test may need the provider meanwhile.
  it('an operator switches a provider off and on, with reasons', async () => {
    const { token } = await createTestOperator(stack)('POST', '/tokens', {
      name: 'olga',
      role: 'operator',
    });
    const page = await browser.open();
    await openAsOperator(page, stack, '/providers', String(token));
    await title(page, 'Providers');
    await followLink(page, 'Switch off');
    await page.getByLabel('Reason').fill('it answers nothing');
    await press(page, 'Continue');
    await press(page, 'Switch off');
    await title(page, 'Providers');
    expect(await recordedEvents(page)).toMatch(/ProviderSwitchedOff directory revision \d+/);
    const row = page.getByRole('row', { name: /sandbox/ }).first();
    await row.getByText('it answers nothing').waitFor();
    await row.getByText('olga').waitFor();
    expect(await axeFaults(page)).toEqual([]);
    await followLink(page, 'Switch on');
    await page.getByLabel('Reason').fill('it answers again');
    await press(page, 'Continue');
    await press(page, 'Switch on');
    expect(await recordedEvents(page)).toMatch(/ProviderSwitchedOn directory revision \d+/);
  });

  it('an auditor runs an audit, saves the report, and finds the audit in the console', async () => {
    const line = `npm run -s audit -- --report "$OUT/audit.html" --findings "$OUT/findings.csv" --checkpoint "$OUT/audit.json" --record anna`;
    expect(await typeLine(stack, line, { env: env() })).toMatch(
      /Every one of \d+ checked rules holds/,
    );
    const page = await browser.open();
    await page.goto(pathToFileURL(join(out, 'audit.html')).href);
    await title(page, 'Audit report');
    expect(await axeFaults(page)).toEqual([]);
    const { token } = await createTestOperator(stack)('POST', '/tokens', {
      name: 'anna',
      role: 'auditor',
    });
    await openAsOperator(page, stack, '/', String(token));
    await title(page, 'Overview');
    await followLink(page, 'Audits');
    await title(page, 'Audits');
    await page.getByRole('row', { name: /anna/ }).getByRole('link').first().click();
    await title(page, /Audit/);
    await page.getByText('ledger.unbalanced').waitFor();
  });
});
