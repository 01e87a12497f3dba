import type { Entry } from '#shared/domain/ledger/events.ts';
import { isSameMoney, toLateLeg, type AuditedEntity } from '../../log/entities/entity.ts';
import type { EventEnvelope, FlagViolation } from '../../report/findings/report-violation.ts';
import { findFxRate, auditedRoute, type OperationFacts } from '../../log/operation/fold.ts';

type Why = {
  causes: readonly string[];
  /** The event, where only one can be the cause. */
  eventId?: string | undefined;
} & Pick<Entry, 'provider' | 'source'>;

const endTypes: Readonly<Record<string, string>> = {
  completed: 'OperationCompleted',
  partially_completed: 'OperationPartiallyCompleted',
  declined: 'OperationDeclined',
  expired: 'OperationExpired',
  cancelled: 'OperationCancelled',
};

/**
 * Checks that an entry names its causing event, the provider, and what was converted. Old entries
 * don't.
 */
export function judgeWhy(
  entity: AuditedEntity | undefined,
  { entry, envelope, flag }: { entry: Entry; envelope: EventEnvelope; flag: FlagViolation },
): void {
  if (envelope.metadata.schema_version < 2) return;
  const due = findReason(entry, entity);
  if (!due || due.causes.length === 0) return;
  if (!due.causes.includes(entry.cause ?? ''))
    flag(
      'ledger.cause',
      `its cause is ${entry.cause ?? 'missing'}; ${due.causes.join(' or ')} requires it`,
    );
  const { causationId } = envelope;
  if (due.eventId !== undefined && causationId !== undefined && causationId !== due.eventId)
    flag('ledger.cause', `it names event ${causationId} as its cause; ${due.eventId} requires it`);
  if (entry.provider !== due.provider)
    flag(
      'ledger.cause',
      `its provider is ${entry.provider ?? 'none'}, the operation's is ${due.provider ?? 'none'}`,
    );
  if (describeSource(entry.source) !== describeSource(due.source))
    flag(
      'ledger.cause',
      `its source is ${describeSource(entry.source)}, the operation's is ${describeSource(due.source)}`,
    );
}

const describeSource = (source: Entry['source']): string =>
  source ? `${source.amount} ${source.currency} at ${source.fx_rate}` : 'nothing converted';

/**
 * The reasons that an entry must name. Undefined if its cause is missing, which is reported
 * elsewhere.
 */
function findReason(entry: Entry, entity: AuditedEntity | undefined): Why | undefined {
  if (entry.kind === 'adjustment') return { causes: ['AdjustmentRequested'] };
  const facts = entity?.operation;
  if (!facts || !entity) return undefined;
  if (entry.kind === 'suspense' || entry.kind === 'resolution') {
    const { provider, difference, eventId } = entity.late.find(isSameMoney(toLateLeg(entry))) ?? {};
    const moneyEvent = entry.of_leg_id === undefined ? 'LateMoneyReceived' : 'MoneyReturned';
    const cause = difference ? 'DifferenceReported' : moneyEvent;
    return { causes: [cause], eventId, ...(provider !== undefined && { provider }) };
  }
  const ended = endTypes[facts.status];
  if (entry.kind === 'credit' || entry.kind === 'capture')
    return ended === undefined ? undefined : settled(facts, ended);
  return ofReservation(facts, {
    reservation: entry.reservation,
    isMade: entry.kind === 'reserve',
    ended,
  });
}

function settled(facts: OperationFacts, ended: string): Why {
  const route = auditedRoute(facts);
  const fx_rate = findFxRate(facts);
  const isConverted = route?.settlementCurrency !== undefined && fx_rate !== undefined;
  return {
    causes: [ended],
    eventId: facts.end?.eventId,
    ...(route && { provider: route.provider }),
    ...(isConverted && {
      source: { amount: facts.end?.actual ?? '0.00', currency: facts.currency, fx_rate },
    }),
  };
}

/**
 * A reservation is caused by its own request, and released by the end or by the request of another
 * one.
 */
function ofReservation(
  facts: OperationFacts,
  {
    reservation,
    isMade,
    ended,
  }: { reservation: number; isMade: boolean; ended: string | undefined },
): Why | undefined {
  const requested = facts.reservations.find((each) => each.reservation === reservation);
  if (!requested) return undefined;
  const provider = facts.attempts.find(({ attempt }) => attempt === reservation)?.provider;
  const { fxRate: fx_rate } = requested;
  return {
    causes: [
      ...(isMade || requested !== facts.reservations.at(-1) ? ['ReservationRequested'] : []),
      ...(!isMade && ended !== undefined ? [ended] : []),
    ],
    ...(provider !== undefined && { provider }),
    ...(fx_rate !== undefined && {
      source: { amount: facts.amount, currency: facts.currency, fx_rate },
    }),
  };
}
