import { sql } from 'kysely';
import { pino } from 'pino';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { guardCheckpoints } from '#shared/application/log/guard-checkpoints.ts';
import { logger } from '#shared/platform/logging/testing/silent-logger.ts';
import { listOperationsOfClient } from '#projections/operations/of-client.ts';
import { append, cancelled, paymentRoute } from '#services/processor/testing/operations.ts';
import { auditLog } from '#services/audit/testing/audit-log.ts';
import { connectRawLog } from '#shared/platform/event-store/reading/raw-log.ts';
import { admit } from '#shared/domain/operation/admission/admit.ts';
import { recordAnswer } from '#shared/domain/operation/attempts/provider-answer.ts';
import type { OperationEvent } from '#shared/domain/operation/events.ts';
import { fold } from '#shared/domain/operation/evolve.ts';
import { noMoney } from '#shared/domain/operation/testing/given.ts';
import { noOperation } from '#shared/domain/operation/state.ts';
import { erasureStream, personalKeyStream } from '#shared/domain/personal-data/events.ts';
import type { ErasableEventStore } from '#shared/platform/event-store/index.ts';
import { newId } from '#shared/platform/ids.ts';
import { operationIdFor } from '#shared/application/operations/operation-id.ts';
import {
  createPersonalKeys,
  personalKeyId,
  readKeyState,
} from '#shared/application/personal-data/keys.ts';
import { createPersonalData } from '#shared/application/personal-data/personal-data.ts';
import {
  testMasters,
  testPersonalData,
} from '#shared/application/personal-data/testing/personal-data.ts';
import { readShop } from '#shared/application/directory/command-shop.ts';
import { checkBatch } from '#shared/application/payout-batches/batches.ts';
import { readPayoutFile } from '#shared/application/payout-batches/read-file.ts';
import { clientOfFiles, folderOfFiles } from '#shared/application/payout-batches/waiting-files.ts';
import { readOperation } from '#shared/application/operations/streams.ts';
import { fixedToken } from '../authentication.ts';
import { useConsole } from '../../console/testing/console.ts';
import { tokens, problem } from '../../testing/admin.ts';
import { sweepWaitingFiles } from '../sweep-waiting-files.ts';
import { sweepUnfinished } from '../sweeper.ts';
import { openErasures, type EraserOptions } from './finish-erasures.ts';
import type { ErasurePorts } from '#shared/application/personal-data/finish-erasure.ts';

const files = new Map<string, Uint8Array>();
/** When all files were stored. */
let storedAtMs = 0;
const receipts = {
  get: async (key: string) => files.get(key),
  put: async (key: string, content: Uint8Array) => void files.set(key, content),
  remove: async (key: string) => void files.delete(key),
  list: async (folder: string) =>
    [...files.keys()]
      .filter((key) => key.startsWith(`${folder}/`))
      .map((key) => ({ name: key.slice(folder.length + 1), storedAtMs })),
  storedAtMs: async (key: string) => (files.has(key) ? storedAtMs : undefined),
  removeAll: async (operationId: string) => {
    const below = [...files.keys()].filter((key) => key.startsWith(`${operationId}/`));
    for (const key of below) files.delete(key);
    return below.length;
  },
};
const admin = useConsole({
  receipts,
  // The admin is named as the holder of ADMIN_TOKEN, because the audit checks actors.
  fixedTokens: (['admin', 'operator', 'auditor'] as const).map((role) =>
    fixedToken(tokens[role], { name: role, role }),
  ),
});
let store: ErasableEventStore;
beforeAll(() => void ({ store } = admin));

const declined: OperationEvent = {
  type: 'OperationDeclined',
  data: { ...noMoney, reason: 'provider' },
};
const requisites = { number: '+79001234567', name: 'Иван Иванов', bankname: 'sberbank' };
const address = '192.0.2.44';

const routes = [{ ...paymentRoute, requires_receipt: true }];

