import { decodeOperationEvent } from '#shared/domain/operation/events.ts';
import type { RuleCode } from '#shared/domain/audit/rules.ts';
import { reportViolation, type Seen } from '../../report/findings/report-violation.ts';
import type { Context } from '../pass/context.ts';
import { endpointsTaking, operationIdOf } from '../pass/shops.ts';
import type { AuditedEntity } from '../entities/entity.ts';
import { decisionViolations, whyNotDecided } from './decision.ts';
import { endViolations } from './ends.ts';
import { whyNotExpired } from './expiry.ts';
import { amountOf, exactFigures, minorOf } from './exact.ts';
import {
  admittedFacts,
  countsLegsOf,
  isEnding,
  routeOf,
  takeEvent,
  type OperationFacts,
} from './fold.ts';
import { whyIllegal } from './legality.ts';
import { judgeRouting } from './judge-routing.ts';
import { expectedMessage } from './message.ts';
import { noteApproval } from './judge-late.ts';
import { overchargeOf } from './overcharge.ts';

type Event = ReturnType<typeof decodeOperationEvent>;
type Blame = (rule: RuleCode, message: string) => void;

/** Operations admitted from this event version on must keep all of today's rules. */
const strictSince = 3;

/**
 * Checks one event of an operation's stream and applies it to the entity.
 * @throws when it can't be decoded
 */
export function judgeOperation(context: Context, entity: AuditedEntity, seen: Seen): void {
  const event = decodeOperationEvent(seen);
  const blame: Blame = (rule, message) =>
    reportViolation(context, seen, { rule, message, shopId: entity.shopId ?? shopIn(event) });
  const known = entity.operation;
  if (event.type === 'OperationCancelledBeforeCreate') {
    if (known || entity.cancelledFirst || seen.event.revision !== 0)
      blame('operation.admission_first', `${event.type} at revision ${seen.event.revision}`);
    checkNames(context, { entity, data: event.data, blame });
    entity.cancelledFirst = true;
    entity.shopId ??= event.data.shop_id;
    return;
  }
  if (event.type === 'OperationAdmitted') return admit(context, { entity, seen, event, blame });
  if (!known) return blame('operation.admission_first', `${event.type} before the admission`);
  judgeOrder(known, event, blame);
  judgeLegs(entity, { facts: known, event, blame });
  judgeRouting(context, { facts: known, event, seen, blame });
  judgeReservation({ entity, facts: known, event, blame });
  judgeDecision(known, { event, seen, blame });
  judgeExpiry(context, { facts: known, event, seen, blame });
  if (approvesMore(known, event) && !context.authority.isAdmins(seen))
    blame('authority.amount', `${known.amount} was expected, and ${seen.actor} approved more`);
  const place = { revision: seen.event.revision, position: seen.event.position, atMs: seen.atMs };
  const ended = known.end !== undefined;
  context.rows.beforeOperation(entity, seen);
  const owes = takeEvent(known, event, place);
  if (!ended) for (const [rule, message] of endViolations(known, event)) blame(rule, message);
  const overcharge = !ended && isEnding(event.type) ? overchargeOf(known) : undefined;
  if (overcharge)
    context.overcharges.note({ operationId: entity.id, shopId: known.shopId, ...overcharge });
  noteApproval(context, entity);
  context.statements.operation(known, event, seen);
  context.rows.operation(entity, { event, seen });
  if (owes) noteMessages(context, known, seen);
}

/** A webhook of the operation as it is now, for each endpoint of its shop that takes its type. */
function noteMessages(context: Context, facts: OperationFacts, seen: Seen): void {
  const endpoints = context.shops.find(facts.shopId)?.endpoints ?? new Map();
  const type = `${facts.type}.${facts.status}`;
  const endpointIds = endpointsTaking(endpoints, { type, position: seen.event.position });
  if (endpointIds.length === 0) return;
  const message = () => expectedMessage(facts, { id: seen.event.id, atMs: seen.atMs });
  context.rows.message(facts.shopId, seen, { endpointIds, message });
}

function judgeExpiry(
  { answers }: Context,
  { facts, event, seen, blame }: { facts: OperationFacts; event: Event; seen: Seen; blame: Blame },
): void {
  const why = whyNotExpired(facts, { event, seen, areNumbered: answers.areNumbered });
  if (why !== undefined) blame('operation.expired_early', why);
  if (!('report_version' in event.data) || event.data.report_version === undefined) return;
  const route = routeOf(facts);
  if (route) answers.number(route.provider);
}

function judgeDecision(
  facts: OperationFacts,
  { event, seen, blame }: { event: Event; seen: Seen; blame: Blame },
): void {
  if (!facts.end)
    for (const message of decisionViolations(facts, event)) blame('operation.decided', message);
  const isDecision = event.type === 'ReviewDecided' || event.type === 'CloseDecided';
  if (!isDecision && !isEnding(event.type)) return;
  const { actor, tokenId } = seen;
  const who = tokenId === undefined ? actor : `${actor} (token ${tokenId})`;
  const undecided = whyNotDecided(facts, { type: event.type, who });
  if (undecided !== undefined) blame('authority.decision', undecided);
  if (isDecision) facts.decidedBy = who;
}

/** Only an admin may approve more than was requested (R9.10). */
const approvesMore = ({ amount }: OperationFacts, { type, data }: Event): boolean =>
  type === 'ReviewDecided' && minorOf(data.actual_amount ?? '0.00') > minorOf(amount);

