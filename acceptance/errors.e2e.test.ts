import { describe, expect, it } from 'vitest';
import { shopForFile } from './support/shop.ts';
import { admin, sendRequest, target } from './support/http.ts';
import { documentedProblemCodes } from './support/problem.ts';

// The shape of every error that any test here provokes is checked where requests are sent
// (support/problem.ts).

const shop = shopForFile();

describe('R2.8 errors', () => {
  it('do not echo the value of a field (R2.8)', async () => {
    const body = shop.body('payout', { number: '4111 1111 1111 1111 1111 1111' });
    const answer = await shop.create('payout', body);
    expect(answer.status).toBe(400);
    expect(answer.text).not.toContain('1111 1111');
  });
});

describe('R2.12 type of a problem', () => {
  it('begins with the public URL of the gateway in every service (R2.12)', async () => {
    for (const base of [...target.gateways, target.admin, target.sandbox, ...target.inner]) {
      // The console next to the admin API has its own pages for unknown paths.
      const answer = await sendRequest(`${base}/admin/v1/nothing`, { method: 'GET' });
      expect(answer.body.type, base).toBe(
        `${target.gatewayUrl}/docs/errors/${answer.body.code.replaceAll('_', '-')}`,
      );
    }
  });

  it('links to a page for every code (R2.12)', async () => {
    expect(documentedProblemCodes.length).toBeGreaterThan(25);
    for (const code of documentedProblemCodes) {
      const page = await fetch(`${target.gatewayUrl}/docs/errors/${code.replaceAll('_', '-')}`);
      expect([code, page.status, page.headers.get('content-type')]).toEqual([
        code,
        200,
        'text/html; charset=UTF-8',
      ]);
      expect(await page.text()).toContain(code);
    }
  });
});

describe('R2.7 x-request-id', () => {
  it('is echoed if valid, and stored with the events of the request (R2.7, R17.5)', async () => {
    const id = `Trace-${crypto.randomUUID()}.1_a`;
    const headers = { 'x-api-key': shop.apiKey, 'x-request-id': id };
    const [gateway] = target.gateways;
    const failed = await sendRequest(`${gateway}/v1/nothing`, { method: 'GET', headers });
    expect(failed.headers.get('x-request-id')).toBe(id);
    expect(failed.body.request_id).toBe(id);
    const created = await sendRequest(`${gateway}/v1/payment`, {
      json: shop.body('payment'),
      headers,
    });
    expect(created.status, created.text).toBe(200);
    expect(created.headers.get('x-request-id')).toBe(id);
    const events = await shop.events(created.body.operation_id);
    expect(events.length).toBeGreaterThan(0);
    for (const { metadata } of events) expect(metadata.request_id).toBe(id);
  });
});

describe('R16.9 admin API', () => {
  it('returns 404 for unknown objects (R16.9)', async () => {
    const id = crypto.randomUUID();
    const requests: [string, string, object?][] = [
      ['PATCH', `/shops/${id}`, { name: 'x' }],
      ['PUT', `/shops/${id}/routes`, { routes: [] }],
      ['GET', `/shops/${id}/webhook`],
      ['GET', `/shops/${id}/api-keys`],
      ['GET', `/operations/${id}`],
      ['GET', `/operations/${id}/events`],
      ['DELETE', `/api-keys/${id}`],
      ['POST', `/webhook-messages/${id}/redeliver`, {}],
    ];
    for (const [method, path, body] of requests) {
      const answer = await admin(method, path, body);
      expect(answer.status, `${method} ${path}: ${answer.text}`).toBe(404);
      expect(['not_found', 'operation_not_found']).toContain(answer.body.code);
    }
  });

  it('lists events in order, with their metadata (R16.10)', async () => {
    const { operation_id: id } = await shop.made(shop.pay());
    const events = await shop.events(id);
    expect(events.map(({ revision }) => revision)).toEqual(events.map((_, index) => index));
    for (const event of events) {
      expect(Object.keys(event).toSorted()).toEqual(
        ['data', 'event_id', 'metadata', 'revision', 'timestamp', 'type'].toSorted(),
      );
    }
  });
});