/** Records a webhook of the operation with the response of its endpoint. */
async function givenDelivery(
  operationId: string,
  { shopId, answer }: { shopId: string; answer: string },
): Promise<void> {
  const id = newId();
  await sql`insert into webhooks.message
      (message_id, shop_id, operation_id, sequence, type, body, occurred_at, status, finished_at)
    values (${id}, ${shopId}, ${operationId}, 1, 'payment.completed', '{}', now(), 'delivered', now())`.execute(
    admin.db,
  );
  await sql`insert into webhooks.attempt
      (message_id, number, started_at, duration_ms, url, status_code, answer)
    values (${id}, 1, now(), 1, 'https://merchant.example/', 200, ${answer})`.execute(admin.db);
}

const answersOf = async (operationId: string): Promise<(string | null)[]> => {
  const { rows } = await sql<{ answer: string | null }>`
    select answer from webhooks.attempt join webhooks.message using (message_id)
    where operation_id = ${operationId}`.execute(admin.db);
  return rows.map(({ answer }) => answer);
};

/** A shop with the routes that its operations use. */
async function newShop(): Promise<string> {
  const shopId = await admin.newShop();
  const { status } = await admin.call(`PUT /admin/v1/shops/${shopId}/routes`, { body: { routes } });
  expect(status).toBe(200);
  return shopId;
}

/**
 * A client's payment with a receipt, sealed as the merchant API seals it; cancelled unless `open`.
 */
async function givenSealed(given: { shopId: string; clientId: string; open?: boolean }) {
  const { shopId, clientId } = given;
  const [event] = await store.read(`shop-${shopId}`, { maxCount: 1 });
  const { operation_id_secret: secret, merchant_id: merchantId } = (event?.data ?? {}) as Record<
    string,
    string
  >;
  const merchantOperationId = newId();
  const operationId = operationIdFor(Buffer.from(secret ?? '', 'hex'), merchantOperationId);
  const sealer = await testPersonalData(store).sealer({ shopId, clientId });
  const plain = { client_id: clientId, client_ip: address, method: 'WT_RUB_C2C', amount: '100.00' };
  const admission = admit(noOperation, {
    operationId,
    shopId,
    merchantId: merchantId ?? '',
    type: 'payment',
    merchantOperationId,
    body: {
      rest: 'hash',
      personal: sealer.bodyHash(operationId, JSON.stringify({ client_ip: address })),
      whole: 'hash',
    },
    endpoint: '/v1/payment',
    apiVersion: 'v1',
    request: sealer.request(operationId, { ...plain, currency: 'RUB' }),
    acceptUntil: new Date(Date.now() + 60_000).toISOString(),
    routes,
  });
  if (!('events' in admission)) throw new Error('not admitted');
  const answer = { outcome: 'accepted', providerReference: 'ref', requisites } as const;
  const outcome = { attempt: 1, answer, routes, timeIsUp: false };
  const accepted = recordAnswer(fold(admission.events), outcome);
  if (!('events' in accepted)) throw new Error('not accepted');
  const receiptId = newId();
  const uploaded: OperationEvent = {
    type: 'ReceiptUploaded',
    data: { receipt_id: receiptId, sha256: 'aa', size_bytes: 1, pdf: true },
  };
  files.set(`${operationId}/${receiptId}`, new Uint8Array([1]));
  const answered = accepted.events.map((each) => sealer.event(operationId, each));
  const events = [...admission.events, ...answered];
  const body = { label: 'till' };
  const path = `POST /admin/v1/shops/${shopId}/api-keys`;
  const issued = await admin.call<{ key_id: string }>(path, { body, token: tokens.admin });
  const by = { actor: `merchant:${shopId}`, keyId: issued.body.key_id };
  await append(store, operationId, { events, expectedRevision: -1, by });
  if (given.open !== true) await end({ operationId, by }, [cancelled]);
  return { operationId, by, uploaded };
}

type Sealed = { operationId: string; by: { actor: string; keyId: string } };

async function end({ operationId, by }: Sealed, events: OperationEvent[]): Promise<void> {
  const { length } = await store.read(`operation-${operationId}`);
  await append(store, operationId, { events, expectedRevision: length - 1, by });
}

/** Waits until the list has `count` operations of the shop, `open` of them not terminal. */
const isListed = (shopId: string, count: number, { open = 0 }: { open?: number } = {}) =>
  expect
    .poll(async () => {
      const path = `GET /admin/v1/operations?shop_id=${shopId}`;
      const { operations } = (await admin.call<{ operations: { status: string }[] }>(path)).body;
      const notTerminal = operations.filter(
        ({ status }) => !['cancelled', 'declined'].includes(status),
      );
      return [operations.length, notTerminal.length];
    })
    .toEqual([count, open]);
