import { expect, it } from 'vitest';
import { dayMs } from '#shared/domain/day.ts';
import { operationStream, type OperationEvent } from '#shared/domain/operation/events.ts';
import { applyReport } from '#shared/domain/operation/reports/apply-report.ts';
import { accepted, admitted, given, leg, started } from '#shared/domain/operation/testing/given.ts';
import { shopSettings } from '#shared/domain/shop/testing/settings.ts';
import { shopStream, type ShopEvent } from '#shared/domain/shop/events.ts';
import { newestVersion } from '#shared/domain/versions.ts';
import { loadSigningKey } from '#shared/platform/config/signing-key.ts';
import { createLogKey, type EventSigner } from '#shared/platform/event-store/signature.ts';
import { storedEvent, testMetadata } from '#shared/platform/event-store/testing/new-event.ts';
import type { EventStore, StoredEvent } from '#shared/platform/event-store/index.ts';
import type { RecordedClaim } from '../claim.ts';
import { endpointNotices } from '../endpoint-notice.ts';
import { expectedMessages } from '../message.ts';
import { computeMessageMac } from '../message-mac.ts';
import { createContentCheck } from './check-content.ts';

const macKey = createLogKey('webhooks', Buffer.alloc(32, 'a key').toString('base64'));
const shopId = 'shop-1';
const operationId = '00000000-0000-8000-8000-000000000001';

/** A completed payment of a shop with one endpoint, at a time. */
function logAt(created: Date): StoredEvent[] {
  const stored = (stream: string, at: number, { type, data }: { type: string; data: unknown }) =>
    storedEvent({
      type,
      data,
      stream,
      metadata: { ...testMetadata, schema_version: newestVersion(type) },
      revision: at,
      position: BigInt(at),
      created,
    });
  const open = [
    admitted({ operationId, shopId }),
    started(),
    accepted(),
  ] satisfies OperationEvent[];
  const report = { attempt: 1, status: 'completed', legs: [leg('a', '100.00')] } as const;
  const url = { url: 'https://a.example/', enabled: true };
  return [
    stored(shopStream(shopId), 0, { type: 'WebhookConfigured', data: url }),
    ...[...open, ...applyReport(given(...open).state, report).events].map((event, at) => ({
      ...stored(operationStream(operationId), at, event),
      position: BigInt(at + 1),
    })),
  ];
}

const mostRead = 10_000;

function createCheck(events: readonly StoredEvent[], signer: EventSigner = macKey) {
  const logged: unknown[] = [];
  let forged = 0;
  const outage = { isOn: false };
  const store = {
    // As the store does, it returns a part of a long stream.
    read: async (stream, { fromRevision = 0, maxCount = mostRead } = {}) => {
      if (outage.isOn) throw new Error('the log is away');
      return events
        .filter((event) => event.stream === stream && event.revision >= fromRevision)
        .slice(0, Math.min(maxCount, mostRead));
    },
    followed: () => [],
  } as Pick<EventStore, 'read' | 'followed'> as EventStore;
  const log = (about: unknown) => void logged.push(about);
  const logger = { error: log, warn: log };
  const check = createContentCheck({
    store,
    logger: logger as unknown as Parameters<typeof createContentCheck>[0]['logger'],
    macKey: signer,
    onForged: () => (forged += 1),
  });
  return { ...check, logged, outage, forged: () => forged };
}

/** The row of the payment's webhook, as an earlier version would have recorded it. */
function recordedAs(events: readonly StoredEvent[], more: Partial<RecordedClaim> = {}) {
  const own = events.filter(({ stream }) => stream === operationStream(operationId));
  const { message } = expectedMessages(own).messages.at(-1) ?? {};
  if (!message) throw new Error('the log requires no webhook');
  const row: RecordedClaim = {
    ...message,
    endpointId: shopId,
    occurredAtMs: message.occurredAt.getTime(),
    traceparent: null,
    mac: null,
    token: 'token',
    leaseEndsMs: 0,
    ...more,
  };
  return row;
}

