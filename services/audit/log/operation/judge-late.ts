import { graceMs } from '../../authority/commands.ts';
import { decodeLateEvent, ofLegIds, providerLegIds } from '#shared/domain/late/events.ts';
import type { AuditedEntity, LateLeg } from '../entities/entity.ts';
import {
  createFlag,
  toCauseLocation,
  type EventEnvelope,
  type FlagViolation,
} from '../../report/findings/report-violation.ts';
import type { AuditContext } from '../pass/context.ts';
import { formatExactMinor, parseExactMinor, sumAmounts } from './exact-arithmetic.ts';
import { endpointsTaking, whyNotItsMerchant } from '../pass/shops.ts';
import { expectedReturnMessage } from './message.ts';
import { computeOvercharge } from './overcharge.ts';
import { overpaidLate } from './overpaid-late.ts';
import { hasLegsOfAttempt, hasGrossLegs, usesSameAccount, type OperationFacts } from './fold.ts';

type Late = ReturnType<typeof decodeLateEvent>;
type LateContext<Type extends Late['type']> = Extract<Late, { type: Type }> & {
  envelope: EventEnvelope;
  flag: FlagViolation;
};

/**
 * Checks a fact reported after the end, and applies it to the operation's entity.
 * @throws when it can't be decoded
 */
export function judgeLate(
  context: AuditContext,
  entity: AuditedEntity,
  envelope: EventEnvelope,
): void {
  const event = decodeLateEvent(envelope);
  const { data } = event;
  const shopId = data.shop_id;
  const flag = createFlag(context, envelope, shopId);
  if (data.operation_id !== entity.id)
    flag('log.wrong_stream', `it belongs to late-${data.operation_id}`);
  const { operation } = entity;
  entity.shopId ??= shopId;
  if (!operation || operation.shopId !== shopId)
    flag('late.unknown', `operation ${entity.id} of shop ${shopId} does not exist`);
  const shop = context.shops.find(shopId);
  if (shop && 'merchant_id' in data) flag('late.unknown', whyNotItsMerchant(shop, data));
  flag('late.unknown', whyNoAmount(event));
  if (event.type === 'LateStatusAcknowledged') {
    const noted = entity.lateStatuses.find(({ eventId }) => eventId === event.data.entry_id);
    if (!noted)
      flag('late.unknown', `no contradicting terminal status ${event.data.entry_id} was reported`);
    else noted.acknowledged = true;
  } else {
    const { attempt } = event.data;
    if (operation && !operation.attempts.some((each) => each.attempt === attempt))
      flag('late.unknown', `attempt ${attempt} was never begun`);
    if (event.type === 'LateStatusReported')
      entity.lateStatuses.push({ eventId: envelope.event.id });
    else if (event.type === 'PayoutOvercharged') {
      delete entity.overcharge;
      entity.lateStatuses.push({ eventId: envelope.event.id });
      judgeOvercharge(entity, { ...event, envelope, flag });
    } else if (event.type === 'LateLegCorrected') {
      entity.lateStatuses.push({ eventId: envelope.event.id });
      judgeCorrection(entity, { ...event, envelope, flag });
    } else if (event.type === 'DifferenceReported')
      judgeDifference(entity, { ...event, envelope, flag });
    else if (event.type === 'MoneyReturned') {
      judgeReturn(entity, { ...event, envelope, flag });
      judgeNotice(context, entity, { ...event, envelope, flag });
    } else judgeMoney(entity, { ...event, envelope, flag });
  }
  noteApproval(context, entity);
  if (event.type === 'DifferenceReported' && event.data.of === 'approval') {
    const { currency, leg } = event.data;
    const missing = `${formatExactMinor(-parseExactMinor(leg.amount))} ${currency}`;
    context.operationNotes.set('missing', { operationId: entity.id, shopId }, missing);
  }
  if (operation) context.operationNotes.set('overpaid_late', operation, overpaidLate(entity));
  context.providerStatements.late(operation, envelope);
  context.rows.late?.(entity, { event, envelope });
}

/** Only a difference has a sign. */
function whyNoAmount({ type, data }: Late): string | undefined {
  if (type === 'DifferenceReported' || !('leg' in data)) return undefined;
  const { leg_id: legId, amount } = data.leg;
  return parseExactMinor(amount) >= 0n ? undefined : `${type} of leg ${legId} has ${amount}`;
}

