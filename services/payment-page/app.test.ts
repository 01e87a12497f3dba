import { describe, expect, it } from 'vitest';
import { accepted, admitted, started } from '#shared/domain/operation/testing/given.ts';
import type { Shop } from '#shared/domain/shop/state.ts';
import { pageHeaders } from '#shared/platform/pages/index.ts';
import { histories, ids } from './testing/histories.ts';
import { createTestPage } from './testing/payments.ts';

const { pending, payout, cancelled, receipt, creating, inPart, review, paid, partial } = ids;
const { declined, expired, overdue, rejected, notAccepted, byPurpose } = ids;
const unknown = '6f1d5b1e-0000-8000-8000-000000000099';
const open = (options: Parameters<typeof createTestPage>[1] = {}) =>
  createTestPage(histories, options);
const formWith = (name: string, value: string | Blob) => {
  const body = new FormData();
  body.append(name, value);
  return { method: 'POST', body };
};
const plainText = (text: string) => text.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ');

describe('the page', () => {
  it('shows the amount, the requisites and the bank’s name, with the full number to copy', async () => {
    const answer = await open().send(`/${pending}`, { headers: { 'accept-language': 'ru' } });
    expect(answer.status).toBe(200);
    const text = await answer.text();
    expect(plainText(text)).toMatch(/К оплате 100,00 ₽/);
    for (const part of ['data-copy="2200123456789012"', 'data-copy="100.00"', 'Сбербанк', 'IVAN I'])
      expect(text).toContain(part);
    expect(text).not.toContain('type="file"');
  });

  it("shows the transfer's purpose with a copy button and a step, in the reader's language (R5.16)", async () => {
    const textOf = async (id: string, language: string) =>
      (await open().send(`/${id}`, { headers: { 'accept-language': language } })).text();
    const english = await textOf(byPurpose, 'en');
    expect(english).toContain('data-copy="GWK7QW3M9PXTRA0"');
    expect(plainText(english)).toMatch(/Purpose of the transfer GWK7QW3M9PXTRA0/);
    expect(plainText(english)).toContain('As the purpose of the transfer, write exactly');
    expect(plainText(await textOf(byPurpose, 'ru'))).toContain(
      'В назначении платежа напишите ровно',
    );
    for (const part of ['urpose', 'назначени'])
      expect((await textOf(pending, 'en')) + (await textOf(pending, 'ru'))).not.toContain(part);
  });

  it('escapes what the provider sends', async () => {
    const requisites = {
      number: '2200123456789012',
      name: '<b>IVAN</b> "I"',
      bankname_details: '<b>Bank</b> "B"',
      transfer_purpose: '<b>GWK7</b> "P"',
    };
    const { put, send } = open();
    put(pending, [admitted({ operationId: pending }), started(), accepted(1, { requisites })]);
    const text = await (await send(`/${pending}`)).text();
    for (const [word, letter] of ['IVANI', 'BankB', 'GWK7P'].map((each) => [
      each.slice(0, 4),
      each.slice(4),
    ])) {
      const escaped = `&lt;b&gt;${word}&lt;/b&gt; &quot;${letter}&quot;`;
      expect(text).toContain(`>${escaped}</span>`);
      expect(text).toContain(`data-copy="${escaped}"`);
    }
    expect(text).not.toContain('<b>');
  });

  it('accepts an operation ID in upper case', async () => {
    expect((await open().send(`/${pending.toUpperCase()}`)).status).toBe(200);
  });

  it('shows only the status and the operation ID of a cancelled payment (R15.5)', async () => {
    const text = await (await open().send(`/${cancelled}`)).text();
    expect(plainText(text)).toContain('The payment was cancelled');
    for (const part of ['2200123456789012', '9012', 'IVAN', 'Sber', '100.00'])
      expect(text).not.toContain(part);
    expect(text.match(/data-copy="[^"]*"/g)).toEqual([`data-copy="${cancelled}"`]);
  });

  it("shows why a payment was declined and what to do next, in the reader's language (R5.15)", async () => {
    const { send } = open();
    const textOf = async (id: string, language: string) =>
      plainText(await (await send(`/${id}`, { headers: { 'accept-language': language } })).text());
    expect(await textOf(declined, 'en')).toContain('No money has arrived');
    expect(await textOf(declined, 'ru')).toContain('Деньги не пришли');
    expect(await textOf(rejected, 'en')).toContain('The receipt didn’t confirm a transfer.');
    expect(await textOf(notAccepted, 'ru')).toContain('Сейчас этим способом оплатить нельзя');
    for (const id of [declined, rejected, notAccepted])
      expect(await textOf(id, 'en')).toContain('contact the shop and give the numbers below');
  });

  it('refreshes without script while its state can change, unless it has a form', async () => {
    const { send } = open();
    const textOf = async (path: string) => (await send(path)).text();
    const refreshes = /<noscript><meta http-equiv="refresh"/;
    for (const path of [pending, inPart, review, `${receipt}?follow`])
      expect(await textOf(`/${path}`)).toMatch(refreshes);
    for (const path of [receipt, paid, partial, declined, expired, cancelled])
      expect(await textOf(`/${path}`)).not.toMatch(refreshes);
  });

  it('links to a self-refreshing view without the form, and back', async () => {
    const { send } = open();
    const withForm = await (await send(`/${receipt}`)).text();
    expect(withForm).toMatch(/<noscript><a class="button whole" href="\?follow"/);
    expect(withForm).toContain('enctype="multipart/form-data"');
    const without = await (await send(`/${receipt}?follow`)).text();
    expect(without).not.toContain('type="file"');
    expect(without).toContain(`href="/${receipt}">Upload the receipt</a>`);
    // A rejected file brings the form back, also when it was sent from this view.
    const failed = await send(`/${receipt}?follow`, formWith('receipt', new Blob([])));
    expect(await failed.text()).toContain('type="file"');
  });

  it.each([
    [pending, 'To pay: ₽100.00'],
    [receipt, 'To pay: ₽100.00'],
    [inPart, 'Left to pay: ₽40.00'],
    [review, 'Your receipt is being checked: ₽100.00'],
    [paid, 'Paid: ₽100.00'],
    [partial, 'Paid in part: ₽60.00 of ₽100.00'],
    [declined, 'The payment was declined: ₽100.00'],
    [expired, 'The time to pay has run out: ₽100.00'],
    [cancelled, 'The payment was cancelled'],
  ])('has the same text in its title and its heading: %s, %s', async (id, title) => {
    const text = (await (await open().send(`/${id}`)).text()).replaceAll('\u00a0', ' ');
    expect(/<title>(.*?)<\/title>/.exec(text)?.[1]).toBe(title);
    expect(text).toContain(`data-title="${title}"`);
    const body = plainText(text.slice(text.indexOf('<h1>')));
    expect(body.trim().startsWith(title.replace(':', ''))).toBe(true);
  });

  it.each([declined, expired, cancelled])(
    'explains what to do after sending money anyway: %s',
    async (id) => {
      const text = plainText(await (await open().send(`/${id}`)).text());
      expect(text).toMatch(/If you have already sent (?:money|some), contact the shop/);
    },
  );
});

describe('a test payment', () => {
  it.each([pending, receipt, review, paid, declined, cancelled])(
    'is marked in both languages, and a real one is not: %s (R15.10)',
    async (id) => {
      const marked = async (language: string, provider: string) => {
        const { put, send } = open();
        const events = histories[id]?.map((event) =>
          event.type === 'AttemptStarted'
            ? { ...event, data: { ...event.data, route: { ...event.data.route, provider } } }
            : event,
        );
        put(id, events ?? []);
        const answer = await send(`/${id}`, { headers: { 'accept-language': language } });
        return /Test payment|Тестовый платёж/.exec(await answer.text())?.[0];
      };
      expect(await marked('en', 'sandbox')).toBe('Test payment');
      expect(await marked('ru', 'sandbox')).toBe('Тестовый платёж');
      expect(await marked('en', 'bank')).toBeUndefined();
    },
  );
});

it('a paid payment is shown with the time of its money and its number, once', async () => {
  const text = plainText(await (await open().send(`/${paid}`)).text());
  expect(text).toMatch(new RegExp(`Received \\d+ \\w+ 20\\d\\d.*UTC .*Operation ID ${paid}`));
  expect(text.split(paid)).toHaveLength(2);
});

it('phones are not asked to guess which digits are a phone number', async () => {
  const text = await (await open().send(`/${pending}`)).text();
  expect(text).toContain('<meta name="format-detection" content="telephone=no" />');
});

describe('the shop on the page', () => {
  const forPayers = {
    display_name: '<b>Ромашка</b> & "Co"',
    support: '<script>8 800</script> help@shop.example',
    return_url: 'https://shop.example/{operation_id}?order={merchant_operation_id}&a=1',
  };
  const ends = [review, paid, partial, declined, expired, cancelled, overdue];
  const everywhere = [pending, receipt, inPart, ...ends];

  it('is shown with its name and contact, escaped', async () => {
    const { send } = open({ forPayers });
    for (const id of everywhere) {
      const text = await (await send(`/${id}`)).text();
      expect(text).toContain('<bdi>&lt;b&gt;Ромашка&lt;/b&gt; &amp; &quot;Co&quot;</bdi>');
      expect(text).toContain(
        '&lt;script&gt;8 800&lt;/script&gt; <a href="mailto:help@shop.example"',
      );
      expect(text).not.toMatch(/<b>Ромашка|<script>/);
    }
  });

  it('is linked from every outcome, without a referrer, and not before', async () => {
    const { send } = open({ forPayers });
    for (const id of ends) {
      const answer = await send(`/${id}`);
      expect(answer.status).toBe(200);
      const text = await answer.text();
      const link = /<a[^>]*href="https:[^>]*>/.exec(text)?.[0] ?? '';
      expect(link).toContain(`href="https://shop.example/${id}?order=order%2F1&amp;a=1"`);
      expect(link).toContain('rel="noopener noreferrer"');
      expect(text).toContain('Return to the shop</a');
      expect(text).not.toContain('url=https://shop');
    }
    for (const id of [pending, receipt, inPart])
      expect(await (await send(`/${id}`)).text()).not.toContain('https://shop.example');
  });

  it('is not linked without a return_url, and not named without a name', async () => {
    const { send } = open();
    for (const id of everywhere) {
      const text = await (await send(`/${id}`)).text();
      expect(text).not.toContain('Return to the shop');
      expect(text).toContain('<bdi>Payment</bdi>');
      expect(text).not.toContain('<dt>Shop support');
    }
  });

  it('comes with both operation IDs to quote, on every page', async () => {
    const { send } = open();
    for (const id of everywhere) {
      const text = plainText(await (await send(`/${id}`)).text());
      expect(text).toMatch(/Number in the shop\s+order\/1\s/);
      expect(text).toContain(`Operation ID ${id}`);
    }
  });

  it('comes with no merchant operation ID of more than 64 characters', async () => {
    const long = 'x'.repeat(65);
    const { send, put } = open();
    put(pending, [
      admitted({ operationId: pending, merchantOperationId: long }),
      started(),
      accepted(),
    ]);
    const answer = await send(`/${pending}`);
    expect(answer.status).toBe(200);
    expect(await answer.text()).not.toContain(long);
  });

  it('is shown with its current settings', async () => {
    let settings: object = { hosted_page: true, display_name: 'Before' };
    const directory = { byId: async () => ({ settings }) as Shop };
    const { send } = createTestPage(histories, { directory });
    expect(await (await send(`/${paid}`)).text()).toContain('<bdi>Before</bdi>');
    settings = { hosted_page: true, display_name: 'After' };
    expect(await (await send(`/${paid}`)).text()).toContain('<bdi>After</bdi>');
  });
});

it('the page of an unavailable operation is the same 404 for unknown IDs, payouts, pending creates and shops without a page (R15.2)', async () => {
  const { send } = open();
  const bytes = async (answer: Response, id: string) => {
    expect(answer.status).toBe(404);
    const text = await answer.text();
    return text.replaceAll(answer.headers.get('x-request-id') ?? '', '').replaceAll(id, '');
  };
  const missing = await bytes(await send(`/${unknown}`), unknown);
  expect(missing).toContain('Page not found');
  for (const id of [payout, creating, 'nothing'])
    expect(await bytes(await send(`/${id}`), id)).toBe(missing);
  const closed = open({ hostedPage: false });
  expect(await bytes(await closed.send(`/${pending}`), pending)).toBe(missing);
  expect(await bytes(await send(`/${payout}/events`), `${payout}/events`)).toBe(missing);
  const upload = formWith('receipt', new Blob(['%PDF-']));
  expect(await bytes(await send(`/${payout}`, upload), payout)).toBe(missing);
});

describe('every response', () => {
  it.each([
    ['200', 200, `/${pending}`, {}],
    ['400', 400, `/${receipt}`, formWith('receipt', new Blob([]))],
    ['400 for an unknown part', 400, `/${receipt}`, formWith('other', 'text')],
    ['403', 403, `/${receipt}`, { method: 'POST', headers: { 'sec-fetch-site': 'cross-site' } }],
    ['404', 404, '/', {}],
    ['405', 405, `/${pending}`, { method: 'DELETE' }],
    [
      '413',
      413,
      `/${receipt}`,
      formWith('receipt', new Blob([new Uint8Array(10 * 1024 * 1024 + 1)])),
    ],
    ['415', 415, `/${receipt}`, { method: 'POST', body: 'text' }],
  ])('%s is an HTML page with the page headers (R15.3)', async (_, status, path, init) => {
    const answer = await open().send(path, init);
    expect(answer.status).toBe(status);
    for (const [name, value] of Object.entries(pageHeaders()))
      expect(answer.headers.get(name)).toBe(value);
    expect(answer.headers.get('content-type')).toMatch(/^text\/html/);
    const text = await answer.text();
    expect(text).toMatch(/^<!doctype html>/);
    expect(text).not.toMatch(/style="|<style|<script>|onclick|node:|\.ts:/);
  });

  it('500 and 503 disclose no internals (R15.3)', async () => {
    const read = async () => {
      throw new Error('esdb://secret');
    };
    const unreadable = await open({ operations: { read } }).send(`/${pending}`);
    expect(unreadable.status).toBe(503);
    expect(unreadable.headers.get('retry-after')).toMatch(/^\d+$/);
    expect(await unreadable.text()).not.toContain('esdb');
    const thrown = new Map() as never;
    const broken = await createTestPage(histories, { directory: thrown }).send(`/${pending}`);
    expect(broken.status).toBe(500);
    expect(await broken.text()).toMatch(/Something went wrong/);
  });

  it('is in the reader’s language, errors included', async () => {
    const { send } = open();
    const russian = { headers: { 'accept-language': 'ru' } };
    expect(await (await send('/nothing', russian)).text()).toContain('Страница не найдена');
    const chosen = await send(`/${pending}?lang=en`, russian);
    expect(chosen.headers.get('set-cookie')).toMatch(/^lang=en/);
    expect(await chosen.text()).toContain('To pay');
  });
});

it('a receipt is requested again with the reason when its file is empty', async () => {
  const { send } = open();
  const text = await (await send(`/${receipt}`, formWith('receipt', new Blob([])))).text();
  expect(text).toContain('role="alert"');
  expect(text).toContain('No file was chosen, or it is empty. Choose the receipt.');
  expect(text).toContain('type="file"');
  expect(text).toContain(`action="/${receipt}#receipt-section"`);
  expect(text).toMatch(/<section [^>]*id="receipt-section"/);
  expect(text).toContain('data-copy="2200123456789012"');
});

describe('a receipt that is not expected', () => {
  it.each([pending, cancelled])('is rejected before its body is read: %s', async (id) => {
    let pulled = 0;
    const body = new ReadableStream(
      {
        pull: (controller) => {
          pulled += 1;
          controller.enqueue(new Uint8Array(1_024));
        },
      },
      { highWaterMark: 0 },
    );
    const headers = {
      'content-type': 'multipart/form-data; boundary=b',
      'content-length': '10485760',
    };
    const answer = await open().send(`/${id}`, {
      method: 'POST',
      headers,
      body,
      duplex: 'half',
    });
    expect([answer.status, pulled]).toEqual([412, 0]);
    expect(await answer.text()).toContain('none is needed now');
  });
});

describe('guessing IDs', () => {
  it('is limited to ten IDs per address; then a valid ID also gets 429 (R15.6)', async () => {
    const { send } = open({ trustedProxies: 1 });
    const from = (address: string, id: string) =>
      send(`/${id}`, { headers: { 'x-forwarded-for': address } });
    const statuses = [];
    for (let guess = 0; guess < 12; guess += 1)
      statuses.push((await from(`203.0.113.9:5100${guess}`, unknown)).status);
    expect(statuses.filter((status) => status === 404)).toHaveLength(10);
    const refused = await from('203.0.113.9', pending);
    expect(refused.status).toBe(429);
    expect(refused.headers.get('retry-after')).toMatch(/^[123]$/);
    expect(await refused.text()).toContain('Too many requests');
    expect((await from('203.0.113.10', pending)).status).toBe(200);
  });

  it('does not count a path that is not an ID', async () => {
    const { send } = open();
    for (let guess = 0; guess < 50; guess += 1) await send('/favicon.ico');
    expect((await send(`/${pending}`)).status).toBe(200);
  });
});

describe('the event stream', () => {
  it('is not opened by HEAD, which takes no slot', async () => {
    const { send, watch } = open();
    const head = await send(`/${pending}/events`, { method: 'HEAD' });
    expect(head.status).toBe(200);
    expect(head.headers.get('content-type')).toMatch(/^text\/event-stream/);
    expect(watch.count()).toBe(0);
    watch.stop();
  });

  it('is refused when all slots are taken, and frees its slot when it is closed', async () => {
    const { send, watch } = open({ watch: { maxPerOperation: 1 } });
    const first = await send(`/${pending}/events?seen=awaiting`);
    expect(first.headers.get('content-type')).toMatch(/^text\/event-stream/);
    expect(first.headers.get('cache-control')).toBe('no-store');
    const second = await send(`/${pending}/events`);
    expect(second.status).toBe(503);
    expect(second.headers.get('content-type')).toMatch(/^text\/html/);
    await first.body?.cancel();
    expect(watch.count()).toBe(0);
    expect((await send(`/${pending}/events`)).status).toBe(200);
    watch.stop();
  });
});
