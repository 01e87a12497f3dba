import { decodeOperationEvent } from '#shared/domain/operation/events.ts';
import {
  createFlag,
  toCauseLocation,
  toEventLocation,
  type EventEnvelope,
} from '../../report/findings/report-violation.ts';
import type { AuditContext } from '../pass/context.ts';
import { endpointsTaking, deriveOperationId, whyNotItsMerchant } from '../pass/shops.ts';
import type { AuditedEntity } from '../entities/entity.ts';
import { judgeDecision } from './decision.ts';
import { judgeEnd } from './terminal-money.ts';
import { judgeExpiry } from './expiry.ts';
import { formatExactMinor, exactFigures, isWholeIn, parseExactMinor } from './exact-arithmetic.ts';
import {
  admittedFacts,
  hasLegsOfAttempt,
  isEnding,
  applyEvent,
  type OperationFacts,
} from './fold.ts';
import { whyIllegal } from './legality.ts';
import { judgeDecline } from './judge-decline.ts';
import { judgeRefusal } from './judge-refusal.ts';
import { judgeRouting, type RoutingContext } from './judge-routing.ts';
import { expectedMessage } from './message.ts';
import { noteApproval } from './judge-late.ts';
import { computeOvercharge } from './overcharge.ts';
import { findOverpaidAmount } from './overpaid.ts';

type DecodedEvent = ReturnType<typeof decodeOperationEvent>;

/** Terminal events of this version are younger than the event of an overcharge. */
const recordsOvercharge = 3;

/** Operations admitted from this event version on must keep all of today's rules. */
const strictSince = 3;

/**
 * Checks one event of an operation's stream and applies it to the entity.
 * @throws when it can't be decoded
 */
export function judgeOperation(
  context: AuditContext,
  entity: AuditedEntity,
  envelope: EventEnvelope,
): void {
  const event = decodeOperationEvent(envelope);
  const flag = createFlag(context, envelope, entity.shopId ?? shopIn(event));
  const facts = entity.operation;
  if (event.type === 'OperationCancelledBeforeCreate') {
    if (facts || entity.cancelledFirst || envelope.event.revision !== 0)
      flag('operation.admission_first', `${event.type} at revision ${envelope.event.revision}`);
    checkNames({ context, entity, flag }, event.data);
    entity.cancelledFirst = true;
    entity.shopId ??= event.data.shop_id;
    return;
  }
  if (event.type === 'OperationAdmitted') return admit({ context, entity, envelope, event, flag });
  if (!facts) return flag('operation.admission_first', `${event.type} before the admission`);
  const judged = { context, entity, facts, event, envelope, flag };
  judgeOrder(judged);
  judgeLegs(judged);
  judgeRouting(judged);
  judgeReservation(judged);
  judgeRefusal(judged);
  judgeDecline(judged);
  judgeDecision(judged);
  judgeExpiry(judged);
  if (approvesMore(facts, event) && !context.authority.hasRole(envelope, ['admin']))
    flag('authority.amount', `${facts.amount} was expected, and ${envelope.actor} approved more`);
  const ended = facts.end !== undefined;
  context.rows.beforeOperation?.(entity, envelope);
  const isAnnounced = applyEvent(facts, event, toCauseLocation(envelope));
  if (!ended) judgeEnd(facts, event, flag);
  const overcharge = !ended && isEnding(event.type) ? computeOvercharge(facts) : undefined;
  if (overcharge) {
    const { charged, agreed, currency } = overcharge;
    if (envelope.metadata.schema_version >= recordsOvercharge)
      entity.overcharge = toEventLocation(envelope);
    context.operationNotes.set('overcharged', facts, `${charged} for ${agreed} ${currency}`);
  }
  const overpaid = ended ? undefined : findOverpaidAmount(facts);
  if (overpaid) context.operationNotes.set('overpaid', facts, overpaid);
  noteApproval(context, entity);
  context.providerStatements.operation(facts, event, envelope);
  context.rows.operation?.(entity, { event, envelope });
  if (isAnnounced) noteMessages(context, facts, envelope);
}

/** A webhook of the operation as it is now, for each endpoint of its shop that takes its type. */
function noteMessages(context: AuditContext, facts: OperationFacts, envelope: EventEnvelope): void {
  const endpoints = context.shops.find(facts.shopId)?.endpoints ?? new Map();
  const type = `${facts.type}.${facts.status}`;
  const endpointIds = endpointsTaking(endpoints, { type, position: envelope.event.position });
  if (endpointIds.length === 0) return;
  const message = () => expectedMessage(facts, { id: envelope.event.id, atMs: envelope.atMs });
  context.rows.message?.(facts.shopId, envelope, { endpointIds, message });
}

/** Only an admin may approve more than was requested (R9.10). */
const approvesMore = ({ amount }: OperationFacts, { type, data }: DecodedEvent): boolean =>
  type === 'ReviewDecided' &&
  parseExactMinor(data.actual_amount ?? '0.00') > parseExactMinor(amount);

const shopIn = ({ data }: DecodedEvent): string | undefined =>
  'shop_id' in data ? data.shop_id : undefined;

/** Late money can't be counted; money of another account may have the same id. */
function judgeLegs({ entity, facts, event, flag }: RoutingContext): void {
  const lateTransfers = entity.late.filter(
    ({ ofLegId, attempt }) => ofLegId === undefined && hasLegsOfAttempt(facts, attempt),
  );
  for (const { leg_id: legId, amount } of newLegs(event)) {
    if (parseExactMinor(amount) < 0n || !isWholeIn(facts.currency, parseExactMinor(amount)))
      flag('operation.legs', `leg ${legId} has ${amount} ${facts.currency}`);
    if (lateTransfers.some(({ providerLegIds }) => providerLegIds.includes(legId)))
      flag('late.twice', `leg ${legId} is counted, and is also recorded as late money`);
  }
}