/** The payout cost more than agreed, and the event names the terms and the charge. */
function judgeOvercharge(
  { operation }: AuditedEntity,
  { data, flag }: LateContext<'PayoutOvercharged'>,
): void {
  const { currency, agreed_amount: agreed, charged_amount: charged } = data;
  const due = operation && computeOvercharge(operation);
  if (!due) return flag('late.overcharge', 'no payout cost more than agreed');
  if (due.currency === currency && due.agreed === agreed && due.charged === charged) return;
  flag(
    'late.overcharge',
    `${charged} for ${agreed} ${currency}; the payout cost ${due.charged} for ${due.agreed} ${due.currency}`,
  );
}

/** The corrected leg or return exists, and the event names its present amount. */
function judgeCorrection(
  { operation, confirmed, late }: AuditedEntity,
  { data, envelope, flag }: LateContext<'LateLegCorrected'>,
): void {
  const { attempt, of_leg_id: ofLeg, counted_amount: counted } = data;
  const ids = providerLegIds(data);
  const isNamed = (legId: string) => ids.includes(legId);
  const isIt = (leg: LateLeg) => leg.attempt === attempt && leg.providerLegIds.some(isNamed);
  const same = late.filter((leg) => isIt(leg) && leg.ofLegId === ofLeg);
  const acceptedOperation = operation?.accepted?.attempt === attempt ? operation : undefined;
  const before = (acceptedOperation?.returns ?? []).filter(
    (each) => isNamed(each.legId) && (each.ofLegId === ofLeg || each.ofLegId === data.or_of_leg_id),
  );
  const legs = (acceptedOperation?.legs ?? []).filter((leg) => isNamed(leg.legId));
  const recordedLegs = [...legs, ...confirmed.filter(isIt)];
  // The leg with its gross amount; older events have its amount net of returns.
  const legReturns = (acceptedOperation?.returns ?? []).filter((each) => isNamed(each.ofLegId));
  const returnedAmounts = hasGrossLegs(envelope) ? legReturns.map((each) => each.counted) : [];
  // A return from before the end is corrected as a whole, with the part that is late.
  const back = before.length > 0 ? before : same;
  const counts = ofLeg === undefined ? [...recordedLegs, ...same] : back;
  const recordedAmount = formatExactMinor(
    sumAmounts([
      ...counts.map(({ amount }) => amount),
      ...(ofLeg === undefined ? returnedAmounts : []),
    ]),
  );
  if (counts.length === 0) flag('late.unknown', `leg ${ids[0]} is corrected, but is not recorded`);
  else if (recordedAmount !== counted)
    flag(
      'late.unknown',
      `leg ${ids[0]} is corrected from ${counted}, but is recorded with ${recordedAmount}`,
    );
}

type Difference = Pick<LateContext<'DifferenceReported'>['data'], 'of' | 'attempt' | 'corrects'>;

/** The corrected money exists with the event's amount, and differs by the event's difference. */
function judgeDifference(
  entity: AuditedEntity,
  { data, envelope, flag }: LateContext<'DifferenceReported'>,
): void {
  const { attempt, provider, currency, of, corrects, of_leg_id: ofLegId } = data;
  const { counted_amount: counted, reported_amount: reported } = data;
  const { leg_id: legId, amount } = data.leg;
  const leg = { legId, attempt, providerLegIds: [] };
  const { operation, late } = entity;
  if (isRecordedIn(late, { leg, operation })) flag('late.twice', `${legId} is already late money`);
  if (
    parseExactMinor(reported) - parseExactMinor(counted) !== parseExactMinor(amount) ||
    parseExactMinor(amount) === 0n
  )
    flag(
      'late.unknown',
      `${reported} instead of ${counted} is recorded as a difference of ${amount}`,
    );
  if (of === 'approval') judgeMissing(entity, data, flag);
  else {
    const money = listRecordedAmounts(entity, data);
    const confirming = entity.confirmed.filter(
      (each) => of === 'transfer' && each.corrects === corrects && each.attempt === attempt,
    );
    const posted = [...late.filter(isSameDifference(data)), ...confirming].map(
      (each) => each.amount,
    );
    const recordedAmount = formatExactMinor(sumAmounts([...money, ...posted]));
    if (money.length === 0) flag('late.unknown', `${corrects} is corrected, but is not recorded`);
    else if (recordedAmount !== counted)
      flag(
        'late.unknown',
        `${corrects} is corrected from ${counted}, but is recorded with ${recordedAmount}`,
      );
  }
  const back = ofLegId !== undefined && { ofLegId };
  const about = { ...leg, ...back, difference: { of, corrects } };
  entity.late.push({ ...about, provider, amount, currency, ...toCauseLocation(envelope) });
}

