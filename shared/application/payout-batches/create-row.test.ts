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
import { NO_STREAM, type EventStore } from '#shared/platform/event-store/index.ts';
import { storedEvent, testMetadata } from '#shared/platform/event-store/testing/new-event.ts';
import { createRow, type RowPorts } from './create-row.ts';

const request = { merchant_operation_id: 'order-1', client_id: 'c', method: 'WT_RUB_C2C' } as const;
const sealed = `v1.${'k'.repeat(22)}.${'n'.repeat(16)}.${'c'.repeat(40)}`;
const declined: OperationEvent = {
  type: 'OperationDeclined',
  data: { ...noMoney, reason: 'all_refused' },
};

const stored = (events: OperationEvent[]) =>
  events.map((event, revision) => {
    const metadata = { ...testMetadata, schema_version: newestVersion(event.type) };
    return storedEvent({ ...event, revision, metadata });
  });

/** The result of a row whose client is erased, and what was appended to its operation. */
async function endErased(events: OperationEvent[], meanwhile: OperationEvent[] = []) {
  const appended: string[] = [];
  let inLog = stored(events);
  const read = async (stream: string, { fromRevision = 0 } = {}) => {
    if (stream.startsWith('operation-')) return inLog.slice(fromRevision);
    throw Object.create(StreamDeletedError.prototype) as StreamDeletedError;
  };
  const append: EventStore['append'] = async ({ expectedRevision, events: added }) => {
    if (inLog.length === events.length) inLog = stored([...events, ...meanwhile]);
    const actualRevision = inLog.length - 1;
    if (actualRevision !== (expectedRevision === NO_STREAM ? -1 : expectedRevision))
      return { outcome: 'conflict', actualRevision };
    appended.push(...added.map(({ type }) => type));
    return { outcome: 'appended', revision: inLog.length, position: 1n };
  };
  const store = { read, append } as EventStore;
  const result = await createRow(
    { store, personal: testPersonalData(store) } as unknown as RowPorts,
    {
      shop: { shopId: 's', merchantId: 'm', operationIdSecret: 'ab'.repeat(32) } as Shop,
      run: { batchId: 'b', shopId: 's', causationId: 'x', revision: 0, correlationId: 'y' },
      row: { row: 1, stored: { ...request, amount: '10.00', currency: 'RUB', sealed } },
    },
  );
  return { code: result.code, appended };
}

const created = [payout, started(1, plain), requested(), reserved(), acceptedBy()];

it.each<[string, OperationEvent[], string | undefined]>([
  ['that was created before is created', created, undefined],
  ['that was declined before failed for that reason', [payout, declined], 'provider_not_accepted'],
])('a row of an erased client %s (R24.4)', async (_, events, code) => {
  expect(await endErased(events)).toEqual({ code, appended: [] });
  // Another instance, which had begun the row, is the first to append.
  expect(await endErased([], events)).toEqual({ code, appended: [] });
});

it('a row of an erased client that was not created fails, and never is (R24.4)', async () => {
  const code = 'personal_data_erased';
  const claim = 'OperationCancelledBeforeCreate';
  expect(await endErased([])).toEqual({ code, appended: [claim] });
});
