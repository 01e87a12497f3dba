import { hash } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { logger } from '#shared/platform/logging/testing/silent-logger.ts';
import { storeForFile } from '#infra/verify/harness/stores/store.ts';
import { ownLogForFile } from '#infra/verify/harness/stores/own-log.ts';
import { verifyWebhook } from '#clients/webhook-verifier/verify.ts';
import { lateStream } from '#shared/domain/late/events.ts';
import { operationStream } from '#shared/domain/operation/events.ts';
import { personalKeyStream } from '#shared/domain/personal-data/events.ts';
import { createMetrics } from '#shared/platform/http/metrics.ts';
import { newId } from '#shared/platform/ids.ts';
import { toNewEvents } from '#shared/application/commands/new-events.ts';
import { openReport } from '#shared/application/personal-data/signed-report.ts';
import { createPersonalKeys, personalKeyId } from '#shared/application/personal-data/keys.ts';
import { createMasterKeys } from '#shared/application/personal-data/master-keys.ts';
import { createPersonalData } from '#shared/application/personal-data/personal-data.ts';
import { testMasters } from '#shared/application/personal-data/testing/personal-data.ts';
import { createSandboxConnector } from '#shared/application/providers/sandbox/connector.ts';
import { signCallback } from '#shared/application/providers/sandbox/signature.ts';
import type { WireSnapshot } from '#shared/application/providers/sandbox/wire.ts';
import { createProcessorApp } from '../app.ts';
import { cancelled, givenPayment } from '../testing/operations.ts';

const secret = `whsec_${Buffer.alloc(32, 'of the sandbox').toString('base64')}`;
const number = '2200000012345674';
const sandbox = createSandboxConnector({
  url: 'http://127.0.0.1:9',
  apiKey: 'key',
  callbackSecrets: [`whsec_${Buffer.alloc(32, 'another').toString('base64')}`, secret],
  logger,
});
const log = ownLogForFile();
const store = storeForFile(() => log.url);

afterAll(() => sandbox.close());

/**
 * A processor that has just started: it has cached no key, and returns which streams it read.
 */
function startProcess({
  masters = testMasters,
  ...more
}: Partial<typeof store & { masters: typeof testMasters }> = {}) {
  const calledStreams: string[] = [];
  const seen: typeof store = {
    ...store,
    // This process has not received the events of keys.
    recent: (stream) => (stream.startsWith('personal-key-') ? undefined : store.recent(stream)),
    ...more,
    read: (stream, request) => {
      calledStreams.push(stream);
      return store.read(stream, request);
    },
    append: (request) => {
      calledStreams.push(request.stream);
      return store.append(request);
    },
  };
  const app = createProcessorApp({
    store: seen,
    personal: createPersonalData(
      createPersonalKeys({ store: seen, masters, actor: 'service:test' }),
    ),
    providers: new Map([['sandbox', sandbox.connector]]),
    logger,
    metrics: createMetrics('processor'),
    now: () => Date.now(),
  });
  return {
    keyCalls: () => calledStreams.filter((stream) => stream.startsWith('personal-key-')).length,
    send: async ({ headers, body }: ReturnType<typeof callback>) =>
      (await app.request('/callbacks/sandbox', { method: 'POST', headers, body })).status,
  };
}

function callback(operationId: string, more: Partial<WireSnapshot>) {
  const snapshot: WireSnapshot = {
    key: `${operationId}.1`,
    operation_id: operationId,
    attempt: 1,
    version: 2,
    acceptance: 'accepted',
    reference: 'ref',
    requisites: { number, name: 'ИВАН ПЕТРОВ', bankname: 'sberbank' },
    status: 'open',
    legs: [],
    ...more,
  };
  const body = Buffer.from(`${JSON.stringify(snapshot, undefined, 1)}\n`);
  return {
    headers: { ...signCallback(secret, { id: `msg-${newId()}`, body, nowMs: Date.now() }) },
    body,
  };
}
const leg = (id: string, amount: string) => ({
  leg_id: id,
  amount,
  completed_at: '2026-01-31T12:00:00.000Z',
  file: false,
});
/** A payment of a new shop, and so of a new client, which was submitted to a provider. */
async function given(more: Parameters<typeof givenPayment>[1] = {}) {
  const shopId = newId();
  const client = { shopId, clientId: 'c' };
  return {
    client,
    operationId: await givenPayment(store, { shopId, ...more }),
    id: personalKeyId(client, 0),
  };
}
const keyOf = (keyId: string) =>
  createPersonalKeys({ store, masters: testMasters, actor: 'service:test' }).forOpening(keyId);

test('a callback is stored as signed with the first event that it adds, and readable with the key only', async () => {
  const { operationId, id } = await given();
  const sent = callback(operationId, { status: 'completed', legs: [leg('a', '100.00')] });
  expect(await startProcess().send(sent)).toBe(204);
  const events = (await store.read(operationStream(operationId))).slice(2);
  expect(events.map(({ type }) => type)).toEqual(['AttemptAccepted', 'OperationCompleted']);
  expect(events[1]?.metadata).not.toHaveProperty('report');
  const { report } = events[0]?.metadata ?? {};
  expect(Object.keys(report ?? {})).toEqual(['id', 'timestamp', 'secret_hint', 'sealed']);

  const key = await keyOf(id);
  if (!report?.sealed || !key) throw new Error('nothing is stored');
  const opened = openReport(operationId, { id: report.id, sealed: report.sealed }, key);
  expect(opened.body.equals(sent.body)).toBe(true);
  const headers: Record<string, string> = {
    'webhook-id': report.id,
    'webhook-timestamp': report.timestamp,
    'webhook-signature': opened.signature,
  };
  const header = (name: string) => headers[name];
  expect(verifyWebhook({ header, body: opened.body }, secret)).toMatchObject({ valid: true });

  // Nothing that would confirm a guessed number: no hash of the body, and no signature.
  const written = JSON.stringify(events.map(({ data, metadata }) => [data, metadata]));
  expect(written).not.toMatch(/2200000012345674|ПЕТРОВ/);
  expect(written).not.toContain(opened.signature.slice(3));
  for (const encoding of ['hex', 'base64', 'base64url'] as const)
    expect(written).not.toContain(hash('sha256', sent.body, encoding).slice(0, 40));
});

