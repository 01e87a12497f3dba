import { describe, expect, it } from 'vitest';
import { createSecretKey, randomBytes } from 'node:crypto';
import type { OperationRequest } from '#shared/domain/operation/events.ts';
import { admitted, given, route } from '#shared/domain/operation/testing/given.ts';
import type { Operation } from '#shared/domain/operation/state.ts';
import type { PersonalKeys } from './keys.ts';
import { createPersonalData, erasedMark } from './personal-data.ts';
import { sealedRequisites } from './testing/personal-data.ts';

const keyId = 'k'.repeat(22);
const key = createSecretKey(randomBytes(32));
const keysOf = (exists: boolean): PersonalKeys => ({
  forSealing: async () => ({ keyId, key }),
  forSealingAfterEnd: async () => (exists ? { keyId, key } : undefined),
  forOpening: async () => (exists ? key : undefined),
});
const [withKey, withoutKey] = [createPersonalData(keysOf(true)), createPersonalData(keysOf(false))];

const plain = {
  client_id: 'client-1',
  client_ip: '192.0.2.1',
  method: 'WT_RUB_PHONE',
  amount: '100.00',
  currency: 'RUB',
  destination: {
    number: '+79000000000',
    name: 'Иван',
    bankname: 'sberbank',
    bankname_details: 'Сбербанк',
  },
  metadata: { 'order.id': 'Тайный заказ' },
};
const requisites = { number: '+79000000001', bankname: 'sberbank' };

async function sealedOperation() {
  const { state } = given(admitted());
  const operation = state as Operation;
  const sealer = await withKey.sealer({ shopId: operation.shopId, clientId: 'client-1' });
  const request: OperationRequest = sealer.request(operation.operationId, plain);
  const about = { operationId: operation.operationId, attempt: 1 };
  const sealed = sealedRequisites(sealer, about, requisites);
  const accepted = { attempt: 1, requisites: sealed, confirmationRequired: false };
  return { ...operation, request, accepted };
}

describe('personal data', () => {
  it('is sealed completely, and no other field is (R17.6)', async () => {
    const { request, accepted } = await sealedOperation();
    const text = JSON.stringify([request, accepted]);
    for (const secret of ['7900000000', 'Иван', '192.0.2.1', 'Тайный'])
      expect(text).not.toContain(secret);
    expect(request).toMatchObject({
      client_id: 'client-1',
      amount: '100.00',
      client_ip: { sealed: expect.any(String) },
      destination: {
        sealed: expect.any(String),
        bankname: 'sberbank',
        bankname_details: 'Сбербанк',
      },
      metadata: { sealed: expect.any(String) },
    });
    expect(Object.keys(accepted.requisites)).toEqual(['sealed', 'bankname']);
  });

  it('is decrypted unchanged', async () => {
    const operation = await sealedOperation();
    expect(await withKey.open(operation)).toEqual({
      erased: false,
      destination: { number: '+79000000000', name: 'Иван' },
      requisites: { number: '+79000000001' },
      fields: { metadata: plain.metadata },
    });
    const { operationId, request } = operation;
    expect(await withKey.openFields(operationId, request)).toEqual({ metadata: plain.metadata });
    const event = admitted();
    if (event.type !== 'OperationAdmitted') throw new Error('not an admission');
    const opened = await withKey.openEvent(operationId, {
      ...event,
      data: { ...event.data, request },
    });
    expect(opened.data).toMatchObject({
      request: { ...plain, metadata: { opened: plain.metadata } },
    });
  });

  it('is omitted once its key is destroyed; other fields remain', async () => {
    const operation = await sealedOperation();
    expect(await withoutKey.open(operation)).toEqual({ erased: true });
    const { operationId, request } = operation;
    expect(await withoutKey.openFields(operationId, request)).toEqual({});
    const event = {
      type: 'AttemptAccepted',
      data: {
        attempt: 1,
        provider_reference: 'ref',
        requisites: operation.accepted.requisites,
        confirmation_required: route().requires_receipt,
      },
    } as const;
    expect((await withoutKey.openEvent(operation.operationId, event)).data).toMatchObject({
      provider_reference: 'ref',
      requisites: { ...erasedMark, bankname: 'sberbank' },
    });
  });

  it('cannot be decrypted as another operation’s (R17.6)', async () => {
    const operation = await sealedOperation();
    await expect(withKey.open({ ...operation, operationId: 'another' })).rejects.toThrow(/./);
  });

  it('is refused if what was sealed is of another kind', async () => {
    const operation = await sealedOperation();
    const { operationId, shopId } = operation;
    const sealer = await withKey.sealer({ shopId, clientId: 'client-1' });
    const sealedAs = (about: string, value: unknown) => ({
      sealed: sealer.text(`${operationId} ${about}`, JSON.stringify(value)),
    });
    const destination = sealedAs('destination', { number: 7 });
    const open = withKey.open({ ...operation, request: { ...operation.request, destination } });
    await expect(open).rejects.toThrow('number');
    for (const metadata of [null, 'text', { 'order.id': 7 }]) {
      const opened = withKey.openFields(operationId, { metadata: sealedAs('metadata', metadata) });
      await expect(opened).rejects.toThrow(/./);
    }
  });

  it('is returned unchanged if it is stored in clear', async () => {
    const operation = await sealedOperation();
    const inClear = {
      ...operation,
      request: { ...plain, metadata: { opened: plain.metadata } },
      accepted: { ...operation.accepted, requisites },
    };
    expect(await withoutKey.open(inClear)).toEqual({
      erased: false,
      destination: { number: '+79000000000', name: 'Иван' },
      requisites: { number: '+79000000001' },
      fields: { metadata: plain.metadata },
    });
  });
});