const isSameDifference =
  ({ of, corrects, attempt }: Difference) =>
  ({ difference, attempt: at }: AuditedEntity['late'][number]): boolean =>
    difference?.of === of && difference.corrects === corrects && at === attempt;

/** The amounts of a transfer as it came, or of a return, without its differences. */
function listRecordedAmounts(
  { operation, confirmed, late }: AuditedEntity,
  { of, attempt, corrects }: Difference,
): string[] {
  const acceptedOperation = operation?.accepted?.attempt === attempt ? operation : undefined;
  // A return from before the end is corrected as a whole, with the part that is late.
  const before =
    of === 'return'
      ? (acceptedOperation?.returns ?? []).filter(({ legId }) => legId === corrects)
      : [];
  const isLate = (leg: AuditedEntity['late'][number]) => {
    const { legId, ofLegId, attempt: at, difference } = leg;
    const isIt = before.length > 0 ? leg.providerLegIds.includes(corrects) : legId === corrects;
    return isIt && at === attempt && !difference && (ofLegId !== undefined) === (of === 'return');
  };
  const lateAmounts = late.filter(isLate).map(({ amount }) => amount);
  if (of === 'return') return [...before.map(({ counted }) => counted), ...lateAmounts];
  const legs = (acceptedOperation?.legs ?? []).filter(
    ({ legId, synthetic }) => legId === corrects && !synthetic,
  );
  const legReturns = (acceptedOperation?.returns ?? []).filter(
    ({ ofLegId }) => ofLegId === corrects,
  );
  const approved = confirmed.filter(
    ({ legId, attempt: at }) => legId === corrects && at === attempt,
  );
  return [
    ...[...legs, ...approved].map(({ amount }) => amount),
    ...(legs.length > 0 ? legReturns.map(({ counted }) => counted) : []),
    ...lateAmounts,
  ];
}

/** All that was approved and has not come is missing, and no more. */
function judgeMissing(
  entity: AuditedEntity,
  data: LateContext<'DifferenceReported'>['data'],
  flag: FlagViolation,
): void {
  const { attempt, corrects, counted_amount: counted } = data;
  const { operation } = entity;
  const acceptedOperation = operation?.accepted?.attempt === attempt ? operation : undefined;
  const approved = acceptedOperation?.legs.find(
    ({ legId, synthetic }) => synthetic && legId === corrects,
  );
  const due = acceptedOperation ? approvedDue(entity, acceptedOperation) : 0n;
  if (approved?.amount === counted && parseExactMinor(data.leg.amount) === -due) return;
  flag(
    'late.approved',
    `${data.leg.amount} of ${counted} is missing, where ${formatExactMinor(due)} of ${approved?.amount ?? 'nothing'} had not arrived`,
  );
}

/** Notes what of an operator's approval its provider has not reported. */
export function noteApproval({ operationNotes }: AuditContext, entity: AuditedEntity): void {
  const { id: operationId, operation } = entity;
  if (!operation?.legs.some(({ synthetic }) => synthetic)) return;
  const { shopId, currency } = operation;
  const due = approvedDue(entity, operation);
  const amount = due > 0n ? `${formatExactMinor(due)} ${currency}` : undefined;
  operationNotes.set('due', { operationId, shopId }, amount);
}

/** What an operator approved, that has not come, and that is not known to be missing. */
function approvedDue({ confirmed, late }: AuditedEntity, { legs }: OperationFacts): bigint {
  const approved = legs.filter(({ synthetic }) => synthetic);
  const missing = late.filter(({ difference }) => difference?.of === 'approval');
  return (
    sumAmounts([...approved, ...missing].map(({ amount }) => amount)) -
    sumAmounts(confirmed.map(({ amount }) => amount))
  );
}