const shopIn = ({ data }: Event): string | undefined =>
  'shop_id' in data ? data.shop_id : undefined;

/** What came late before can't be counted; money of another account may have the same id. */
function judgeLegs(
  { late }: AuditedEntity,
  { facts, event, blame }: { facts: OperationFacts; event: Event; blame: Blame },
): void {
  const came = late.filter(
    ({ ofLegId, attempt }) => ofLegId === undefined && countsLegsOf(facts, attempt),
  );
  for (const { leg_id: legId } of newLegs(event))
    if (came.some(({ providerLegIds }) => providerLegIds.includes(legId)))
      blame('late.twice', `leg ${legId} is counted, and is also recorded as late money`);
}

function newLegs(event: Event) {
  if (event.type === 'LegReceived') return [event.data.leg];
  return 'legs' in event.data ? event.data.legs : [];
}

function admit(
  context: Context,
  { entity, seen, event, blame }: { entity: AuditedEntity; seen: Seen; event: Event; blame: Blame },
): void {
  if (event.type !== 'OperationAdmitted') return;
  const { data } = event;
  if (entity.operation)
    return blame('operation.admission_first', 'the operation is admitted twice');
  const first = entity.cancelledFirst === true;
  if (seen.event.revision !== (first ? 1 : 0))
    blame('operation.admission_first', `admitted at revision ${seen.event.revision}`);
  if (first && data.type === 'payout')
    blame('operation.payout_cancelled', 'a payout is admitted with a cancelled key');
  checkNames(context, { entity, data, blame });
  entity.shopId = data.shop_id;
  const place = { revision: seen.event.revision, position: seen.event.position, atMs: seen.atMs };
  context.rows.beforeOperation(entity, seen);
  entity.operation = admittedFacts(data, place, first);
  if (seen.metadata.schema_version < strictSince) entity.operation.older = true;
  context.rows.operation(entity, { event, seen });
}

function checkNames(
  { shops }: Context,
  given: {
    entity: AuditedEntity;
    data: { operation_id: string; shop_id: string; merchant_operation_id: string };
    blame: Blame;
  },
): void {
  const { entity, data, blame } = given;
  const { operation_id: id, shop_id: shopId, merchant_operation_id: name } = data;
  if (id !== entity.id) blame('log.wrong_stream', `it belongs to operation-${id}`);
  const shop = shops.find(shopId);
  if (!shop) return blame('operation.unknown_shop', `shop ${shopId} is not there`);
  const expected = operationIdOf(shop, name);
  if (expected !== entity.id)
    blame('operation.id', `${JSON.stringify(name)} of shop ${shopId} has the id ${expected}`);
}

/**
 * An operation ends once, only some events may follow the end, and each event needs its
 * predecessor.
 */
function judgeOrder(facts: OperationFacts, event: Event, blame: Blame): void {
  const { type } = event;
  if (isEnding(type) && (type === 'OperationCancelled' || type === 'OperationExpired')) {
    if (facts.type === 'payout') blame('operation.payout_cancelled', `${type} of a payout`);
  }
  const cancelled = facts.status === 'cancelled' || facts.cancelledFirst;
  if (cancelled && type === 'AttemptAccepted')
    blame('operation.requisites_after_cancel', `${type} with requisites after a cancellation`);
  if (facts.end && isEnding(type))
    return blame(
      'operation.second_end',
      `${type} after ${facts.status} at revision ${facts.end.revision}`,
    );
  if (facts.end && type !== 'AttemptWithdrawn')
    return blame(
      'operation.event_after_end',
      `${type} after ${facts.status} at revision ${facts.end.revision}`,
    );
  if (facts.cancelledFirst && !facts.end && type !== 'OperationCancelled')
    return blame('operation.illegal_transition', `${type} where a cancel came first`);
  const why = whyIllegal(facts, event);
  if (why !== undefined) blame('operation.illegal_transition', why);
}

/** The full amount must be reserved in the ledger before the payout relies on it. */
function judgeReservation(given: {
  entity: AuditedEntity;
  facts: OperationFacts;
  event: Event;
  blame: Blame;
}): void {
  const { entity, facts, event, blame } = given;
  if (event.type === 'FundsReserved') {
    const { reservation, attempt } = event.data;
    const entries = entity.reservations[reservation];
    if (entries?.reserved === undefined)
      blame(
        'reservation.not_made',
        `attempt ${attempt} uses reservation ${reservation}, which no ledger has`,
      );
    else if (entries.ended !== undefined)
      blame(
        'reservation.not_made',
        `reservation ${reservation} was closed by a ${entries.ended} before`,
      );
  }
  const [requested, route] = fundsOf(facts, event);
  if (!requested || !route) return;
  const { amount, currency, fxRate } = requested;
  const { settlement } = exactFigures(minorOf(facts.amount), {
    type: 'payout',
    commission: route.commission,
    fxRate,
  });
  const expected = route.settlementCurrency ?? facts.currency;
  if (minorOf(amount) === settlement && currency === expected) return;
  const { percent, fixed } = route.commission;
  blame(
    'operation.reserved_amount',
    `${amount} ${currency} requested; ${facts.amount} at rate ${fxRate ?? '1'}, ${percent} % and ${fixed} needs ${amountOf(settlement)} ${expected}`,
  );
}

/** What is requested for an attempt, or was for an earlier one and is used again. */
function fundsOf(facts: OperationFacts, event: Event) {
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