/** The body of the same webhook as versions before 2026-11-30 recorded it. */
const earlierBody = (id: string) =>
  `{"id":"${id}","type":"payment.completed","timestamp":"2026-12-10T12:00:00.000Z","sequence":1,` +
  '"data":{"shop_id":"shop-1","operation":{"operation_id":"00000000-0000-8000-8000-000000000001",' +
  '"type":"payment","status":"completed","method":"WT_RUB_C2C","expected_amount":"100.00",' +
  '"actual_amount":"100.00","currency":"RUB","recorded_currency":"RUB","recorded_amount":"100.00",' +
  '"settlement_amount":"97.50","commission_amount":"2.50","settlement_currency":"RUB",' +
  '"bankname":"sberbank","bankname_details":"Сбербанк","merchant_operation_id":"order-1",' +
  '"client_id":"client-1","created_at":"2026-12-10T12:00:00.000Z"}}}';

const before = logAt(new Date('2026-11-30T12:00:00.000Z'));
const after = logAt(new Date('2026-12-10T12:00:00.000Z'));

it('recognises a recorded webhook by its code, and one without a code by the log (R14.22)', async () => {
  const check = createCheck(after);
  const row = recordedAs(after);
  expect(check.isRecognised(row)).toBe(false);
  expect(await check.followsFromLog(row)).toBe(true);
  expect(check.isRecognised({ ...row, mac: computeMessageMac(macKey, row) })).toBe(true);
  expect(check.forged()).toBe(0);
});

it.each<[string, Partial<RecordedClaim>]>([
  ['another amount', { body: recordedAs(after).body.replace('"100.00"', '"900.00"') }],
  ['another type', { type: 'payment.declined' }],
  ['another sequence', { sequence: 2 }],
  ['another id', { messageId: 'made-up' }],
  ['another shop', { shopId: 'shop-2', endpointId: 'shop-2' }],
  ['an endpoint that does not take it', { endpointId: 'endpoint-2' }],
  ['another operation', { operationId: '00000000-0000-8000-8000-000000000002' }],
])('finds a recorded webhook with %s (R14.22)', async (_, change) => {
  const check = createCheck(after);
  const genuine = recordedAs(after);
  // Its code is that of the message as the log requires it.
  const row = { ...genuine, ...change, mac: computeMessageMac(macKey, genuine) };
  expect(check.isRecognised(row)).toBe(false);
  expect(await check.followsFromLog(row)).toBe(false);
  expect(await check.followsFromLog(row)).toBe(false);
  expect(check.forged()).toBe(2);
  expect(check.logged).toHaveLength(1);
  expect(JSON.stringify(check.logged)).not.toContain('900.00');
});

it('does not count a webhook as forged whose event a replica may not have yet (R14.22)', async () => {
  const young = logAt(new Date());
  const row = recordedAs(young);
  const end = young.length - 1;
  expect(await createCheck(young.slice(0, end)).followsFromLog(row)).toBeUndefined();
  expect(await createCheck(young.slice(1)).followsFromLog(row)).toBeUndefined();
  expect(await createCheck(young).followsFromLog(row)).toBe(true);
  const altered = { ...row, body: row.body.replace('"100.00"', '"900.00"') };
  const check = createCheck(young);
  expect(await check.followsFromLog(altered)).toBe(false);
  // A time that a writer of the table chose delays the alarm only for so long.
  for (const days of [-1, 1]) {
    const occurredAtMs = Date.now() + days * dayMs;
    const absent = { ...row, messageId: 'made-up', occurredAtMs };
    expect(await check.followsFromLog(absent)).toBe(false);
  }
  expect(check.forged()).toBe(3);
});

it('warns once while the log can not be read, and again in the next outage (R14.22)', async () => {
  const check = createCheck(after);
  const row = recordedAs(after);
  for (const warnings of [1, 2]) {
    check.outage.isOn = true;
    expect(await check.followsFromLog(row)).toBeUndefined();
    expect(await check.followsFromLog(row)).toBeUndefined();
    check.outage.isOn = false;
    expect(await check.followsFromLog(row)).toBe(true);
    expect(check.logged).toHaveLength(warnings);
  }
  expect(check.forged()).toBe(0);
});