/**
 * The return is the part that no leg of the operation covered. The amount by which it exceeds its
 * leg must be stated.
 */
function judgeReturn(
  entity: AuditedEntity,
  { data, envelope, flag }: LateContext<'MoneyReturned'>,
): void {
  const { operation, confirmed, late } = entity;
  const { attempt, provider, currency, kind, of_leg_id: ofLegId, beyond = '0.00' } = data;
  const { leg_id: legId, amount } = data.leg;
  const leg = { legId, attempt, providerLegIds: providerLegIds(data) };
  const isForLeg = (id: string) => ofLegIds(data).includes(id);
  const isBack = (each: { ofLegId?: string }) => each.ofLegId !== undefined;
  if (isRecordedIn(late.filter(isBack), { leg, operation }))
    flag('late.twice', `${legId} was already returned`);
  const atAccount = (each: LateLeg) => usesSameAccount(operation, each.attempt, attempt);
  const there = late.filter((each) => !each.difference && atAccount(each));
  const back = there.filter(isBack);
  if (operation && kind !== (operation.type === 'payout' ? 'returned' : 'charged_back'))
    flag('late.returned', `a ${operation.type} is ${kind}`);
  const countingOperation = hasLegsOfAttempt(operation, attempt) ? operation : undefined;
  const before = countingOperation?.returns.find((each) => leg.providerLegIds.includes(each.legId));
  const remainder = before && parseExactMinor(before.amount) - parseExactMinor(before.counted);
  if (before && (!isForLeg(before.ofLegId) || remainder !== parseExactMinor(amount)))
    flag(
      'late.returned',
      `${amount} is late of ${before.amount}, of which ${before.counted} was counted`,
    );
  const counts = (countingOperation?.legs ?? []).filter(
    (each) => !each.synthetic && isForLeg(each.legId),
  );
  const lateIn = [...confirmed.filter(atAccount), ...there.filter((each) => !isBack(each))];
  const transfers = [...counts, ...lateIn.filter((each) => each.providerLegIds.some(isForLeg))];
  const brought = sumAmounts(transfers.map((each) => each.amount));
  const returnedTotal = sumAmounts(
    back.filter((each) => each.ofLegId === ofLegId).map((each) => each.amount),
  );
  const excess = returnedTotal + parseExactMinor(amount) - brought;
  const least = excess > parseExactMinor(amount) ? parseExactMinor(amount) : excess;
  const due = least > 0n ? least : 0n;
  // While the accepted attempt is open its returns are the operation's own, so this was decided on
  // the final legs. Another attempt at the account may have been judged by fewer of them a moment
  // ago, and an older version may have called the leg otherwise.
  const isOver = operation?.end !== undefined && operation.end.atMs + graceMs < envelope.atMs;
  const isFinal = operation?.end !== undefined && operation.accepted?.attempt === attempt;
  const isSure =
    !before && (!countingOperation || isFinal || isOver) && envelope.metadata.schema_version >= 2;
  const most = isSure ? due : parseExactMinor(amount);
  if (parseExactMinor(beyond) > most || parseExactMinor(beyond) < due)
    flag(
      'late.returned',
      `leg ${ofLegId} brought ${formatExactMinor(due)} less than was returned, not ${beyond}`,
    );
  const { or_of_leg_id: orOfLegId } = data;
  const of = { ofLegId, ...(orOfLegId !== undefined && { orOfLegId }) };
  entity.late.push({ ...leg, ...of, provider, amount, currency, ...toCauseLocation(envelope) });
}

