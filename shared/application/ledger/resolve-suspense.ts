import { acknowledge } from '#shared/domain/late/acknowledge.ts';
import { decodeLateEvent, lateStream, type LateEvent } from '#shared/domain/late/events.ts';
import { isLateMoney, toSuspense } from '#shared/domain/late/suspense.ts';
import { moneyDirection, fitsMoney } from '#shared/domain/ledger/direction.ts';
import {
  ledgerStream,
  moneyResolutions,
  type MoneyResolution,
} from '#shared/domain/ledger/events.ts';
import type { EventStore, StoredEvent } from '#shared/platform/event-store/index.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import { invalidRequest } from '#shared/platform/http/validate.ts';
import { LedgerInconsistent } from '#shared/application/ledger/memory.ts';
import type { Ledgers, PostedEntry, PostRequest } from '#shared/application/ledger/types.ts';
import { decideAndAppend } from '#shared/application/commands/decide-and-append.ts';
import { lateFactsFold, readOperation } from '#shared/application/operations/streams.ts';
import { byAnother, type Origin } from '#shared/application/commands/origin.ts';
import { notDecided } from '#shared/application/directory/command-shop.ts';
import { fromStore } from '#shared/platform/event-store/from-store.ts';

type Stores = { store: EventStore; ledgers: Pick<Ledgers, 'post'> };
type Late<Type extends LateEvent['type']> = Extract<LateEvent, { type: Type }>['data'];
type Money = Extract<
  LateEvent,
  { type: 'LateMoneyReceived' | 'MoneyReturned' | 'DifferenceReported' }
>;

/** An operator's decision on one late fact, the event `entryId` of its operation's late stream. */
type SuspenseDecision = {
  entryId: string;
  operationId: string;
  resolution: MoneyResolution | 'acknowledge';
  note: string;
};

/**
 * Resolves a late fact, once: money by a counter-entry in the books, a status by an
 * acknowledgement. A repeat returns the existing decision.
 * @returns the fact, and the event that resolves it
 * @throws Problem not_found; invalid_request when the resolution does not fit the fact;
 * adjustment_conflict when it was resolved otherwise; accounting_inconsistent; not_ready when the
 * command should be retried
 */
export async function resolveSuspense(
  stores: Stores,
  decision: SuspenseDecision,
  origin: Origin,
): Promise<{ fact: StoredEvent; resolved: StoredEvent }> {
  const events = await fromStore(stores.store.read(lateStream(decision.operationId)));
  const fact = events.find(({ id }) => id === decision.entryId);
  const lateFact = fact && decodeLateEvent(fact);
  if (
    !lateFact ||
    lateFact.type === 'LateStatusAcknowledged' ||
    lateFact.type === 'ApprovedMoneyConfirmed'
  )
    throw new Problem('not_found');
  const caused = { ...origin, causationId: fact.id };
  const resolved = isLateMoney(lateFact)
    ? await resolveMoney(stores, { decision, fact, late: lateFact }, caused)
    : await acknowledgeFact(stores, { decision, data: lateFact.data }, caused);
  return { fact, resolved };
}

const movementTexts = { in: 'came in', out: 'went out' } as const;

/** The entry that takes late money out of suspense, as the log has it. */
async function resolveMoney(
  { store, ledgers }: Stores,
  {
    decision: { resolution, note, operationId },
    fact,
    late,
  }: { decision: SuspenseDecision; fact: StoredEvent; late: Money },
  origin: Origin,
): Promise<StoredEvent> {
  const operation = await fromStore(readOperation(store, operationId));
  if (!operation) throw new Error(`late money of operation ${operationId}, which does not exist`);
  const money = toSuspense(late, operation.type);
  const possible = moneyResolutions.filter((each) => fitsMoney(each, money));
  if (resolution === 'acknowledge' || !possible.includes(resolution))
    throw doesNotFit(
      `money that ${movementTexts[moneyDirection(money)]} can be resolved by ${possible.join(', ')}`,
    );
  const { shop_id: shopId, currency, provider } = late.data;
  const about = { shopId, currency, operationId, ...money };
  const why = { cause: fact.type, provider };
  const command = { ...about, dueSince: fact.position, why };
  // The processor posts the same soon; but money must be in suspense before it leaves it.
  await post(ledgers, { ...command, kind: 'suspense', origin: byAnother(origin, 'service:admin') });
  const { revision } = await post(ledgers, {
    ...command,
    kind: 'resolution',
    resolution,
    note,
    origin,
  });
  const stream = ledgerStream(shopId, currency);
  const [entry] = await fromStore(store.read(stream, { fromRevision: revision, maxCount: 1 }));
  if (!entry) throw new Error(`${stream} has no revision ${revision}`);
  return entry;
}

async function post(ledgers: Stores['ledgers'], request: PostRequest): Promise<PostedEntry> {
  const posted = await ledgers.post(request).catch((cause: unknown) => {
    if (cause instanceof LedgerInconsistent)
      throw new Problem('accounting_inconsistent', { cause });
    throw cause;
  });
  if (posted.outcome === 'undecided') throw notDecided(posted.cause);
  if (posted.outcome === 'refused') throw resolvedOtherwise();
  return posted;
}

/** The operator's acknowledgement, as the log has it. */
async function acknowledgeFact(
  { store }: Stores,
  {
    decision: { entryId, operationId, resolution, note },
    data,
  }: {
    decision: SuspenseDecision;
    data: Late<'LateStatusReported' | 'LateLegCorrected' | 'PayoutOvercharged'>;
  },
  origin: Origin,
): Promise<StoredEvent> {
  if (resolution !== 'acknowledge')
    throw doesNotFit('it has no money: the only resolution is acknowledge');
  const stream = lateStream(operationId);
  const result = await decideAndAppend({ store, stream, folding: lateFactsFold, origin }, (state) =>
    acknowledge(state, { entryId, operationId, shopId: data.shop_id, note }),
  );
  if (result.outcome === 'undecided') throw notDecided(result.cause);
  if (result.outcome === 'refused') throw resolvedOtherwise();
  const events = await fromStore(store.read(stream));
  const noted = events.find((event) => {
    const { type, data: noting } = decodeLateEvent(event);
    return type === 'LateStatusAcknowledged' && noting.entry_id === entryId;
  });
  if (!noted) throw new Error(`${stream} does not show its acknowledgement`);
  return noted;
}

function doesNotFit(detail: string): Problem {
  return invalidRequest([{ pointer: '/resolution', code: 'field_invalid', detail }]);
}

function resolvedOtherwise(): Problem {
  return new Problem('adjustment_conflict', {
    detail: 'it is already resolved, with another resolution or note',
  });
}
