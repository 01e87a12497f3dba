import { decodeLateEvent, lateStream } from '#shared/domain/late/events.ts';
import { decodeLedgerEvent, ledgerStream, type Entry } from '#shared/domain/ledger/events.ts';
import { noEntry, positionAfter, violationsAfter } from '#shared/domain/ledger/position.ts';
import {
  decodeOperationEvent,
  isTerminalEventType,
  operationStream,
  type OperationEvent,
} from '#shared/domain/operation/events.ts';
import type { Log } from '../log.ts';
import type { SimulatedOperation } from '../merchant.ts';
import type { SimulatedProvider } from '../provider.ts';
import type { SimulatedShop } from '../shops.ts';
import type { Find } from './find.ts';

/** The journals of a shop: they follow from themselves, entry by entry, and nothing stays set aside. */
export function checkJournals(log: Log, { shop }: SimulatedShop, find: Find): Entry[] {
  const entries: Entry[] = [];
  for (const currency of ['RUB', 'USD'] as const) {
    const stream = ledgerStream(shop.shopId, currency);
    const keys = new Set<string>();
    let position = noEntry;
    for (const event of log.read(stream, { maxCount: 1_000_000 })) {
      const entry = decodeLedgerEvent(event).data;
      for (const violation of violationsAfter(position, entry)) find(violation, { stream, entry });
      const floor = shop.settings.overdraft_limits[currency];
      if (floor !== undefined && entry.kind === 'reserve' && Number(entry.balance_after) < -Number(floor))
        find('a reserve broke the floor', { stream, entry });
      const key = JSON.stringify(referenceOf(entry));
      if (keys.has(key)) find('an entry stands twice', { stream, entry });
      keys.add(key);
      position = positionAfter(entry, event.revision);
      entries.push(entry);
    }
  }
  return entries;
}

function referenceOf(entry: Entry): unknown[] {
  return [
    entry.kind === 'capture' || entry.kind === 'release' ? 'end of a reservation' : entry.kind,
    'operation_id' in entry ? entry.operation_id : undefined,
    'reservation' in entry ? entry.reservation : undefined,
    'leg_id' in entry ? entry.leg_id : undefined,
    'adjustment_id' in entry ? entry.adjustment_id : undefined,
  ];
}

type Given = {
  log: Log;
  provider: SimulatedProvider;
  entries: readonly Entry[];
  operation: SimulatedOperation;
};

/** One operation, as its stream, the journal and its provider have it, once nothing moves any more. */
export function checkOperation({ log, provider, entries, operation }: Given, find: Find): void {
  const { operationId, type } = operation;
  const stored = log.read(operationStream(operationId));
  const say = (what: string, shows?: unknown) =>
    find(what, { operationId, type, events: stored.map(({ type: name, data }) => [name, data]), shows });
  const events = stored.map(decodeOperationEvent);
  const end = events.findIndex(({ type: name }) => isTerminalEventType(name));
  // A cancel may take the key before its create comes; a payout's create is refused then.
  const cancelledFirst = events[0]?.type === 'OperationCancelledBeforeCreate';
  if (cancelledFirst && type === 'payout' && events.length === 1) return;
  if (events[cancelledFirst ? 1 : 0]?.type !== 'OperationAdmitted')
    say('the admission is not the first event');
  if (end < 0)
    return say(events.length === 0 ? 'a create was never admitted' : 'an operation never came to an end');
  if (events.slice(end + 1).some(({ type: name }) => name !== 'AttemptWithdrawn'))
    say('something happened after the end');

  const mine = entries.filter((entry) => 'operation_id' in entry && entry.operation_id === operationId);
  const money = events[end] as OperationEvent;
  checkEntries({ events, end: money, mine, type }, say);
  checkProvider({ log, provider, operation, events, end: money }, say);
}

type Find1 = (what: string, shows?: unknown) => void;

function checkEntries(
  { events, end, mine, type }: { events: OperationEvent[]; end: OperationEvent; mine: Entry[]; type: string },
  say: Find1,
): void {
  const withMoney = 'recorded_amount' in end.data && end.data.recorded_amount !== undefined;
  const settled = mine.filter(({ kind }) => kind === 'credit' || kind === 'capture').length;
  if (settled !== (withMoney ? 1 : 0)) say('money is not settled exactly once', mine);
  if (type === 'payment' && mine.some(({ kind }) => kind === 'reserve'))
    say('a payment reserved funds', mine);
  for (const event of events) {
    if (event.type !== 'ReservationRequested') continue;
    const { reservation } = event.data;
    const of = mine.filter((entry) => 'reservation' in entry && entry.reservation === reservation);
    const count = (...kinds: string[]) => of.filter(({ kind }) => kinds.includes(kind)).length;
    const noted = events.some(
      (other) => other.type === 'FundsReserved' && other.data.reservation === reservation,
    );
    if (count('reserve') > 1 || (noted && count('reserve') === 0))
      say('a reservation is not reserved once', of);
    if (count('capture', 'release') !== 1) say('a reservation is not closed exactly once', of);
  }
}

function checkProvider(
  {
    log,
    provider,
    operation: { operationId, type },
    events,
    end,
  }: Pick<Given, 'log' | 'provider' | 'operation'> & { events: OperationEvent[]; end: OperationEvent },
  say: Find1,
): void {
  const attempts = [...provider.attempts.values()].filter((each) => each.operationId === operationId);
  const accepted = events.find((event) => event.type === 'AttemptAccepted')?.data.attempt;
  const known = new Set(
    events.flatMap((event) => {
      if (event.type === 'LegReceived') return [event.data.leg.leg_id];
      return 'legs' in event.data ? (event.data.legs as { leg_id: string }[]).map((leg) => leg.leg_id) : [];
    }),
  );
  const late = log.read(lateStream(operationId)).map(decodeLateEvent);
  const lateLegs = late.flatMap((fact) => (fact.type === 'LateMoneyReceived' ? [fact.data.leg.leg_id] : []));
  if (new Set(lateLegs).size !== lateLegs.length) say('late money is kept twice', lateLegs);
  if (lateLegs.some((leg) => known.has(leg))) say('money counts twice: in time and late', lateLegs);
  for (const attempt of attempts) {
    const { report, acceptance } = attempt;
    for (const leg of report.legs) {
      if (!known.has(leg.leg_id) && !lateLegs.includes(leg.leg_id))
        say('money that a provider moved is nowhere in the books', attempt);
    }
    const ours = report.attempt === accepted;
    if (acceptance === 'accepted' && report.status === 'open')
      say('an attempt is still open at its provider after the end', attempt);
    if (acceptance === 'undecided')
      say('an attempt is still undecided at its provider after the end', attempt);
    if (type === 'payout' && !ours && report.legs.length > 0)
      say('a payout was paid by an attempt that is not its own', attempt);
  }
  if (type === 'payout' && attempts.filter(({ report }) => report.legs.length > 0).length > 1)
    say('a payout was paid twice', attempts);
  const paid = attempts.find(({ report }) => report.attempt === accepted);
  if (type === 'payout' && paid?.report.status === 'completed' && end.type !== 'OperationCompleted')
    say('a payout that was paid did not complete', paid);
}
