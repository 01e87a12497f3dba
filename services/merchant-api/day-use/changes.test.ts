import { expect, it } from 'vitest';
import { storedEvent, testMetadata } from '#shared/platform/event-store/testing/new-event.ts';
import type { OpenOperation } from '#projections/operations/day-use.ts';
import { accepted, admitted, started } from '#shared/domain/operation/testing/given.ts';
import { refused } from '#shared/domain/operation/testing/payouts.ts';
import { unresolved } from '#shared/domain/operation/testing/steps.ts';
import type { OperationEvent } from '#shared/domain/operation/events.ts';
import { newestVersion } from '#shared/domain/versions.ts';
import { UntrustedEvent } from '#shared/domain/decode.ts';
import { createChanges, type Changes } from './changes.ts';

const stream = 'operation-6f1d5b1e-0000-8000-8000-000000000001';
const at = '2026-01-31T12:00:00.000Z';

function changesOf(...events: (OperationEvent | [OperationEvent, string])[]) {
  return changesBy(createChanges(), ...events);
}

function changesBy(
  { of: changeOf }: Changes,
  ...events: (OperationEvent | [OperationEvent, string])[]
) {
  return events.flatMap((item, revision) => {
    const [{ type, data }, created] = Array.isArray(item) ? item : [item, at];
    const metadata = { ...testMetadata, schema_version: newestVersion(type) };
    const change = changeOf(
      storedEvent({ type, data, metadata, stream, revision, created: new Date(created) }),
    );
    return change
      ? [{ key: change.key, day: change.day, amount: change.amount, times: change.times }]
      : [];
  });
}

/** Applies events of another operation. */
const applyAnother = (changes: Changes, number: number, ...events: OperationEvent[]) => {
  for (const { type, data } of events)
    changes.of(
      storedEvent({
        type,
        data,
        metadata: { ...testMetadata, schema_version: newestVersion(type) },
        stream: `operation-${number}`,
        position: BigInt(number),
        created: new Date(at),
      }),
    );
};

const dayUse = {
  key: 'payment WT_RUB_C2C RUB sandbox default',
  day: '2026-01-31',
  amount: '100.00',
};
const withdrawn = (attempt: number): OperationEvent => ({
  type: 'AttemptWithdrawn',
  data: { attempt },
});

it('counts an attempt when it starts, and not again when it is accepted', () => {
  expect(changesOf(admitted(), started(1), accepted())).toEqual([{ ...dayUse, times: 1 }]);
});

it('subtracts a refused attempt from the day on which it started', () => {
  expect(changesOf(admitted(), started(1), [refused(1), '2026-02-01T00:00:01.000Z'])).toEqual([
    { ...dayUse, times: 1 },
    { ...dayUse, times: -1 },
  ]);
});

it('counts an unresolved attempt until it is withdrawn (R7.17)', () => {
  expect(changesOf(admitted(), started(1), unresolved(1))).toEqual([{ ...dayUse, times: 1 }]);
  expect(changesOf(admitted(), started(1), unresolved(1), withdrawn(1))).toHaveLength(2);
});

it('still counts an accepted attempt that is withdrawn later', () => {
  expect(changesOf(admitted(), started(1), accepted(), withdrawn(1))).toEqual([
    { ...dayUse, times: 1 },
  ]);
});

it('keeps an attempt that somebody without a key has refused, and counts on (R17.15)', () => {
  const changes = createChanges();
  expect(changesBy(changes, admitted(), started(1))).toHaveLength(1);
  const verify = () => {
    throw new UntrustedEvent('planted');
  };
  const { type, data } = refused(1);
  expect(changes.of(storedEvent({ type, data, stream, revision: 2, verify }))).toBeUndefined();
  expect(changesBy(changes, refused(1))).toEqual([{ ...dayUse, times: -1 }]);
});

it('ignores an operation whose admission it has not received', () => {
  expect(changesOf(started(1), refused(1))).toEqual([]);
});

const unresolvedAttempt = {
  attempt: 1,
  provider: 'sandbox',
  outcome: 'unresolved',
  started_at: at,
} as const;
const openOperation: OpenOperation = {
  operationId: stream.slice(stream.indexOf('-') + 1),
  shopId: 'shop-1',
  type: 'payment',
  method: 'WT_RUB_C2C',
  currency: 'RUB',
  amount: '100.00',
  attempts: [unresolvedAttempt, { ...unresolvedAttempt, attempt: 2, outcome: 'refused' }],
};

it('evicts settled operations, never an open one (R7.17)', () => {
  const changes = createChanges({ maxOpen: 1_000, maxMet: 400 });
  changesBy(changes, admitted(), started(1), unresolved(1));
  for (let number = 1; number <= 1_000; number += 1)
    applyAnother(
      changes,
      number,
      admitted(),
      started(1),
      unresolved(1),
      started(2),
      accepted(2),
      withdrawn(1),
    );
  expect(changesBy(changes, withdrawn(1))).toEqual([{ ...dayUse, times: -1 }]);
});

it('uses the read models’ state of an operation that was open at the start', () => {
  const changes = createChanges();
  changes.addOpen([openOperation], 0n);
  expect(changesBy(changes, refused(2), withdrawn(1), started(3))).toEqual([
    { ...dayUse, times: -1 },
    { ...dayUse, times: 1 },
  ]);
});

it('ignores the read models’ state of an operation with newer events', () => {
  const changes = createChanges();
  changesBy(changes, admitted(), started(1), accepted());
  changes.addOpen([openOperation], 1n);
  expect(changesBy(changes, withdrawn(1))).toEqual([]);
});
