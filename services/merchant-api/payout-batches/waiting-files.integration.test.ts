import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { ZodError } from 'zod';
import { toNewEvents } from '#shared/application/commands/new-events.ts';
import { readShop } from '#shared/application/directory/command-shop.ts';
import { checkBatch, createRuns } from '#shared/application/payout-batches/batches.ts';
import { createPayoutFiles } from '#shared/application/payout-batches/payout-files.ts';
import { readPayoutFile } from '#shared/application/payout-batches/read-file.ts';
import { workbookFile, zip } from '#shared/application/payout-batches/testing/workbook-file.ts';
import {
  clientOfFiles,
  folderOfFiles,
  removeExpiredFiles,
} from '#shared/application/payout-batches/waiting-files.ts';
import { personalKeyId } from '#shared/application/personal-data/keys.ts';
import type { PersonalData } from '#shared/application/personal-data/personal-data.ts';
import { testPersonalData } from '#shared/application/personal-data/testing/personal-data.ts';
import {
  mostRowsInEvent,
  payoutBatchStream,
  payoutRowsStream,
} from '#shared/domain/payout-batch/events.ts';
import { personalKeyStream } from '#shared/domain/personal-data/events.ts';
import type { EventStore } from '#shared/platform/event-store/index.ts';
import { createTokenBuckets } from '#shared/platform/http/token-buckets.ts';
import { newId } from '#shared/platform/ids.ts';
import type { Json } from '../testing/client.ts';
import { useInstances } from '../testing/instances.ts';
import { setUpShop } from '../testing/shop.ts';

const { started, instance, receipts } = useInstances(() => inject('eventStoreUrl'));

const origin = { actor: 'service:test', correlationId: 'test' };
const header = 'merchant_operation_id,client_id,method,amount,currency,number,name,bankname';
const number = '2200123456789010';
const fileOf = (rows: number, clientOf: (row: number) => string = () => 'client-1') =>
  [
    header,
    ...Array.from(
      { length: rows },
      (_, row) => `${newId()},${clientOf(row)},WT_RUB_C2C,10.00,RUB,${number},Ivan Petrov,`,
    ),
  ].join('\n');

async function newClient(change: Parameters<typeof instance>[0] = {}) {
  const { shopId, apiKey } = await setUpShop(started.store, { routes: [{ type: 'payout' }] });
  const on = (api: ReturnType<typeof instance>) => ({
    call: async (path: string, body?: string) => {
      const headers = { 'x-api-key': apiKey, 'content-type': 'text/csv' };
      const post = { method: 'POST', ...(body !== undefined && { body }) };
      const response = await api.request(`/v1/payout-batches${path}`, { ...post, headers });
      return { status: response.status, body: (await response.json()) as Json };
    },
  });
  return { shopId, apiKey, on, ...on(instance(change)) };
}

/** The store, and the streams that were written through it. */
function recordStreams() {
  const streams: string[] = [];
  const append: EventStore['append'] = (request) => {
    streams.push(request.stream);
    return started.store.append(request);
  };
  return { streams, store: { ...started.store, append } };
}

