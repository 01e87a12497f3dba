import { describe, expect, it } from 'vitest';
import type { OperationEvent } from '#shared/domain/operation/events.ts';
import { accepted, admitted, noMoney, route, started } from '#shared/domain/operation/testing/given.ts';
import { pageHeaders } from '#shared/pages/index.ts';
import { createTestPage } from './testing/payments.ts';

const [pending, payout, cancelled, receipt, creating, unknown] = [1, 2, 3, 4, 5, 9].map(
  (number) => `6f1d5b1e-0000-8000-8000-00000000000${number}`,
) as [string, string, string, string, string, string];
const cancel: OperationEvent = { type: 'OperationCancelled', data: { ...noMoney, reason: 'cancel' } };
const histories: Record<string, OperationEvent[]> = {
  [pending]: [admitted({ operationId: pending }), started(), accepted()],
  [payout]: [
    admitted({ operationId: payout, type: 'payout' }),
    started(1, route({ type: 'payout' })),
    accepted(),
  ],
  [cancelled]: [admitted({ operationId: cancelled }), started(), accepted(), cancel],
  [receipt]: [
    admitted({ operationId: receipt }),
    started(1, route({ requires_receipt: true })),
    accepted(1, { confirmation_required: true }),
  ],
  [creating]: [admitted({ operationId: creating }), started()],
};
const open = (options: Parameters<typeof createTestPage>[1] = {}) => createTestPage(histories, options);
const formWith = (name: string, value: string | Blob) => {
  const body = new FormData();
  body.append(name, value);
  return { method: 'POST', body };
};
const words = (text: string) => text.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ');

describe('the page', () => {
  it('has amount, requisites, the bank in words and the whole number for whoever copies it', async () => {
    const answer = await open().send(`/${pending}`, { headers: { 'accept-language': 'ru' } });
    expect(answer.status).toBe(200);
    const text = await answer.text();
    expect(words(text)).toMatch(/К оплате 100,00 ₽/);
    for (const part of ['data-copy="2200123456789012"', 'data-copy="100.00"', 'Сбербанк', 'IVAN I'])
      expect(text).toContain(part);
    expect(text).not.toContain('type="file"');
  });

  it('is found by an id in capitals, as UUIDs are', async () => {
    expect((await open().send(`/${pending.toUpperCase()}`)).status).toBe(200);
  });

  it('says nothing of a cancelled payment but that it is', async () => {
    const text = await (await open().send(`/${cancelled}`)).text();
    expect(words(text)).toContain('The payment was cancelled');
    for (const part of [
      '2200123456789012',
      '9012',
      'IVAN',
      'Sber',
      '100.00',
      'data-copy',
      cancelled.slice(0, 8),
    ])
      expect(text.replaceAll(`/${cancelled}?`, '')).not.toContain(part);
  });

  it('refreshes itself without script, but not under a form', async () => {
    const { send } = open();
    expect(await (await send(`/${pending}`)).text()).toMatch(/<noscript><meta http-equiv="refresh"/);
    expect(await (await send(`/${receipt}`)).text()).not.toContain('http-equiv="refresh"');
    expect(await (await send(`/${cancelled}`)).text()).not.toContain('http-equiv="refresh"');
  });
});

describe('what is not there', () => {
  it('is the same page for unknown ids, payouts, creations under way and shops without a hosted page', async () => {
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
});

describe('every answer', () => {
  it.each([
    ['400', 400, `/${receipt}`, formWith('receipt', new Blob([]))],
    ['400 for a part that is not known', 400, `/${receipt}`, formWith('other', 'text')],
    ['403', 403, `/${receipt}`, { method: 'POST', headers: { 'sec-fetch-site': 'cross-site' } }],
    ['404', 404, '/', {}],
    ['405', 405, `/${pending}`, { method: 'DELETE' }],
    ['413', 413, `/${receipt}`, formWith('receipt', new Blob([new Uint8Array(10 * 1024 * 1024 + 1)]))],
    ['415', 415, `/${receipt}`, { method: 'POST', body: 'text' }],
  ])('%s is a page with its headers', async (_, status, path, init) => {
    const answer = await open().send(path, init);
    expect(answer.status).toBe(status);
    for (const [name, value] of Object.entries(pageHeaders())) expect(answer.headers.get(name)).toBe(value);
    expect(answer.headers.get('content-type')).toMatch(/^text\/html/);
    const text = await answer.text();
    expect(text).toMatch(/^<!doctype html>/);
    expect(text).not.toMatch(/style="|<style|<script>|onclick|node:|\.ts:/);
  });

  it('500 and 503 say nothing of the inside', async () => {
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
    expect(await broken.text()).toMatch(/Something broke/);
  });

  it('is in the language of the reader, errors too', async () => {
    const { send } = open();
    const russian = { headers: { 'accept-language': 'ru' } };
    expect(await (await send('/nothing', russian)).text()).toContain('Страница не найдена');
    const kept = await send(`/${pending}?lang=en`, russian);
    expect(kept.headers.get('set-cookie')).toMatch(/^lang=en/);
    expect(await kept.text()).toContain('To pay');
  });
});

describe('a receipt', () => {
  it('that can’t be taken leaves the page with its form, and says why', async () => {
    const { send } = open();
    const text = await (await send(`/${receipt}`, formWith('receipt', new Blob([])))).text();
    expect(text).toContain('role="alert"');
    expect(text).toContain('Choose a file that is not empty.');
    expect(text).toContain('type="file"');
    expect(text).toContain('data-copy="2200123456789012"');
  });
});

describe('a file that nobody asked for', () => {
  it.each([pending, cancelled])('is refused before it is read: %s', async (id) => {
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
    const headers = { 'content-type': 'multipart/form-data; boundary=b', 'content-length': '10485760' };
    const answer = await open().send(`/${id}`, {
      method: 'POST',
      headers,
      body,
      duplex: 'half',
    });
    expect([answer.status, pulled]).toEqual([412, 0]);
    expect(await answer.text()).toContain('No receipt is needed now');
  });
});

describe('guessing', () => {
  it('comes to an end after ten ids, for that address alone, and tells nothing after that', async () => {
    const { send } = open({ trustedProxies: 1 });
    const from = (address: string, id: string) => send(`/${id}`, { headers: { 'x-forwarded-for': address } });
    const statuses = [];
    for (let guess = 0; guess < 12; guess += 1) statuses.push((await from('203.0.113.9', unknown)).status);
    expect(statuses.filter((status) => status === 404)).toHaveLength(10);
    const refused = await from('203.0.113.9', pending);
    expect(refused.status).toBe(429);
    expect(refused.headers.get('retry-after')).toBe('1');
    expect(await refused.text()).toContain('Too many requests');
    expect((await from('203.0.113.10', pending)).status).toBe(200);
  });

  it('does not count what is no id', async () => {
    const { send } = open();
    for (let guess = 0; guess < 50; guess += 1) await send('/favicon.ico');
    expect((await send(`/${pending}`)).status).toBe(200);
  });
});

describe('the stream of changes', () => {
  it('is refused when all places are taken, and given back when it is closed', async () => {
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