it('finds the event of a recorded webhook behind more than one read returns (R14.22)', async () => {
  const created = new Date('2026-12-10T12:00:00.000Z');
  const settings = shopSettings();
  const shop = { shop_id: shopId, merchant_id: 'merchant-1', settings };
  const changes: ShopEvent[] = [
    { type: 'ShopCreated', data: { ...shop, operation_id_secret: '00'.repeat(32) } },
    ...[undefined, 'endpoint-2'].map((id): ShopEvent => {
      const url = { url: 'https://a.example/', enabled: true };
      return { type: 'WebhookConfigured', data: { ...url, ...(id && { endpoint_id: id }) } };
    }),
    ...Array.from({ length: mostRead }, (): ShopEvent => {
      return { type: 'WebhookRecovered', data: { endpoint_id: 'endpoint-2' } };
    }),
    { type: 'WebhookDisabled', data: { endpoint_id: 'endpoint-2', reason: 'operator' } },
  ];
  const events = changes.map((event, at) =>
    storedEvent({
      ...event,
      stream: shopStream(shopId),
      metadata: { ...testMetadata, schema_version: newestVersion(event.type) },
      revision: at,
      position: BigInt(at),
      created,
    }),
  );
  const { message } = endpointNotices(events).at(-1) ?? {};
  if (!message) throw new Error('the log requires no webhook');
  const row = recordedAs(after, { ...message, endpointId: shopId, traceparent: null });
  expect(await createCheck(events).followsFromLog(row)).toBe(true);
});

it('accepts a body with the members in the order of an earlier version (R14.22)', async () => {
  const { id } = JSON.parse(recordedAs(after).body) as { id: string };
  const body = earlierBody(id);
  const row = recordedAs(after, { body });
  expect(body).not.toBe(recordedAs(after).body);
  expect(await createCheck(after).followsFromLog(row)).toBe(true);
  const twice = body.replace('"status":', '"status":"declined","status":');
  expect(JSON.parse(twice)).toEqual(JSON.parse(body));
  expect(await createCheck(after).followsFromLog({ ...row, body: twice })).toBe(false);
});

it('accepts a form without later fields, whenever the upgrade is (R14.22)', async () => {
  const older = (events: readonly StoredEvent[]) => {
    const row = recordedAs(events);
    const body = JSON.stringify(JSON.parse(row.body), (name, value: unknown) =>
      name === 'client_id' || name === 'created_at' ? undefined : value,
    );
    expect(body.length).toBeLessThan(row.body.length);
    return { ...row, body };
  };
  expect(await createCheck(before).followsFromLog(older(before))).toBe(true);
  expect(await createCheck(after).followsFromLog(older(after))).toBe(true);
  const other = older(after).body.replace('"100.00"', '"900.00"');
  expect(await createCheck(after).followsFromLog(recordedAs(after, { body: other }))).toBe(false);
});

it('recognises codes by earlier keys of the service (R14.22)', () => {
  const text = (name: string) => Buffer.alloc(32, name).toString('base64');
  const pairs = `webhooks=${text('new')},log=${text('log')},webhooks=${text('old')}`;
  const rotated = loadSigningKey('webhooks', { LOG_SIGNING_KEYS: pairs });
  const check = createCheck(after, rotated);
  const row = recordedAs(after);
  const isRecognised = (name: string) => {
    const mac = computeMessageMac(createLogKey('webhooks', text(name)), row);
    return check.isRecognised({ ...row, mac });
  };
  expect(['new', 'old', 'log', 'other'].map(isRecognised)).toEqual([true, true, false, false]);
});

it('recognises a ping only if it has nothing but its id, time and shop (R14.22)', () => {
  const timestamp = '2026-12-10T12:00:00.000Z';
  const ping = { id: 'ping-1', type: 'ping', timestamp, sequence: 1, data: { shop_id: shopId } };
  const row = recordedAs(after, {
    messageId: 'ping-1',
    operationId: null,
    type: 'ping',
    sequence: 1,
    body: JSON.stringify(ping),
  });
  const { isRecognised } = createCheck(after);
  expect(isRecognised(row)).toBe(true);
  const paid = { ...ping, data: { shop_id: shopId, operation: { status: 'completed' } } };
  for (const body of [paid, { ...ping, type: 'payment.completed' }, { ...ping, id: 'e-1' }])
    expect(isRecognised({ ...row, body: JSON.stringify(body) })).toBe(false);
  for (const more of [{ type: 'payment.completed' }, { operationId }, { webhookId: 'e-1' }])
    expect(isRecognised({ ...row, ...more })).toBe(false);
});