describe('a file that waits for its confirmation', () => {
  it('has no rows outside of the log if its event can not be decoded (R24.4)', async () => {
    const { store } = started;
    const shop = await readShop(store, (await newClient()).shopId);
    const ports = { store, receipts, personal: testPersonalData(store) };
    const file = await readPayoutFile(Buffer.from(fileOf(1)));
    const checked = checkBatch(ports, { shop, file: { ...file, rows: 0.5 }, origin });
    await expect(checked).rejects.toThrow(ZodError);
    const { keyId } = await ports.personal.sealer(clientOfFiles(shop.shopId));
    expect(await receipts.list(folderOfFiles(keyId))).toEqual([]);
  });

  it('has nothing in the log but the event that names it, and one key of the shop’s files (R24.4)', async () => {
    const { streams, store } = recordStreams();
    const { call, shopId } = await newClient({ store });
    const keyStream = personalKeyStream(personalKeyId(clientOfFiles(shopId), 0));
    const [first, second] = [
      await call('', fileOf(60, String)),
      await call('', fileOf(60, String)),
    ];
    expect([first.status, second.status]).toEqual([201, 201]);
    const ids: string[] = [first, second].map(({ body }) => body.batch_id);
    expect(streams).toEqual([keyStream, ...ids.map(payoutBatchStream)]);
    const [checked] = await started.store.read(payoutBatchStream(ids[0] ?? ''));
    expect(checked?.data).toEqual({
      batch_id: ids[0],
      shop_id: shopId,
      rows: 60,
      total: { RUB: '600.00' },
      errors: [],
      sealed_file: expect.stringMatching(/^v1\./),
    });
    await call(`/${ids[0]}/confirm`);
    expect(streams.filter((stream) => stream === payoutRowsStream(ids[0] ?? ''))).toHaveLength(2);
    expect(streams).toContain(personalKeyStream(personalKeyId({ shopId, clientId: '59' }, 0)));
    expect(streams).not.toContain(payoutRowsStream(ids[1] ?? ''));
  });

  it('is stored encrypted, and removed once the log has its rows (R24.4)', async () => {
    const { call, shopId } = await newClient();
    const { body } = await call('', fileOf(3));
    const keyId = personalKeyId(clientOfFiles(shopId), 0);
    const object = `payouts-${Buffer.from(keyId, 'base64url').toString('hex')}/${body.batch_id}`;
    const content = Buffer.from((await receipts.get(object)) ?? '').toString();
    expect(content).toMatch(/^v1\./);
    expect(content).not.toMatch(/22001234|2200 1234|Petrov|client-1/);
    await call(`/${body.batch_id}/confirm`);
    expect(await receipts.get(object)).toBeUndefined();
  });

  it('is confirmed by another instance, which continues where one has stopped (R24.3)', async () => {
    const { streams, store } = recordStreams();
    const { append } = store;
    const dying: EventStore = {
      ...store,
      append: async (request) =>
        request.stream.startsWith('payout-rows-') && request.expectedRevision === 0
          ? Promise.reject(new Error('killed'))
          : append(request),
    };
    const { call, on } = await newClient({ store: dying });
    const { body } = await call('', fileOf(120, String));
    const id: string = body.batch_id;
    expect(await call(`/${id}/confirm`)).toMatchObject({ status: 503 });
    expect(
      (await started.store.read(payoutRowsStream(id))).map(({ revision }) => revision),
    ).toEqual([0]);
    const others = [on(instance()), on(instance())];
    const confirmed = await Promise.all(others.map((other) => other.call(`/${id}/confirm`)));
    expect(confirmed).toMatchObject([{ status: 202 }, { status: 202 }]);
    const events = await started.store.read(payoutRowsStream(id));
    expect(events.map(({ data }) => (data as { rows: unknown[] }).rows.length)).toEqual([
      50, 50, 20,
    ]);
    expect(streams.filter((stream) => stream.startsWith('payout-rows-'))).toHaveLength(1);
  });

  it('can’t be confirmed after an erasure in the shop, and is another batch when sent again (R24.4)', async () => {
    const { call, shopId, on } = await newClient();
    const file = fileOf(2);
    const { body: before } = await call('', file);
    await started.store.tombstone(personalKeyStream(personalKeyId(clientOfFiles(shopId), 0)));
    // Also where the key is cached.
    for (const { call: send } of [{ call }, on(instance())])
      expect(await send(`/${before.batch_id}/confirm`)).toMatchObject({
        status: 412,
        body: { code: 'confirmation_not_expected' },
      });
    expect(await started.store.read(payoutRowsStream(before.batch_id))).toEqual([]);
    const again = on(instance());
    const { body: after } = await again.call('', file);
    expect(after.batch_id).not.toBe(before.batch_id);
    expect(await again.call(`/${after.batch_id}/confirm`)).toMatchObject({ status: 202 });
  });

  it('gets no row with a key that is newer than an erasure during its confirmation (R17.7, R24.4)', async () => {
    const { store } = started;
    let retire = async () => {};
    const erasing: EventStore = {
      ...store,
      append: async (request) => {
        const appended = await store.append(request);
        if (request.stream.startsWith('payout-rows-')) await retire();
        return appended;
      },
    };
    const { call, shopId } = await newClient({ store: erasing });
    const client = { shopId, clientId: 'erased' };
    await testPersonalData(store).sealer(client);
    const { body } = await call(
      '',
      fileOf(51, (row) => (row === 50 ? 'erased' : 'client-1')),
    );
    retire = async () => {
      for (const each of [clientOfFiles(shopId), client]) {
        const keyId = personalKeyId(each, 0);
        const retired = { type: 'PersonalKeyRetired', data: { key_id: keyId } };
        const events = toNewEvents([retired], origin);
        await store.append({ stream: personalKeyStream(keyId), expectedRevision: 0, events });
      }
    };
    expect(await call(`/${body.batch_id}/confirm`)).toMatchObject({
      status: 412,
      body: { code: 'confirmation_not_expected' },
    });
    expect(await store.read(payoutRowsStream(body.batch_id))).toHaveLength(1);
    expect(await call(`/${body.batch_id}/confirm`)).toMatchObject({ status: 412 });
  });

  it.each([
    ['cut off', (content: string) => content.slice(0, -20)],
    ['empty', () => ''],
    ['of another file', (content: string) => content.split('\n').toReversed().join('\n')],
  ])(
    'can’t be confirmed while it is %s, and is when it is sent again (R24.4)',
    async (_, damage) => {
      const { call, shopId } = await newClient();
      const file = fileOf(60);
      const { body } = await call('', file);
      const folder = folderOfFiles(personalKeyId(clientOfFiles(shopId), 0));
      const key = `${folder}/${body.batch_id}`;
      const content = Buffer.from((await receipts.get(key)) ?? '').toString();
      await receipts.put(key, Buffer.from(damage(content)));
      expect(await call(`/${body.batch_id}/confirm`)).toMatchObject({
        status: 412,
        body: { code: 'confirmation_not_expected' },
      });
      expect((await call('', file)).body).toEqual(body);
      expect(await call(`/${body.batch_id}/confirm`)).toMatchObject({ status: 202 });
    },
  );

  it('is deleted after 30 days, and waits again when it is sent again (R24.10)', async () => {
    const { call, shopId } = await newClient();
    const file = fileOf(2);
    const { body } = await call('', file);
    const sentBeforeMs = Date.now() + 2_000;
    const expire = (nowMs: number) =>
      removeExpiredFiles({ store: started.store, receipts }, { shopId, nowMs });
    const days = 24 * 60 * 60_000;
    expect(await expire(sentBeforeMs + 29 * days)).toBe(0);
    expect(await expire(sentBeforeMs + 30 * days)).toBe(1);
    expect(await call(`/${body.batch_id}/confirm`)).toMatchObject({
      status: 412,
      body: { code: 'confirmation_not_expected' },
    });
    expect((await call('', file)).body).toEqual(body);
    expect(await call(`/${body.batch_id}/confirm`)).toMatchObject({ status: 202 });
    expect(await expire(sentBeforeMs + 60 * days)).toBe(0);
  });

  it('stays when it is sent again while older files are deleted (R24.10)', async () => {
    const { call, shopId } = await newClient();
    const file = fileOf(2);
    const { body } = await call('', file);
    const list: typeof receipts.list = async (folder) => {
      const files = await receipts.list(folder);
      // The list has it as old; then it is sent again.
      await call('', file);
      return files.map((each) => ({ ...each, storedAtMs: 0 }));
    };
    const stores = { store: started.store, receipts: { ...receipts, list } };
    expect(await removeExpiredFiles(stores, { shopId, nowMs: Date.now() })).toBe(0);
    expect(await call(`/${body.batch_id}/confirm`)).toMatchObject({ status: 202 });
  });

  it('is stored again when it is sent again (R24.1)', async () => {
    const { call, shopId } = await newClient();
    const file = fileOf(2);
    const { body } = await call('', file);
    const keyId = personalKeyId(clientOfFiles(shopId), 0);
    await receipts.removeAll(`payouts-${Buffer.from(keyId, 'base64url').toString('hex')}`);
    expect(await call(`/${body.batch_id}/confirm`)).toMatchObject({ status: 412 });
    expect((await call('', file)).body).toEqual(body);
    expect(await call(`/${body.batch_id}/confirm`)).toMatchObject({ status: 202 });
  });
});