const erase = (shopId: string, clientId: string, token: string = tokens.admin) =>
  admin.call<Record<string, string | null>>(`POST /admin/v1/shops/${shopId}/erasures`, {
    body: { client_id: clientId },
    token,
  });

const sweepErasures = (options: EraserOptions, signal: AbortSignal) =>
  sweepUnfinished({
    ...options,
    guard: guardCheckpoints({ logger }),
    signal,
    tasks: [openErasures(options)],
  });

/** Starts the erasures of an admin service; they stop at the end of the test at the latest. */
function startEraser(change: Partial<EraserOptions> = {}) {
  const stopped = new AbortController();
  const options = { store, db: admin.db, receipts, logger, everyMs: 20, afterMs: 0 };
  const running = sweepErasures({ ...options, ...change }, stopped.signal);
  onTestFinished(async () => {
    stopped.abort();
    await running;
  });
}
const isErased = (shopId: string, clientId: string) =>
  expect.poll(async () => (await erase(shopId, clientId)).body).toMatchObject({ status: 'erased' });

/** The personal data as another process reads it, without a cached key. */
const uncached = () =>
  createPersonalData(createPersonalKeys({ store, masters: testMasters, actor: 'service:test' }));

describe('an erasure', () => {
  test('destroys the personal data of all the client’s operations, and nothing else (R17.7)', async () => {
    const shopId = await newShop();
    const client = { shopId, clientId: 'client / 1' };
    const [one, another] = [await givenSealed(client), await givenSealed(client)];
    const other = await givenSealed({ shopId, clientId: 'client 2' });
    await isListed(shopId, 3);
    const listed: string[] = [];
    for await (const page of listOperationsOfClient(admin.db, client, 1))
      listed.push(...page.map(({ operationId }) => operationId));
    expect(listed.toSorted()).toEqual([one.operationId, another.operationId].toSorted());
    const before = await admin.call(`GET /admin/v1/operations/${one.operationId}/events`);
    expect(JSON.stringify(before.body)).toContain(address);
    for (const { operationId } of [one, other])
      await givenDelivery(operationId, { shopId, answer: 'thank you, Иван Иванов' });

    const requested = await erase(shopId, 'client / 1');
    const inProgress = { status: 'in_progress', requested_by: 'admin', erased_at: null };
    const body = { ...inProgress, client_id: 'client / 1' };
    expect(requested).toMatchObject({ status: 202, body });
    startEraser();
    await isErased(shopId, 'client / 1');
    const path = `/admin/v1/shops/${shopId}/erasures/${requested.body['erasure_id']}`;
    expect(await admin.call(`GET ${path}`, { token: tokens.auditor })).toMatchObject({
      status: 200,
      body: { status: 'erased', operations: 2, operations_in_clear: 0 },
    });

    for (const { operationId } of [one, another]) {
      const operation = await readOperation(store, operationId);
      expect(operation && (await uncached().open(operation))).toEqual({ erased: true });
    }
    expect(await answersOf(one.operationId)).toEqual([null]);
    expect(await answersOf(other.operationId)).toEqual(['thank you, Иван Иванов']);
    const untouched = await readOperation(store, other.operationId);
    expect(untouched && (await uncached().open(untouched))).toMatchObject({
      requisites: { number: '+79001234567', name: 'Иван Иванов' },
    });
    // A new process has no cached key.
    const admin2 = await admin.startInstance({ personal: uncached() });
    onTestFinished(admin2.stop);
    const { body: after } = await admin2.call<{ events: { data: object }[] }>(
      `GET /admin/v1/operations/${one.operationId}/events`,
    );
    const [admitted, , accepted] = after.events;
    expect([admitted?.data, accepted?.data]).toMatchObject([
      { request: { client_ip: { erased: true }, amount: '100.00' } },
      { requisites: { erased: true, bankname: 'sberbank' } },
    ]);
    const shown = await admin2.call(`GET /admin/v1/operations/${one.operationId}`);
    expect(shown.body).toMatchObject({ status: 'cancelled', personal_data: 'erased' });
    // Ids are random, and may contain any four digits.
    const ids = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
    const bodies = JSON.stringify([after, shown.body]).replaceAll(ids, '');
    expect(bodies).not.toMatch(/Иван|192\.0\.2|4567/);
  });

  test('is rejected while an operation of the client is open, and for an unknown client (R17.7)', async () => {
    const shopId = await newShop();
    expect(await erase(shopId, 'unknown-client')).toMatchObject(problem(404, 'not_found'));
    await givenSealed({ shopId, clientId: 'busy', open: true });
    await isListed(shopId, 1, { open: 1 });
    expect(await erase(shopId, 'busy')).toMatchObject(problem(409, 'client_operations_open'));
    expect(await erase(shopId, 'busy', tokens.operator)).toMatchObject({ status: 403 });
    const keyId = personalKeyId({ shopId, clientId: 'busy' }, 0);
    expect(await store.read(erasureStream(keyId))).toEqual([]);
  });

  test('is accepted once the operation is terminal in the log, even if the read models lag', async () => {
    const shopId = await newShop();
    const operation = await givenSealed({ shopId, clientId: 'recent', open: true });
    await isListed(shopId, 1, { open: 1 });
    await admin.db.transaction().execute(async (behind) => {
      // The lock stops the read models.
      await sql`lock table gateway.operations in share row exclusive mode`.execute(behind);
      await end(operation, [cancelled]);
      expect(await erase(shopId, 'recent')).toMatchObject({ status: 202 });
    });
  });

  test('does not affect later operations, which have another key, and can be repeated for them', async () => {
    const shopId = await newShop();
    const client = { shopId, clientId: 'comes again' };
    const erased = await givenSealed(client);
    await isListed(shopId, 1);
    await erase(shopId, client.clientId);
    startEraser();
    await isErased(shopId, client.clientId);
    expect((await erase(shopId, client.clientId)).status).toBe(200);
    const next = await givenSealed({ ...client, open: true });
    const operation = await readOperation(store, next.operationId);
    expect(operation && (await uncached().open(operation))).toMatchObject({ erased: false });
    await isListed(shopId, 2, { open: 1 });
    expect((await erase(shopId, client.clientId)).status).toBe(409);
    await end(next, [cancelled]);
    await expect.poll(async () => (await erase(shopId, client.clientId)).status).toBe(202);
    await isErased(shopId, client.clientId);
    const first = await readOperation(store, erased.operationId);
    expect(first && (await uncached().open(first))).toEqual({ erased: true });
  });

  test('waits for an operation that started with the key before the key was retired', async () => {
    const shopId = await newShop();
    const client = { shopId, clientId: 'slips in' };
    await givenSealed(client);
    await isListed(shopId, 1);
    const keyId = personalKeyId(client, 0);
    const lateOperation = await admin.db.transaction().execute(async (behind) => {
      // The lock keeps the operation out of the read models until the request is accepted.
      await sql`lock table gateway.operations in share row exclusive mode`.execute(behind);
      const operation = await givenSealed({ ...client, open: true });
      expect(await erase(shopId, client.clientId)).toMatchObject({ status: 202 });
      return operation;
    });
    expect(await store.read(erasureStream(keyId))).toHaveLength(1);
    const lines: string[] = [];
    startEraser({ logger: pino({ level: 'info' }, { write: (line) => void lines.push(line) }) });
    await expect.poll(() => lines.join('')).toContain('1 operations have not ended');
    expect((await readKeyState(store, keyId)).state).toBe('retired');
    await end(lateOperation, [cancelled]);
    await isErased(shopId, client.clientId);
  });
});

