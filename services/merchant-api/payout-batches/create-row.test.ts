import { StreamDeletedError } from '@eventstore/db-client';
import { expect, it } from 'vitest';
import { testPersonalData } from '#shared/application/personal-data/testing/personal-data.ts';
import type { OperationEvent } from '#shared/domain/operation/events.ts';
import { noMoney, started } from '#shared/domain/operation/testing/given.ts';
import {
  acceptedBy,
  payout,
  plain,
  requested,
  reserved,
} from '#shared/domain/operation/testing/payouts.ts';
import type { Shop } from '#shared/domain/shop/state.ts';
import { newestVersion } from '#shared/domain/versions.ts';
import { storedEvent, testMetadata } from '#shared/platform/event-store/testing/new-event.ts';
import type { Dependencies } from '../dependencies.ts';
import { createRow } from './create-row.ts';

const request = { merchant_operation_id: 'order-1', client_id: 'c', method: 'WT_RUB_C2C' } as const;
const sealed = `v1.${'k'.repeat(22)}.${'n'.repeat(16)}.${'c'.repeat(40)}`;
const declined: OperationEvent = {
  type: 'OperationDeclined',
  data: { ...noMoney, reason: 'all_refused' },
};

it.each<[string, OperationEvent[], string | undefined]>([
  [
    'that was created before is created',
    [payout, started(1, plain), requested(), reserved(), acceptedBy()],
    undefined,
  ],
  ['that was declined before failed for that reason', [payout, declined], 'provider_not_accepted'],
  ['that was not created failed', [], 'personal_data_erased'],
])('a row of an erased client %s (R24.4)', async (_, events, code) => {
  const stored = events.map((event, revision) => {
    const metadata = { ...testMetadata, schema_version: newestVersion(event.type) };
    return storedEvent({ ...event, revision, metadata });
  });
  const read = async (stream: string) => {
    if (stream.startsWith('operation-')) return stored;
    throw Object.create(StreamDeletedError.prototype) as StreamDeletedError;
  };
  const append = () => Promise.reject(new Error('nothing is appended'));
  const result = await createRow(
    { store: { read }, personal: testPersonalData({ read, append }) } as unknown as Dependencies,
    {
      shop: { shopId: 's', operationIdSecret: 'ab'.repeat(32) } as Shop,
      run: { batchId: 'b', shopId: 's', causationId: 'x', correlationId: 'y' },
      row: { row: 1, stored: { ...request, amount: '10.00', currency: 'RUB', sealed } },
    },
  );
  expect(result.code).toBe(code);
});