/** A return after the end requires a webhook with the total of returns so far (R14.20). */
function judgeNotice(
  { rows, shops }: AuditContext,
  { operation, late }: AuditedEntity,
  { data, envelope, flag }: LateContext<'MoneyReturned'>,
): void {
  const { kind, currency, leg, total } = data;
  const { end } = operation ?? {};
  const mustNotify =
    end && end.atMs + graceMs < envelope.atMs && envelope.metadata.schema_version >= 3;
  if (total === undefined) {
    if (mustNotify) flag('late.returned', `${leg.leg_id} was returned after the end, unannounced`);
    return;
  }
  if (!operation || !end)
    return flag('late.returned', `${leg.leg_id} is announced before the operation has ended`);
  const back = late.filter(({ ofLegId, difference }) =>
    difference ? difference.of === 'return' : ofLegId !== undefined,
  );
  const before = operation.returns.map(({ counted }) => counted);
  const all = formatExactMinor(sumAmounts([...before, ...back.map(({ amount }) => amount)]));
  if (all !== total)
    flag('late.returned', `the total returned so far is given as ${total}, and is ${all}`);
  const earlier = late.filter(({ notified }) => notified).length;
  const own = late.at(-1);
  if (own) own.notified = true;
  const endpoints = shops.find(operation.shopId)?.endpoints ?? new Map();
  const { position } = envelope.event;
  const type = `${operation.type}.${kind}`;
  const endpointIds = endpointsTaking(endpoints, { type, position });
  if (endpointIds.length === 0) return;
  const returned = { amount: leg.amount, currency, total, at: leg.completed_at };
  const event = { id: envelope.event.id, atMs: envelope.atMs };
  const message = () =>
    expectedReturnMessage(operation, event, { kind, before: earlier, returned });
  rows.message?.(operation.shopId, envelope, { endpointIds, message });
}

/**
 * Whether a leg is already recorded: one of its account by the provider's id, or one by its name.
 */
const isRecordedIn = (
  recorded: readonly LateLeg[],
  { leg, operation }: { leg: LateLeg; operation: OperationFacts | undefined },
): boolean =>
  recorded.some(
    (each) =>
      each.legId === leg.legId ||
      (each.providerLegIds.some((id) => leg.providerLegIds.includes(id)) &&
        usesSameAccount(operation, each.attempt, leg.attempt)),
  );

/**
 * A leg that brings more than was due confirms the due part. The rest is late money, so the leg
 * counts in both.
 */
function judgeMoney(
  entity: AuditedEntity,
  { type, data, envelope, flag }: LateContext<'LateMoneyReceived' | 'ApprovedMoneyConfirmed'>,
): void {
  const { operation } = entity;
  const { attempt, currency, provider } = data;
  const { leg_id: legId, amount } = data.leg;
  const corrects = 'corrects' in data ? data.corrects : undefined;
  // More of a leg has the provider's id of that leg.
  const ids = corrects === undefined ? providerLegIds(data) : [];
  const leg: LateLeg = { legId, attempt, providerLegIds: ids };
  const own = hasLegsOfAttempt(operation, attempt) ? (operation?.legs ?? []) : [];
  if (own.some((each) => leg.providerLegIds.includes(each.legId)))
    flag('late.twice', `leg ${legId} is already counted for the operation`);
  const lateTransfers = entity.late.filter(({ ofLegId }) => ofLegId === undefined);
  const isAccepted = operation?.accepted?.attempt === attempt;
  const due = isAccepted ? approvedDue(entity, operation) : 0n;
  if (type === 'ApprovedMoneyConfirmed') {
    if (isRecordedIn([...entity.confirmed, ...lateTransfers], { leg, operation }))
      flag('late.twice', `leg ${legId} is already recorded`);
    if (parseExactMinor(amount) > due)
      flag(
        'late.approved',
        `${amount} is confirmed, where ${formatExactMinor(due)} was approved and had not arrived`,
      );
    if (
      corrects !== undefined &&
      listRecordedAmounts(entity, { of: 'transfer', attempt, corrects }).length === 0
    )
      flag('late.unknown', `${corrects} confirms an approval, but is not recorded`);
    entity.confirmed.push({ ...leg, amount, ...(corrects !== undefined && { corrects }) });
    return;
  }
  if (isRecordedIn(lateTransfers, { leg, operation }))
    flag('late.twice', `leg ${legId} is already recorded as late money`);
  if (due > 0n && !operation?.older)
    flag(
      'late.approved',
      `${amount} is late, where ${formatExactMinor(due)} was approved and had not arrived`,
    );
  entity.late.push({ ...leg, provider, amount, currency, ...toCauseLocation(envelope) });
}