/** The number of the shop's files that wait for their confirmation. */
function waiting(shopId: string): number {
  const folder = folderOfFiles(personalKeyId(clientOfFiles(shopId), 0));
  return [...files.keys()].filter((key) => key.startsWith(folder)).length;
}

/** Sends a file with a payout to the client. */
async function upload(shopId: string, clientId: string): Promise<void> {
  const issued = await admin.call<{ key_id: string }>(`POST /admin/v1/shops/${shopId}/api-keys`, {
    body: { label: 'till' },
    token: tokens.admin,
  });
  const origin = { actor: `merchant:${shopId}`, keyId: issued.body.key_id, correlationId: 'test' };
  const file = await readPayoutFile(
    Buffer.from(
      `merchant_operation_id,client_id,method,amount,currency,number\na,${clientId},WT_RUB_C2C,10.00,RUB,2200123456789010`,
    ),
  );
  await checkBatch(
    { store, receipts, personal: testPersonalData(store) },
    { shop: await readShop(store, shopId), file, origin },
  );
}

test('reaches a file of payouts that waits for its confirmation, also for a client without operations (R17.7, R24.4)', async () => {
  const [shopId, otherShopId] = [await newShop(), await newShop()];
  for (const of of [shopId, otherShopId]) await upload(of, 'only in a file');
  expect([waiting(shopId), waiting(otherShopId)]).toEqual([1, 1]);

  // A client that has no data leaves the files as they are.
  expect(await erase(shopId, 'only in a fill')).toMatchObject(problem(404, 'not_found'));
  expect(await erase(shopId, 'only in a file')).toMatchObject({ status: 202 });
  const filesKey = personalKeyId(clientOfFiles(shopId), 0);
  // Before that of the client, which a confirmation in progress may replace.
  expect((await readKeyState(store, filesKey)).state).toBe('retired');
  startEraser();
  await isErased(shopId, 'only in a file');
  await expect.poll(async () => (await readKeyState(store, filesKey)).state).toBe('destroyed');
  expect([waiting(shopId), waiting(otherShopId)]).toEqual([0, 1]);
  // Nothing waits any more: a repeat finds the same erasure.
  expect(await erase(shopId, 'only in a file')).toMatchObject({
    status: 200,
    body: { status: 'erased' },
  });
  // Nor does a repeat erase files without the client.
  await upload(shopId, 'another');
  expect((await erase(shopId, 'only in a file')).status).toBe(200);
  const newKey = personalKeyId(clientOfFiles(shopId), 1);
  expect((await readKeyState(store, newKey)).state).toBe('in_use');
  expect((await store.read(erasureStream(filesKey))).map(({ type }) => type)).toEqual([
    'PersonalDataErasureRequested',
    'PersonalDataErased',
  ]);
});