it('is stored again when its rows are lost after a part of them was recorded (R24.1, R24.3)', async () => {
  const { store } = started;
  const dying: EventStore = {
    ...store,
    append: async (request) =>
      request.stream.startsWith('payout-rows-') && request.expectedRevision === 0
        ? Promise.reject(new Error('killed'))
        : store.append(request),
  };
  const { call, on, shopId } = await newClient({ store: dying });
  const file = fileOf(120, String);
  const { body } = await call('', file);
  expect(await call(`/${body.batch_id}/confirm`)).toMatchObject({ status: 503 });
  await receipts.removeAll(folderOfFiles(personalKeyId(clientOfFiles(shopId), 0)));
  const other = on(instance());
  expect(await other.call(`/${body.batch_id}/confirm`)).toMatchObject({ status: 412 });
  expect((await other.call('', file)).body).toEqual(body);
  expect(await other.call(`/${body.batch_id}/confirm`)).toMatchObject({ status: 202 });
});

it('a check that no reader of the log could decode is not stored (R24.1)', async () => {
  const { shopId } = await setUpShop(started.store, {});
  const { store, streams } = recordStreams();
  const ports = { store, receipts, personal: testPersonalData(started.store) };
  const shop = await readShop(store, shopId);
  const file = { ...(await readPayoutFile(Buffer.from(fileOf(1)))), rows: 0.5 };
  await expect(checkBatch(ports, { shop, file, origin })).rejects.toThrow('expected int');
  expect(streams).toEqual([]);
});

