import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { fromMinor, toMinor } from '../ledger/minor.ts';
import { providerLegIds } from './events.ts';
import { booksOf } from './testing/books.ts';
import { liveSharedIds, sharedIds } from './testing/shared-ids.ts';

/** By (account, id), what the operation and its late facts have of each transfer. */
function recordedOf(
  { operation, lateEvents }: ReturnType<typeof liveSharedIds>,
  accounts: readonly string[],
): Map<string, bigint> {
  const recorded = new Map<string, bigint>();
  const keyOf = (attempt: number, kind: 'leg' | 'back', id: string) =>
    `${accounts[attempt - 1]} ${kind} ${id}`;
  const add = (key: string, amount: string) =>
    recorded.set(key, (recorded.get(key) ?? 0n) + toMinor(amount));
  const own = operation.accepted?.attempt ?? 0;
  const legs = operation.legs.filter(({ synthetic }) => !synthetic);
  for (const each of legs) add(keyOf(own, 'leg', each.leg_id), each.amount);
  for (const { legId, ofLegId, counted } of operation.returns) {
    add(keyOf(own, 'back', legId), counted);
    if (legs.some((each) => each.leg_id === ofLegId)) add(keyOf(own, 'leg', ofLegId), counted);
  }
  for (const { type, data } of lateEvents)
    if (type === 'LateMoneyReceived' || type === 'ApprovedMoneyConfirmed')
      add(keyOf(data.attempt, 'leg', providerLegIds(data)[0]), data.leg.amount);
    else if (type === 'MoneyReturned')
      add(keyOf(data.attempt, 'back', providerLegIds(data)[0]), data.leg.amount);
  return recorded;
}

/** By (account, id), the last correction of which an operator was informed. */
function correctedOf(
  { lateEvents }: ReturnType<typeof liveSharedIds>,
  accounts: readonly string[],
): Map<string, bigint> {
  return new Map(
    lateEvents.flatMap(({ type, data }): [string, bigint][] => {
      if (type !== 'LateLegCorrected') return [];
      const kind = data.of_leg_id === undefined ? 'leg' : 'back';
      const key = `${accounts[data.attempt - 1]} ${kind} ${providerLegIds(data)[0]}`;
      return [[key, toMinor(data.reported_amount)]];
    }),
  );
}

it('ids that several accounts give lose no money and double none (R13.2)', () => {
  fc.assert(
    fc.property(sharedIds, (life) => {
      const lived = liveSharedIds(life);
      const recorded = recordedOf(lived, life.accounts);
      const corrected = correctedOf(lived, life.accounts);
      const reported = new Map<string, bigint>();
      for (const { attempt, legs, returns = [] } of lived.last) {
        const account = life.accounts[attempt - 1];
        for (const each of legs)
          reported.set(`${account} leg ${each.leg_id}`, toMinor(each.amount));
        for (const each of returns)
          reported.set(`${account} back ${each.leg_id}`, toMinor(each.amount));
      }
      for (const key of new Set([...recorded.keys(), ...reported.keys()]))
        expect(`${key}: ${fromMinor(corrected.get(key) ?? recorded.get(key) ?? 0n)}`).toBe(
          `${key}: ${fromMinor(reported.get(key) ?? 0n)}`,
        );
      // Each late fact has an entry of its own.
      expect(() => booksOf(lived.operation, lived.lateEvents)).not.toThrow();
    }),
    { numRuns: 1000 },
  );
});