function newLegs(event: DecodedEvent) {
  if (event.type === 'LegReceived' || event.type === 'LegCorrected') return [event.data.leg];
  return 'legs' in event.data ? event.data.legs : [];
}

function admit(judged: Omit<RoutingContext, 'facts'>): void {
  const { context, entity, envelope, event, flag } = judged;
  if (event.type !== 'OperationAdmitted') return;
  const { data } = event;
  if (entity.operation) return flag('operation.admission_first', 'the operation is admitted twice');
  const first = entity.cancelledFirst === true;
  if (envelope.event.revision !== (first ? 1 : 0))
    flag('operation.admission_first', `admitted at revision ${envelope.event.revision}`);
  if (first && data.type === 'payout')
    flag('operation.payout_cancelled', 'a payout is admitted with a cancelled key');
  checkNames(judged, data);
  entity.shopId = data.shop_id;
  context.rows.beforeOperation?.(entity, envelope);
  entity.operation = admittedFacts(data, envelope.atMs, first);
  if (envelope.metadata.schema_version < strictSince) entity.operation.older = true;
  if (envelope.causationId !== undefined) {
    entity.operation.causationId = envelope.causationId;
    flag('payout_file.payouts', context.fileContent.whyNotRow(envelope.causationId, data));
  }
  context.rows.name?.(data.shop_id, envelope);
  context.rows.operation?.(entity, { event, envelope });
}

function checkNames(
  { context: { shops }, entity, flag }: Pick<RoutingContext, 'context' | 'entity' | 'flag'>,
  data: {
    operation_id: string;
    shop_id: string;
    merchant_id: string;
    merchant_operation_id: string;
  },
): void {
  const { operation_id: id, shop_id: shopId, merchant_operation_id: name } = data;
  if (id !== entity.id) flag('log.wrong_stream', `it belongs to operation-${id}`);
  const shop = shops.find(shopId);
  if (!shop) return flag('operation.unknown_shop', `shop ${shopId} is not there`);
  flag('operation.unknown_shop', whyNotItsMerchant(shop, data));
  const expected = deriveOperationId(shop, name);
  if (expected !== entity.id)
    flag('operation.id', `${JSON.stringify(name)} of shop ${shopId} has the id ${expected}`);
}

/**
 * An operation ends once, only some events may follow the end, and each event needs its
 * predecessor.
 */
function judgeOrder({ facts, event, flag }: RoutingContext): void {
  const { type } = event;
  if (isEnding(type) && (type === 'OperationCancelled' || type === 'OperationExpired')) {
    if (facts.type === 'payout') flag('operation.payout_cancelled', `${type} of a payout`);
  }
  const cancelled = facts.status === 'cancelled' || facts.cancelledFirst;
  if (cancelled && type === 'AttemptAccepted')
    flag('operation.requisites_after_cancel', `${type} with requisites after a cancellation`);
  if (facts.end && isEnding(type))
    return flag(
      'operation.second_end',
      `${type} after ${facts.status} at revision ${facts.end.revision}`,
    );
  if (facts.end && type !== 'AttemptWithdrawn')
    return flag(
      'operation.event_after_end',
      `${type} after ${facts.status} at revision ${facts.end.revision}`,
    );
  if (facts.cancelledFirst && !facts.end && type !== 'OperationCancelled')
    return flag('operation.illegal_transition', `${type} where a cancel came first`);
  flag('operation.illegal_transition', whyIllegal(facts, event));
}

/** The full amount must be reserved in the ledger before the payout relies on it. */
function judgeReservation({ entity, facts, event, flag }: RoutingContext): void {
  if (event.type === 'FundsReserved') {
    const { reservation, attempt } = event.data;
    const entries = entity.reservations[reservation];
    if (entries?.reserved === undefined)
      flag(
        'reservation.not_made',
        `attempt ${attempt} uses reservation ${reservation}, which no ledger has`,
      );
    else if (entries.ended !== undefined)
      flag(
        'reservation.not_made',
        `reservation ${reservation} was closed by a ${entries.ended} before`,
      );
  }
  const [requested, route] = findFunds(facts, event);
  if (!requested || !route) return;
  const { amount, currency, fxRate } = requested;
  const expected = route.settlementCurrency ?? facts.currency;
  const { settlement } = exactFigures(parseExactMinor(facts.amount), {
    type: 'payout',
    currency: expected,
    commission: route.commission,
    fxRate,
  });
  if (parseExactMinor(amount) === settlement && currency === expected) return;
  const { percent, fixed } = route.commission;
  flag(
    'operation.reserved_amount',
    `${amount} ${currency} requested; ${facts.amount} at rate ${fxRate ?? '1'}, ${percent} % and ${fixed} needs ${formatExactMinor(settlement)} ${expected}`,
  );
}

/** The reservation requested for an attempt, or the one reused from an earlier attempt. */
function findFunds(facts: OperationFacts, event: DecodedEvent) {
  if (event.type === 'ReservationRequested') {
    const { amount, currency, fx_rate: fxRate } = event.data;
    return [{ amount, currency, fxRate }, facts.attempts.at(-1)] as const;
  }
  if (event.type !== 'FundsReserved') return [];
  const { reservation, attempt } = event.data;
  const isAgain = reservation !== attempt;
  const held = facts.reservations.find((each) => isAgain && each.reservation === reservation);
  return [held, facts.attempts.find((each) => each.attempt === attempt)] as const;
}