/** Files on ports that note what happens. */
async function useFiles(
  change: (personal: PersonalData) => Partial<PersonalData>,
  nowMs = () => 0,
) {
  const { store } = started;
  const { shopId } = await setUpShop(store, {});
  const { shopId: otherShopId } = await setUpShop(store, {});
  const personal = testPersonalData(store);
  const runs = createRuns(store);
  const files = createPayoutFiles(
    { store, receipts, runs, personal: { ...personal, ...change(personal) } },
    createTokenBuckets({ nowMs }),
  );
  const [shop, other] = [await readShop(store, shopId), await readShop(store, otherShopId)];
  const check = (of: typeof shop, content: string | Uint8Array) =>
    files.check({ shop: of, content: Buffer.from(content), origin });
  return { shop, other, check };
}

describe('a large file', () => {
  /** The rows that were sealed since the event loop had its last turn. */
  let inTurn = 0;
  let longest = 0;
  let looping = true;
  const watch = () => {
    longest = Math.max(longest, inTurn);
    inTurn = 0;
    if (looping) setImmediate(watch);
  };
  beforeAll(() => void setImmediate(watch));
  afterAll(() => void (looping = false));

  it('lets the event loop run after each 50 rows, with one keyed hash in all (R24.9)', async () => {
    let [sealed, hashes] = [0, 0];
    const { shop, check } = await useFiles((personal) => ({
      sealer: async (client) => {
        const sealer = await personal.sealer(client);
        return {
          ...sealer,
          bodyHash: (...args) => {
            hashes += 1;
            return sealer.bodyHash(...args);
          },
          text: (about, plain) => {
            const content: unknown = JSON.parse(plain);
            // The file's name and hash are no list.
            const rows = Array.isArray(content) ? content.length : 0;
            sealed += rows;
            inTurn += rows;
            return sealer.text(about, plain);
          },
        };
      },
    }));
    const { checked } = await check(shop, fileOf(10_000, String));
    expect([checked.rows, sealed, hashes]).toEqual([10_000, 10_000, 1]);
    expect(longest).toBe(mostRowsInEvent);
  });

  it('costs its rows in tokens, of which more than a burst are paid for afterwards (R24.9)', async () => {
    let nowMs = 0;
    const { shop, other, check } = await useFiles(
      () => ({}),
      () => nowMs,
    );
    const { per_second: perSecond, burst } = shop.settings.rate_limit;
    expect([perSecond, burst]).toEqual([1_000, 2_000]);
    await check(shop, fileOf(3_000));
    const refused = { code: 'rate_limited', retryAfterMs: 2_000 };
    await expect(check(shop, fileOf(1_000))).rejects.toMatchObject(refused);
    expect((await check(other, fileOf(1_000))).checked.rows).toBe(1_000);
    nowMs += 1_999;
    await expect(check(shop, fileOf(1_000))).rejects.toMatchObject({ code: 'rate_limited' });
    nowMs += 1;
    expect((await check(shop, fileOf(1_000))).checked.rows).toBe(1_000);
  });

  it('costs nothing if it could not be stored, or has no valid header (R24.9)', async () => {
    let isAvailable = false;
    const { shop, check } = await useFiles((personal) => ({
      sealer: (client) =>
        isAvailable ? personal.sealer(client) : Promise.reject(new Error('unavailable')),
    }));
    const file = fileOf(3_000);
    await expect(check(shop, file)).rejects.toMatchObject({ code: 'not_ready' });
    const wrong = check(shop, file.replace('method', 'methods'));
    await expect(wrong).rejects.toMatchObject({ code: 'invalid_request' });
    isAvailable = true;
    expect((await check(shop, file)).checked.rows).toBe(3_000);
    const again = file.replace('Petrov', 'Petrova');
    await expect(check(shop, again)).rejects.toMatchObject({ code: 'rate_limited' });
  });

  it('costs what its sheet unpacks to, also without a valid header (R24.9)', async () => {
    const { shop, other, check } = await useFiles(() => ({}));
    const sheet = `<worksheet><sheetData>${'<row/>'.repeat(400_000)}</sheetData></worksheet>`;
    const workbook = workbookFile([], { 'xl/worksheets/sheet1.xml': sheet });
    await expect(check(shop, workbook)).rejects.toMatchObject({ code: 'invalid_request' });
    await expect(check(shop, fileOf(1))).rejects.toMatchObject({ code: 'rate_limited' });
    expect((await check(other, fileOf(1))).checked.rows).toBe(1);
  });

  it('costs what is unpacked of it, also if it is damaged (R24.9)', async () => {
    const { shop, check } = await useFiles(() => ({}));
    const texts = `<sst>${'<si></si>'.repeat(190_000)}`;
    const damaged = workbookFile([], {
      'xl/sharedStrings.xml': `${texts}${' '.repeat(2_000_000)}`,
    });
    await expect(check(shop, damaged)).rejects.toMatchObject({ code: 'invalid_request' });
    await expect(check(shop, damaged)).rejects.toMatchObject({ code: 'rate_limited' });
  });

  it('is not unpacked before its tokens are taken (R24.9)', async () => {
    const { shop, check } = await useFiles(() => ({}));
    await check(shop, fileOf(3_000));
    const noWorkbook = zip([{ name: 'a.txt', content: 'a' }]);
    await expect(check(shop, noWorkbook)).rejects.toMatchObject({ code: 'rate_limited' });
  });

  it('costs a token if it is no table at all (R24.9)', async () => {
    const { shop, check } = await useFiles(() => ({}));
    await check(shop, fileOf(1_999));
    const noDirectory = Buffer.from('PK\u0003\u0004 and no directory');
    await expect(check(shop, noDirectory)).rejects.toMatchObject({ code: 'invalid_request' });
    await expect(check(shop, noDirectory)).rejects.toMatchObject({ code: 'rate_limited' });
  });

  it('costs nothing for what is not unpacked of it (R24.9)', async () => {
    const { shop, check } = await useFiles(() => ({}));
    const [columns = [], ...cells] = fileOf(1)
      .split('\n')
      .map((line) => line.split(','));
    const picture = { 'xl/media/image1.png': 'x'.repeat(3_000 * 1_024) };
    const { checked } = await check(shop, workbookFile([columns, ...cells], picture));
    expect(checked).toMatchObject({ rows: 1, errors: [] });
    expect((await check(shop, fileOf(1_900))).checked.rows).toBe(1_900);
  });

  it('is checked alone of its shop, without delaying another’s (R24.9)', async () => {
    const gate = Promise.withResolvers<void>();
    const begun: string[] = [];
    let heldShop = '';
    const { shop, other, check } = await useFiles((personal) => ({
      sealer: async (client) => {
        begun.push(client.shopId);
        if (client.shopId === heldShop) await gate.promise;
        return personal.sealer(client);
      },
    }));
    heldShop = shop.shopId;
    const own = [check(shop, fileOf(1)), check(shop, fileOf(1))];
    await check(other, fileOf(1));
    await check(other, fileOf(1));
    expect(begun.filter((each) => each === heldShop)).toHaveLength(1);
    gate.resolve();
    await Promise.all(own);
    expect(begun.filter((each) => each === heldShop)).toHaveLength(2);
  });
});
