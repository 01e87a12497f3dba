import { expect, it } from 'vitest';
import type { OpenOperation } from '#projections/operations/day-use.ts';
import { accepted, admitted, started } from '#shared/domain/operation/testing/given.ts';
import type { OperationEvent } from '#shared/domain/operation/events.ts';
import { newestVersion } from '#shared/domain/versions.ts';
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
  return events.flatMap((given, revision) => {
    const [{ type, data }, created] = Array.isArray(given) ? given : [given, at];
    const metadata = { correlation_id: 'c', actor: 'a', schema_version: newestVersion(type) };
    const change = changeOf({
      id: `${revision}`,
      type,
      data,
      metadata,
      stream,
      revision,
      position: BigInt(revision),
      created: new Date(created),
    });
    return change
      ? [{ key: change.key, day: change.day, amount: change.amount, times: change.times }]
      : [];
  });
}

/** The same events, of another operation. */
const ofAnother = (changes: Changes, number: number, ...events: OperationEvent[]) => {
  for (const { type, data } of events)
    changes.of({
      id: '',
      type,
      data,
      metadata: { correlation_id: 'c', actor: 'a', schema_version: newestVersion(type) },
      stream: `operation-${number}`,
      revision: 0,
      position: BigInt(number),
      created: new Date(at),
    });
};

const one = { key: 'payment WT_RUB_C2C RUB sandbox default', day: '2026-01-31', amount: '100.00' };
const refused = (attempt: number): OperationEvent => ({
  type: 'AttemptRefused',
  data: { attempt, reason: 'limit' },
});
const withdrawn = (attempt: number): OperationEvent => ({
  type: 'AttemptWithdrawn',
  data: { attempt },
});
const unresolved = (attempt: number): OperationEvent => ({
  type: 'AttemptUnresolved',
  data: { attempt, cause: 'timeout' },
});

it('an attempt counts from its start, and its acceptance adds nothing', () => {
  expect(changesOf(admitted(), started(1), accepted())).toEqual([{ ...one, times: 1 }]);
});

it('what is refused is taken back from the day on which it began', () => {
  expect(changesOf(admitted(), started(1), [refused(1), '2026-02-01T00:00:01.000Z'])).toEqual([
    { ...one, times: 1 },
    { ...one, times: -1 },
  ]);
});

it('what may have been taken counts until it is withdrawn (R7.17)', () => {
  expect(changesOf(admitted(), started(1), unresolved(1))).toEqual([{ ...one, times: 1 }]);
  expect(changesOf(admitted(), started(1), unresolved(1), withdrawn(1))).toHaveLength(2);
});

it('what was accepted and withdrawn afterwards stays counted', () => {
  expect(changesOf(admitted(), started(1), accepted(), withdrawn(1))).toEqual([
    { ...one, times: 1 },
  ]);
});

it('of an operation that began before the log was followed nothing is known', () => {
  expect(changesOf(started(1), refused(1))).toEqual([]);
});

const begun = { attempt: 1, provider: 'sandbox', outcome: 'unresolved', started_at: at } as const;
const underWay: OpenOperation = {
  operationId: stream.slice(stream.indexOf('-') + 1),
  shopId: 'shop-1',
  type: 'payment',
  method: 'WT_RUB_C2C',
  currency: 'RUB',
  amount: '100.00',
  attempts: [begun, { ...begun, attempt: 2, outcome: 'refused' }],
};

it('what is settled is forgotten, and pushes out none that is not (R7.17)', () => {
  const changes = createChanges({ maxOpen: 1_000, maxMet: 400 });
  changesBy(changes, admitted(), started(1), unresolved(1));
  for (let number = 1; number <= 1_000; number += 1)
    ofAnother(
      changes,
      number,
      admitted(),
      started(1),
      unresolved(1),
      started(2),
      accepted(2),
      withdrawn(1),
    );
  expect(changesBy(changes, withdrawn(1))).toEqual([{ ...one, times: -1 }]);
});

it('of one that was under way then it is known what the read models say', () => {
  const changes = createChanges();
  changes.addOpen([underWay], 0n);
  expect(changesBy(changes, refused(2), withdrawn(1), started(3))).toEqual([
    { ...one, times: -1 },
    { ...one, times: 1 },
  ]);
});

it('what the read models say is not believed of one that has gone on since', () => {
  const changes = createChanges();
  changesBy(changes, admitted(), started(1), accepted());
  changes.addOpen([underWay], 1n);
  expect(changesBy(changes, withdrawn(1))).toEqual([]);
});
