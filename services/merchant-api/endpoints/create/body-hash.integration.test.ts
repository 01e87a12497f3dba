import { hash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { storeForFile } from '#infra/verify/harness/stores/store.ts';
import { operationStream } from '#shared/domain/operation/events.ts';
import { personalKeyStream } from '#shared/domain/personal-data/events.ts';
import { hashBody, newId } from '#shared/platform/ids.ts';
import { personalKeyId } from '#shared/application/personal-data/keys.ts';
import { useGateway } from '../../testing/gateway.ts';

const gateway = useGateway();
const store = storeForFile();

const number = '2200700812345678';
const [another, address] = ['2200700812345679', '192.0.2.77'];
const payoutShop = () =>
  gateway.shop({ routes: [{ type: 'payout' }], overdraftLimits: { RUB: '100000.00' } });
const payout = () =>
  gateway.payout({ client_id: newId(), number, name: 'Пётр Тайный', client_ip: address });
const admissionOf = async (operationId: string) =>
  (await store.read(operationStream(operationId)))[0] as {
    data: { body_hash: object };
    metadata: object;
  };
const mismatch = { status: 412, body: { code: 'idempotency_body_mismatch', retryable: false } };
const replayed = (answer: { status: number; headers: Headers }) => [
  answer.status,
  answer.headers.get('idempotent-replayed'),
];

describe('the hash of a body', () => {
  it('cannot be matched by guessing personal data, and detects any change (R4.3, R17.8)', async () => {
    const shop = await payoutShop();
    const body = payout();
    const { operation_id } = (await shop.post('/v1/payout', body)).body;
    const again = payout();
    const second = (await shop.post('/v1/payout', { ...again, client_id: body.client_id })).body;
    const { body_hash } = (await admissionOf(operation_id)).data;
    const {
      number: _number,
      client_ip: _ip,
      name: _name,
      ...rest
    } = body as Record<string, unknown>;
    expect(body_hash).toEqual({
      rest: hashBody(rest),
      personal: { key_id: expect.any(String), hmac: expect.stringMatching(/^[0-9a-f]{64}$/) },
    });
    const log = JSON.stringify(
      await store.read(operationStream(operation_id)),
      (_key, value: unknown) => (typeof value === 'bigint' ? String(value) : value),
    );
    for (const guess of [body, { number }, { client_ip: address, name: 'Пётр Тайный', number }])
      expect(log).not.toContain(hashBody(guess));
    expect(log).not.toContain(hash('sha256', number, 'hex'));
    // The same number in another operation of the same client can't be recognised either.
    expect((await admissionOf(second.operation_id)).data.body_hash).not.toMatchObject({
      personal: { hmac: (body_hash as { personal: { hmac: string } }).personal.hmac },
    });

    const other = shop.on(await gateway.secondInstance());
    const reordered = Object.fromEntries(Object.entries(body).toReversed());
    expect(replayed(await other.post('/v1/payout', reordered))).toEqual([200, 'true']);
    const { client_ip: _omitted, ...without } = body as Record<string, unknown>;
    for (const changed of [
      { ...body, number: another },
      { ...body, name: 'Другой' },
      { ...body, name: '' },
      { ...body, client_ip: '203.0.113.7' },
      { ...body, client_id: newId() },
      { ...body, amount: '100.01' },
      without,
    ])
      expect(await other.post('/v1/payout', changed)).toMatchObject(mismatch);
    expect((await shop.state({ operation_id })).body).toMatchObject({
      status: 'pending',
      expected_amount: '100.00',
    });
  });

  it('tells which fields differ, without their values (R4.3)', async () => {
    const shop = await payoutShop();
    const body = payout();
    await shop.post('/v1/payout', body);
    const detailOf = async (change: object, path = '/v1/payout') =>
      (await shop.post(path, { ...body, ...change })).body.detail as string;
    const first = 'from the first request with this merchant_operation_id';
    expect(await detailOf({ amount: '100.01' })).toBe(`amount differs ${first}`);
    expect(await detailOf({ amount: '100.01', client_id: newId() })).toBe(
      `client_id, amount differ ${first}`,
    );
    expect(await detailOf({ bankname: 'sberbank' })).toBe(`bankname differs ${first}`);
    const personal = 'at least one of number, name, client_ip differs';
    expect(await detailOf({ number: another })).toBe(`${personal} ${first}`);
    expect(await detailOf({ name: 'Другой', amount: '1.00' })).toBe(
      `amount differs; ${personal} ${first}`,
    );
    expect(await detailOf({}, '/v1/payment')).toBe('the merchant_operation_id is that of a payout');
    const { merchant_operation_id } = gateway.payout();
    await shop.post('/v1/cancel_operation', { merchant_operation_id });
    expect(await detailOf({ merchant_operation_id })).toBe(
      'the merchant_operation_id was cancelled as a payment',
    );
  });

  it('names metadata as what differs where a payment has nothing else (R4.3)', async () => {
    const shop = await gateway.shop();
    const body = gateway.payment({ metadata: { order: '1' } });
    await shop.post('/v1/payment', body);
    const changed = await shop.post('/v1/payment', { ...body, metadata: { order: '2' } });
    expect(changed).toMatchObject(mismatch);
    expect(changed.body.detail).toMatch(/^metadata differs from the first request/);
  });

  it('has no personal part without personal data, and covers unused fields too', async () => {
    const shop = await gateway.shop();
    const plain = gateway.payment({ client_id: newId() });
    const named = gateway.payment({ client_id: newId(), number, name: 'Пётр Тайный' });
    const [one, two] = [
      await shop.post('/v1/payment', plain),
      await shop.post('/v1/payment/link', named),
    ];
    const admission = await admissionOf(one.body.operation_id);
    expect(admission.data.body_hash).toEqual({ rest: hashBody(plain) });
    expect((await admissionOf(two.body.operation_id)).data).toMatchObject({
      body_hash: { personal: expect.anything() },
      endpoint: '/v1/payment/link',
      api_version: 'v1',
    });
    const other = shop.on(await gateway.secondInstance());
    expect(replayed(await other.post('/v1/payment', named))).toEqual([200, 'true']);
    for (const path of ['/v1/payment', '/v1/payment/link'])
      expect(await other.post(path, { ...named, number: another })).toMatchObject(mismatch);
  });

  it('ignores personal fields once the client is erased, and not before', async () => {
    const shop = await payoutShop();
    const body = payout();
    await shop.post('/v1/payout', body);
    const client = { shopId: shop.shopId, clientId: body.client_id };
    const stream = personalKeyStream(personalKeyId(client, 0));
    const metadata = { correlation_id: 'c', actor: 'operator:olga', schema_version: 1 };
    const data = { key_id: personalKeyId(client, 0) };
    const retired = { id: newId(), type: 'PersonalKeyRetired', data, metadata };
    await store.append({ stream, expectedRevision: 0, events: [retired] });
    const beforeErasure = shop.on(await gateway.secondInstance());
    expect(replayed(await beforeErasure.post('/v1/payout', body))).toEqual([200, 'true']);
    expect(await beforeErasure.post('/v1/payout', { ...body, number: another })).toMatchObject(
      mismatch,
    );

    await store.tombstone(stream);
    const afterErasure = shop.on(await gateway.secondInstance());
    expect(replayed(await afterErasure.post('/v1/payout', body))).toEqual([200, 'true']);
    expect(replayed(await afterErasure.post('/v1/payout', { ...body, number: another }))).toEqual([
      200,
      'true',
    ]);
    expect(await afterErasure.post('/v1/payout', { ...body, amount: '100.01' })).toMatchObject(
      mismatch,
    );
  });
});