test('erases the files of a shop in which one is damaged, as it may have a row of the client (R24.4)', async () => {
  const shopId = await newShop();
  await testPersonalData(store).sealer(clientOfFiles(shopId));
  const filesKey = personalKeyId(clientOfFiles(shopId), 0);
  files.set(`${folderOfFiles(filesKey)}/${newId()}`, Buffer.from('cut off'));
  expect(await erase(shopId, 'client')).toMatchObject({ status: 202 });
  expect((await readKeyState(store, filesKey)).state).toBe('retired');
});

/** Sweeps files until the test ends. `sweeps`: how often those of the shop were listed. */
function sweepFilesOf(
  shopId: string,
  nowMs: () => number,
  beforeList: (folder: string) => void = () => undefined,
) {
  const stopped = new AbortController();
  const stops: (() => Promise<unknown>)[] = [];
  const swept = { sweeps: 0 };
  const list: typeof receipts.list = async (folder) => {
    if (folder === filesOf(shopId)) swept.sweeps += 1;
    beforeList(folder);
    return receipts.list(folder);
  };
  sweepWaitingFiles(
    { logger, signal: stopped.signal, onStop: (stop) => void stops.push(async () => stop()) },
    { db: admin.db, store, receipts: { ...receipts, list }, everyMs: 20, nowMs },
  );
  onTestFinished(async () => {
    stopped.abort();
    for (const stop of stops) await stop();
  });
  return swept;
}
const filesOf = (shopId: string) => folderOfFiles(personalKeyId(clientOfFiles(shopId), 0));
const dayMs = 24 * 60 * 60_000;

test('deletes files of payouts that are not confirmed within 30 days (R24.10)', async () => {
  const shopId = await newShop();
  await upload(shopId, 'client');
  let nowMs = 30 * dayMs - 1;
  const swept = sweepFilesOf(shopId, () => nowMs);
  await expect.poll(() => swept.sweeps).toBeGreaterThan(1);
  expect(waiting(shopId)).toBe(1);
  nowMs += 1;
  await expect.poll(() => waiting(shopId)).toBe(0);
});

