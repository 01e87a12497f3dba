import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { fromMinor, toMinor } from '../ledger/minor.ts';
import { approvedDue } from './differences.ts';
import { providerLegIds } from './events.ts';
import { accountBalances } from './testing/account-balances.ts';
import { liveSharedIds, sharedIds } from './testing/shared-ids.ts';

/** The amount of each transfer in the operation and its late facts, by account and id. */
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
    else if (type === 'DifferenceReported' && data.of !== 'approval') {
      const kind = data.of === 'transfer' ? 'leg' : 'back';
      add(keyOf(data.attempt, kind, providerLegIds(data)[0]), data.leg.amount);
    }
  return recorded;
}

const total = (money: readonly { amount: string }[]) =>
  money.reduce((sum, { amount }) => sum + toMinor(amount), 0n);

/** Of one attempt, whose late facts are recorded some acts after their report. */
const lagging = fc
  .record({ plan: sharedIds, payout: fc.boolean(), lags: fc.array(fc.nat(3), { maxLength: 8 }) })
  .map(({ plan, payout, lags }) => ({
    ...plan,
    accounts: ['one'],
    payout,
    acts: plan.acts.map((act, at) => ({ ...act, lag: lags[at] ?? 0 })),
  }));

it.each([
  ['accounts share ids', sharedIds],
  ['late facts lag behind', lagging],
])('neither loses nor doubles money if %s (R13.2, R13.18, R13.19)', (_, plans) => {
  fc.assert(
    fc.property(plans, (plan) => {
      const outcome = liveSharedIds(plan);
      const { operation, late, lateEvents, last } = outcome;
      const recorded = recordedOf(outcome, plan.accounts);
      const reported = new Map<string, bigint>();
      for (const { attempt, legs, returns = [] } of last) {
        const account = plan.accounts[attempt - 1];
        for (const each of legs)
          reported.set(`${account} leg ${each.leg_id}`, toMinor(each.amount));
        for (const each of returns)
          reported.set(`${account} back ${each.leg_id}`, toMinor(each.amount));
      }
      for (const key of new Set([...recorded.keys(), ...reported.keys()]))
        expect(`${key}: ${fromMinor(recorded.get(key) ?? 0n)}`).toBe(
          `${key}: ${fromMinor(reported.get(key) ?? 0n)}`,
        );
      const due = toMinor(approvedDue(late, operation));
      expect(last.at(-1)?.status === 'open' ? 0n : due).toBe(0n);
      const toPost = operation.settled ? 0n : total(operation.legs);
      const received = last.map(({ legs, returns = [] }) => total(legs) - total(returns));
      const { provider } = accountBalances(operation, lateEvents);
      expect((operation.type === 'payout' ? provider : -provider) + toPost - due).toBe(
        received.reduce((sum, each) => sum + each, 0n),
      );
    }),
    { numRuns: 1000 },
  );
});
