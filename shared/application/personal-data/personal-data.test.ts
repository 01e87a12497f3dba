import { describe, expect, it } from 'vitest';
import { createSecretKey, randomBytes } from 'node:crypto';
import type { OperationRequest } from '#shared/domain/operation/events.ts';
import { admitted, given, route } from '#shared/domain/operation/testing/given.ts';
import type { Operation } from '#shared/domain/operation/state.ts';
import { keyLifetimeMs, type PersonalKeys } from './keys.ts';
import { createPersonalData, erasedMark, type PersonalData } from './personal-data.ts';

const keyId = 'k'.repeat(22);
const key = createSecretKey(randomBytes(32));
const keysOf = (there: boolean): PersonalKeys => ({
  forSealing: async () => ({ keyId, key }),
  forSealingAfterEnd: async () => (there ? { keyId, key } : undefined),
  forOpening: async () => (there ? key : undefined),
});
const [known, erased] = [createPersonalData(keysOf(true)), createPersonalData(keysOf(false))];

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

/** A copy, as if read from the log: no process recognises it as its own sealed object. */
const sealedOperation = async () => structuredClone(await justSealed(known));

async function justSealed(personal: PersonalData) {
  const { state } = given(admitted());
  const operation = state as Operation;
  const sealer = await personal.sealer({ shopId: operation.shopId, clientId: 'client-1' });
  const request: OperationRequest = sealer.request(operation.operationId, plain);
  const answer = sealer.answer(
    { operationId: operation.operationId, attempt: 1 },
    { outcome: 'accepted', providerReference: 'ref', requisites },
  );
  if (answer.outcome !== 'accepted' || !answer.requisites)
    throw new Error('the answer lost its requisites');
  const accepted = { attempt: 1, requisites: answer.requisites, confirmationRequired: false };
  return { ...operation, request, accepted };
}

describe('personal data', () => {
  it('is sealed completely, and nothing else is (R17.6)', async () => {
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
    expect(await known.open(operation)).toEqual({
      erased: false,
      destination: { number: '+79000000000', name: 'Иван' },
      requisites: { number: '+79000000001' },
      metadata: plain.metadata,
    });
    const { operationId, request } = operation;
    expect(await known.openMetadata(operationId, request.metadata)).toEqual(plain.metadata);
    const event = admitted();
    if (event.type !== 'OperationAdmitted') throw new Error('not an admission');
    const opened = await known.openEvent(operationId, {
      ...event,
      data: { ...event.data, request },
    });
    expect(opened.data).toMatchObject({
      request: { ...plain, metadata: { opened: plain.metadata } },
    });
  });

  it('is absent without its key, unlike the rest', async () => {
    const operation = await sealedOperation();
    expect(await erased.open(operation)).toEqual({ erased: true });
    const { operationId, request } = operation;
    expect(await erased.openMetadata(operationId, request.metadata)).toBeUndefined();
    const event = {
      type: 'AttemptAccepted',
      data: {
        attempt: 1,
        provider_reference: 'ref',
        requisites: operation.accepted.requisites,
        confirmation_required: route().requires_receipt,
      },
    } as const;
    expect((await erased.openEvent(operation.operationId, event)).data).toMatchObject({
      provider_reference: 'ref',
      requisites: { ...erasedMark, bankname: 'sberbank' },
    });
  });

  it('of one operation cannot be decrypted as another’s (R17.6)', async () => {
    const operation = await sealedOperation();
    await expect(known.open({ ...operation, operationId: 'another' })).rejects.toThrow(/./);
  });

  it('in clear is returned unchanged', async () => {
    const operation = await sealedOperation();
    const inClear = {
      ...operation,
      request: { ...plain, metadata: { opened: plain.metadata } },
      accepted: { ...operation.accepted, requisites },
    };
    expect(await erased.open(inClear)).toEqual({
      erased: false,
      destination: { number: '+79000000000', name: 'Иван' },
      requisites: { number: '+79000000001' },
      metadata: plain.metadata,
    });
  });

  it('is not decrypted again by the process that sealed it, while the key is cached', async () => {
    let nowMs = 0;
    const asked: string[] = [];
    const keys: PersonalKeys = {
      ...keysOf(false),
      forOpening: async (id) => {
        asked.push(id);
        return undefined;
      },
    };
    const personal = createPersonalData(keys, () => nowMs);
    const operation = await justSealed(personal);
    const opened = { destination: { number: '+79000000000', name: 'Иван' } };
    expect(await personal.open(operation)).toMatchObject({ erased: false, ...opened });
    expect(asked).toEqual([]);
    nowMs = keyLifetimeMs;
    expect(await personal.open(operation)).toEqual({ erased: true });
    expect(asked).toEqual([keyId, keyId, keyId]);
  });

  it('sealed by one process cannot be decrypted as another operation’s in any other', async () => {
    const operation = await justSealed(known);
    await expect(known.open({ ...operation, operationId: 'another' })).rejects.toThrow(/./);
  });
});
