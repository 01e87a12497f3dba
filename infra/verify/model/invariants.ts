import { accountBalances } from '#shared/domain/late/testing/account-balances.ts';
import { fromMinor, toMinor } from '#shared/domain/ledger/minor.ts';
import { isTerminal, type Operation } from '#shared/domain/operation/state.ts';
import type { Rules } from './rules.ts';
import { movesFrom } from './moves.ts';
import { isPayout, type Move, type World } from './world.ts';

/** What a move breaks; undefined if nothing. */
export function brokenBy(before: World, { next }: Move): string | undefined {
  const { operation } = next;
  return operation.phase === 'admitted'
    ? (checkEnd(before, next) ?? cancelledFirst(before, operation))
    : undefined;
}

/** The violated invariant of a world; undefined if all hold. */
export function violationIn(world: World, rules: Rules): string | undefined {
  const { operation } = world;
  if (operation.phase !== 'admitted') return undefined;
  return (
    acceptedOnce(operation) ??
    paidTwice(world) ??
    checkWebhooks(world, operation) ??
    booksBalance(world, operation) ??
    moneyIsConserved(world, operation, rules)
  );
}

/** A terminal status is the last one, and comes once (R6.2). */
function checkEnd(before: World, { operation, ends }: World): string | undefined {
  if (ends > 1) return 'two terminal events (R6.2)';
  if (operation.phase !== 'admitted' || before.operation.phase !== 'admitted') return undefined;
  const was = before.operation.status;
  if (isTerminal(was) && operation.status !== was)
    return `${was} became ${operation.status} (R6.2)`;
  const received = operation.legs.some(({ amount }) => amount !== '0.00');
  const empty = ['cancelled', 'expired', 'declined'].includes(operation.status);
  return empty && received ? `${operation.status}, and money counts (R6.3)` : undefined;
}

function acceptedOnce({ attempts }: Operation): string | undefined {
  const accepted = attempts.filter(({ outcome }) => outcome === 'accepted');
  return accepted.length > 1 ? 'two attempts are accepted (R7.4)' : undefined;
}

/** One that was cancelled before its create never shows where to pay (R8.7). */
const cancelledFirst = ({ operation: before }: World, { accepted, status }: Operation) =>
  before.phase === 'cancelled_first' && (accepted || status !== 'cancelled')
    ? 'a key that was cancelled is created (R8.7)'
    : undefined;

/** One for each terminal status and each wait for a receipt (R14.1). */
const checkWebhooks = ({ ends, awaited }: World, { webhooks }: Operation): string | undefined =>
  webhooks === ends + awaited ? undefined : `${webhooks} webhooks are required (R14.1)`;

/** The ledger's entries add up, and a payout's reserves are closed (R12.2, R12.9). */
function booksBalance({ lateEvents }: World, operation: Operation): string | undefined {
  if (!isTerminal(operation.status)) return undefined;
  const balances = accountBalances(operation, lateEvents);
  const total = Object.values(balances).reduce((sum, amount) => sum + amount, 0n);
  if (total !== 0n) return `the ledger is off by ${fromMinor(total)} (R12.2)`;
  return balances.reserved === 0n ? undefined : 'a reserve is left (R12.9)';
}

/**
 * Once every provider's newest report was applied, the operation and its late facts have exactly
 * the money that the providers have (R13.19).
 */
function moneyIsConserved(world: World, operation: Operation, rules: Rules): string | undefined {
  if (!isTerminal(operation.status) || isSettling(world, rules)) return undefined;
  const recorded = new Map<string, bigint>();
  const add = (id: string, amount: string) =>
    recorded.set(id, (recorded.get(id) ?? 0n) + toMinor(amount));
  for (const { leg_id: id, amount, synthetic } of operation.legs) if (!synthetic) add(id, amount);
  for (const { legId, ofLegId, counted } of operation.returns) {
    add(legId, counted);
    if (operation.legs.some((each) => each.leg_id === ofLegId && !each.synthetic))
      add(ofLegId, counted);
  }
  for (const [id, { amount }] of Object.entries(world.late.legs)) add(id, amount);
  for (const [id, { amount }] of Object.entries(world.late.returns)) add(id, amount);
  for (const { type, data } of world.lateEvents)
    if (type === 'DifferenceReported' && data.of !== 'approval')
      add(data.corrects, data.leg.amount);
  for (const { legs, returns } of Object.values(world.providers))
    for (const { leg_id: id, amount } of [...legs, ...returns]) {
      if (recorded.get(id) !== toMinor(amount))
        return `${id} is ${amount} at the provider, ${fromMinor(recorded.get(id) ?? 0n)} here (R13.19)`;
      recorded.delete(id);
    }
  return undefined;
}

/** Whether some provider's newest report is still to be applied. */
const isSettling = (world: World, rules: Rules): boolean =>
  Object.entries(world.providers).some(([number, { reports }]) => {
    const newest = `report ${reports.at(-1)?.version} of attempt ${number}`;
    return movesFrom(world, rules).some(({ name }) => name.startsWith(newest));
  });

/** A payout is carried out once: no second provider takes it while a first may have it (R7.6). */
const paidTwice = (world: World): string | undefined =>
  isPayout(world) &&
  Object.values(world.providers).filter(({ status }) => status !== 'declined').length > 1
    ? 'two providers carry out one payout (R7.6)'
    : undefined;
