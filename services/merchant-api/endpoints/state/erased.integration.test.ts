import { describe, expect, it } from 'vitest';
import { storeForFile } from '#infra/verify/harness/stores/store.ts';
import { operationStream } from '#shared/domain/operation/events.ts';
import { personalKeyStream } from '#shared/domain/personal-data/events.ts';
import type { ErasableEventStore } from '#shared/platform/event-store/index.ts';
import { newId } from '#shared/platform/ids.ts';
import { personalKeyId } from '#shared/application/personal-data/keys.ts';
import { useGateway } from '../../testing/gateway.ts';

const gateway = useGateway();
const store = storeForFile();

const logOf = async (operationId: string) =>
  JSON.stringify((await store.read(operationStream(operationId))).map(({ data }) => data));
/** Destroys the client's key, as the last step of an erasure does. */
const destroyKey = (shopId: string, clientId: string, generation = 0) =>
  store.tombstone(personalKeyStream(personalKeyId({ shopId, clientId }, generation)));

describe('personal data', () => {
  it('is encrypted in events and readable in responses (R17.6)', async () => {
    const shop = await gateway.shop({
      routes: [{}, { type: 'payout' }],
      overdraftLimits: { RUB: '1000.00' },
    });
    const { body: payment } = await shop.pay({ client_ip: '192.0.2.55' });
    expect(payment).toMatchObject({ number: expect.any(String), name: expect.any(String) });
    const { body: payout } = await shop.payOut({ name: 'Пётр Тайный', number: '2200700812345678' });
    expect(payout).toMatchObject({ number: '220070******5678', name: 'Пётр Тайный' });
    const seen = await gateway.provider.seen(payout.operation_id);
    expect(JSON.stringify(seen)).toContain('2200700812345678');

    const log = `${await logOf(payment.operation_id)}${await logOf(payout.operation_id)}`;
    const secrets = [payment.number, payment.name, '192.0.2.55', 'Пётр Тайный', '2200700812345678'];
    for (const secret of secrets) expect(log).not.toContain(secret);

    const elsewhere = shop.on(await gateway.secondInstance());
    for (const created of [payment, payout]) {
      const { body } = await elsewhere.state({ operation_id: created.operation_id });
      expect(body).toMatchObject({ number: created.number, name: created.name });
    }
  });

  it('is absent from responses once its key is destroyed; the rest remains (R10.10)', async () => {
    const shop = await gateway.shop();
    const create = { merchant_operation_id: newId(), client_id: newId() };
    const { body: created } = await shop.pay(create);
    const { operation_id } = created;
    await gateway.provider.act(operation_id, 'settle', { result: 'completed' });
    const { body: before } = await shop.state({ operation_id });
    const [receipt] = before.receipts;
    const path = receipt.receipt_url.slice('http://gateway.test'.length) as string;
    await destroyKey(shop.shopId, create.client_id);

    const api = await gateway.secondInstance();
    const { number: _number, name: _name, ...rest } = before;
    const after = await shop.on(api).state({ operation_id });
    expect(after).toMatchObject({ status: 200 });
    expect(after.body).toEqual({ ...rest, receipts: [{ ...receipt, receipt_url: null }] });
    expect((await api.request(path)).status).toBe(403);
    const repeated = await shop.on(api).pay(create);
    expect(repeated.headers.get('idempotent-replayed')).toBe('true');
    expect(repeated.body).not.toHaveProperty('number');
    expect(repeated.body).toMatchObject({ operation_id, status: 'completed' });
  });

  it('is encrypted with a new key if an erased client returns', async () => {
    const shop = await gateway.shop();
    const clientId = newId();
    await shop.pay({ client_id: clientId });
    await destroyKey(shop.shopId, clientId);
    const api = await gateway.secondInstance();
    const { body, status } = await shop
      .on(api)
      .pay({ client_id: clientId, client_ip: '192.0.2.56' });
    expect(status).toBe(200);
    expect(body.number).toEqual(expect.any(String));
    expect(await logOf(body.operation_id)).toContain(
      `v1.${personalKeyId({ shopId: shop.shopId, clientId }, 1)}.`,
    );
  });

  it('is never stored in clear: a create returns 503 if no key can be stored', async () => {
    const shop = await gateway.shop();
    const failing = {
      ...gateway.store,
      // A new client gets a key without a read, so only the append delays it.
      append: (request: Parameters<ErasableEventStore['append']>[0]) =>
        request.stream.startsWith('personal-')
          ? Promise.reject(new Error('the store is away'))
          : gateway.store.append(request),
    };
    const api = await gateway.secondInstance({ store: failing });
    const create = { merchant_operation_id: newId(), client_id: newId(), client_ip: '192.0.2.57' };
    expect(await shop.on(api).pay(create)).toMatchObject({
      status: 503,
      body: { code: 'not_ready' },
    });
    expect(await shop.pay(create)).toMatchObject({ status: 200, body: { status: 'pending' } });
  });
});