test('deletes the files of other shops if those of one can’t be read (R24.10)', async () => {
  const shops = [await newShop(), await newShop()];
  for (const shopId of shops) await upload(shopId, 'client');
  const [one = '', other = ''] = shops;
  // Whichever is first fails.
  let failing: string | undefined;
  const swept = sweepFilesOf(
    one,
    () => 30 * dayMs,
    (folder) => {
      if (!shops.some((shopId) => filesOf(shopId) === folder)) return;
      failing ??= folder;
      if (failing === folder) throw new Error('the store does not answer');
    },
  );
  await expect.poll(() => waiting(one) + waiting(other)).toBe(1);
  expect(swept.sweeps).toBeGreaterThan(0);
});

test('deletes no file because the clock of this machine is ahead (R24.10)', async () => {
  const shopId = await newShop();
  await upload(shopId, 'client');
  storedAtMs = Date.now();
  onTestFinished(() => void (storedAtMs = 0));
  const swept = sweepFilesOf(shopId, () => Date.now() + 31 * dayMs);
  await expect.poll(() => swept.sweeps).toBeGreaterThan(1);
  expect(waiting(shopId)).toBe(1);
});

/** Ports of a process that dies at the `at`th write: before it is made, or after it took effect. */
function dyingPorts(at: number, moment: 'before' | 'after') {
  let calls = 0;
  const died = Promise.withResolvers<void>();
  const never = new Promise<never>(() => undefined);
  const fatal = <Args extends unknown[], Result>(write: (...args: Args) => Promise<Result>) => {
    return async (...args: Args): Promise<Result> => {
      if (calls > at) return never;
      calls += 1;
      const isLast = calls === at + 1;
      if (isLast) calls += 1;
      if (isLast && moment === 'before') died.resolve();
      if (isLast && moment === 'before') return never;
      const result = await write(...args);
      if (isLast) died.resolve();
      return isLast ? never : result;
    };
  };
  const ports: Pick<ErasurePorts, 'store' | 'receipts'> = {
    store: { ...store, append: fatal(store.append), tombstone: fatal(store.tombstone) },
    receipts: { removeAll: fatal(receipts.removeAll) },
  };
  return { ports, died: died.promise };
}

// The writes: retire the key, remove the file, remove what waits, destroy the key, record the
// completion.
test.each([0, 1, 2, 3, 4].flatMap((at) => [[at, 'before'] as const, [at, 'after'] as const]))(
  'an erasure that dies at step %i, %s the write, is finished by another process',
  async (at, moment) => {
    const shopId = await newShop();
    const client = { shopId, clientId: 'c' };
    const operation = await givenSealed({ ...client, open: true });
    const { operationId } = operation;
    await end(operation, [operation.uploaded, declined]);
    // The file of a rejected upload, left by a process that died before it removed the file.
    files.set(`${operationId}/${newId()}`, new Uint8Array([2]));
    await isListed(shopId, 1);
    await expect.poll(async () => (await erase(shopId, 'c')).status).toBe(202);
    const { ports, died } = dyingPorts(at, moment);
    const dying = new AbortController();
    // It hangs forever, like a killed process.
    void sweepErasures({ ...ports, db: admin.db, logger, everyMs: 20, afterMs: 0 }, dying.signal);
    await died;
    dying.abort();
    startEraser();
    await isErased(shopId, 'c');
    expect([...files.keys()].filter((key) => key.startsWith(operationId))).toEqual([]);
    expect((await readKeyState(store, personalKeyId(client, 0))).state).toBe('destroyed');
    const events = await store.read(erasureStream(personalKeyId(client, 0)));
    expect(events.map(({ type, metadata }) => [type, metadata.actor])).toEqual([
      ['PersonalDataErasureRequested', 'operator:admin'],
      ['PersonalDataErased', 'operator:admin'],
    ]);
  },
);

test('the audit finds nothing in the log, without any key', async () => {
  const log = connectRawLog(admin.eventStoreUrl);
  const events = [];
  for await (const batch of log.read(0)) events.push(...batch);
  await log.close();
  const streams = events.map(({ stream, type }) => `${type} ${stream}`);
  const destroyed = `^\\$streamDeleted ${personalKeyStream('')}`;
  expect(streams).toContainEqual(expect.stringMatching(destroyed));
  const { findings } = await auditLog(events);
  expect(findings).toEqual([]);
});