test('a callback that adds no event needs no key', async () => {
  const { operationId } = await given();
  const sent = callback(operationId, { legs: [leg('a', '60.00')] });
  const first = startProcess();
  expect(await first.send(sent)).toBe(204);
  expect(first.keyCalls()).toBeGreaterThan(0);
  const count = (await store.read(operationStream(operationId))).length;
  const next = startProcess();
  expect(await next.send(sent)).toBe(204);
  expect(next.keyCalls()).toBe(0);
  expect(await store.read(operationStream(operationId))).toHaveLength(count);
});

test('a late fact is stored with its callback; for an erased client without the callback’s content', async () => {
  const { operationId, client, id } = await given({ after: [cancelled] });
  const processor = startProcess();
  expect(await processor.send(callback(operationId, { legs: [leg('a', '60.00')] }))).toBe(204);
  const [late] = await store.read(lateStream(operationId));
  const stored = late?.metadata.report;
  const key = await keyOf(id);
  if (!stored?.sealed || !key) throw new Error('nothing is stored');
  expect(
    openReport(operationId, { id: stored.id, sealed: stored.sealed }, key).body.toString(),
  ).toContain(number);

  // As an erasure does: the key is retired, and then destroyed.
  const retired = { type: 'PersonalKeyRetired', data: { key_id: id } };
  const [stream, origin] = [personalKeyStream(id), { actor: 'service:admin', correlationId: 'c' }];
  const events = toNewEvents([retired], origin);
  expect(await store.append({ stream, expectedRevision: 0, events })).toMatchObject({
    outcome: 'appended',
  });
  const more = callback(operationId, { version: 3, legs: [leg('a', '60.00'), leg('b', '1.00')] });
  expect(await startProcess().send(more)).toBe(204);
  await store.tombstone(stream);
  expect(await keyOf(id)).toBeUndefined();
  const legs = [leg('a', '60.00'), leg('b', '1.00'), leg('c', '2.00')];
  expect(await startProcess().send(callback(operationId, { version: 4, legs }))).toBe(204);
  const after = (await store.read(lateStream(operationId))).slice(1);
  expect(after.map(({ type }) => type)).toEqual(['LateMoneyReceived', 'LateMoneyReceived']);
  for (const { metadata } of after)
    expect(Object.keys(metadata.report ?? {})).toEqual(['id', 'timestamp', 'secret_hint']);
  // No new key was made for the client.
  expect(await store.read(personalKeyStream(personalKeyId(client, 1)))).toEqual([]);
});

test('a lost master key does not delay money: the callback is stored without its body, and marked (R13.15)', async () => {
  const { operationId } = await given();
  expect(await startProcess().send(callback(operationId, {}))).toBe(204);
  const lost = createMasterKeys({
    PERSONAL_DATA_KEY: Buffer.alloc(32, 'another').toString('base64url'),
    PERSONAL_DATA_KEY_PREVIOUS: [],
  });
  const paid = callback(operationId, { status: 'completed', legs: [leg('a', '100.00')] });
  expect(await startProcess({ masters: lost }).send(paid)).toBe(204);
  const last = (await store.read(operationStream(operationId))).at(-1);
  expect([last?.type, Object.keys(last?.metadata.report ?? {})]).toEqual([
    'OperationCompleted',
    ['id', 'timestamp', 'secret_hint', 'unsealed'],
  ]);
});

test('an erased client gets no new key from a processor that has not read the erasure yet (R17.7)', async () => {
  const { operationId, client, id } = await given();
  const name = operationStream(operationId);
  const first = callback(operationId, { legs: [leg('a', '60.00')] });
  expect(await startProcess().send(first)).toBe(204);
  const before = await store.read(name);
  const origin = { actor: 'service:admin', correlationId: 'c' };
  const append = async (
    stream: string,
    expectedRevision: number,
    event: { type: string; data: object },
  ) =>
    expect(
      await store.append({ stream, expectedRevision, events: toNewEvents([event], origin) }),
    ).toMatchObject({ outcome: 'appended' });
  await append(name, before.length - 1, cancelled);
  await append(personalKeyStream(id), 0, { type: 'PersonalKeyRetired', data: { key_id: id } });
  await store.tombstone(personalKeyStream(id));

  const behind = startProcess({ recent: (stream) => (stream === name ? before : undefined) });
  const more = callback(operationId, { version: 3, legs: [leg('a', '60.00'), leg('b', '1.00')] });
  expect(await behind.send(more)).toBe(204);
  const [late] = await store.read(lateStream(operationId));
  expect(Object.keys(late?.metadata.report ?? {})).toEqual(['id', 'timestamp', 'secret_hint']);
  expect(await store.read(personalKeyStream(personalKeyId(client, 1)))).toEqual([]);
});
