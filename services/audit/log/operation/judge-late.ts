import { graceMs } from '../../authority/commands.ts';
import { decodeLateEvent, ofLegIds, providerLegIds } from '#shared/domain/late/events.ts';
import type { AuditedEntity, LateLeg } from '../entities/entity.ts';
import {
  createFlag,
  locationOf,
  type EventEnvelope,
  type FlagViolation,
} from '../../report/findings/report-violation.ts';
import type { Context } from '../pass/context.ts';
import { amountOf, minorOf, totalOf } from './exact-arithmetic.ts';
import { endpointsTaking } from '../pass/shops.ts';
import { expectedReturnMessage } from './message.ts';
import { overchargeOf } from './overcharge.ts';
import { countsLegsOf, hasGrossLegs, sharesAccount, type OperationFacts } from './fold.ts';

type Late = ReturnType<typeof decodeLateEvent>;
type Judged<Type extends Late['type']> = Extract<Late, { type: Type }> & {
  envelope: EventEnvelope;
  flag: FlagViolation;
};

/**
 * Checks a fact reported after the end, and applies it to the operation's entity.
 * @throws when it can't be decoded
 */
export function judgeLate(context: Context, entity: AuditedEntity, envelope: EventEnvelope): void {
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
    const missing = `${amountOf(-minorOf(leg.amount))} ${currency}`;
    context.operationNotes.set('missing', { operationId: entity.id, shopId }, missing);
  }
  context.providerStatements.late(operation, envelope);
  context.rows.late?.(entity, { event, envelope });
}

/** The payout cost more than agreed, and the event names the terms and the charge. */
function judgeOvercharge(
  { operation }: AuditedEntity,
  { data, flag }: Judged<'PayoutOvercharged'>,
): void {
  const { currency, agreed_amount: agreed, charged_amount: charged } = data;
  const due = operation && overchargeOf(operation);
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
  { data, envelope, flag }: Judged<'LateLegCorrected'>,
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
  const recordedAmount = amountOf(
    totalOf([
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

type Difference = Judged<'DifferenceReported'>['data'];

/** The corrected money exists with the event's amount, and differs by the event's difference. */
function judgeDifference(
  entity: AuditedEntity,
  { data, envelope, flag }: Judged<'DifferenceReported'>,
): void {
  const { attempt, provider, currency, of, corrects, of_leg_id: ofLegId } = data;
  const { counted_amount: counted, reported_amount: reported } = data;
  const { leg_id: legId, amount } = data.leg;
  const leg = { legId, attempt, providerLegIds: [] };
  const { operation, late } = entity;
  if (isRecordedIn(late, { leg, operation })) flag('late.twice', `${legId} is already late money`);
  if (minorOf(reported) - minorOf(counted) !== minorOf(amount) || minorOf(amount) === 0n)
    flag(
      'late.unknown',
      `${reported} instead of ${counted} is recorded as a difference of ${amount}`,
    );
  if (of === 'approval') judgeMissing(entity, data, flag);
  else {
    const money = recordedOf(entity, data);
    const posted = late.filter(isDifferenceOf(data)).map((each) => each.amount);
    const recordedAmount = amountOf(totalOf([...money, ...posted]));
    if (money.length === 0) flag('late.unknown', `${corrects} is corrected, but is not recorded`);
    else if (recordedAmount !== counted)
      flag(
        'late.unknown',
        `${corrects} is corrected from ${counted}, but is recorded with ${recordedAmount}`,
      );
  }
  const back = ofLegId !== undefined && { ofLegId };
  const about = { ...leg, ...back, difference: { of, corrects } };
  entity.late.push({ ...about, provider, amount, currency, ...locationOf(envelope) });
}

const isDifferenceOf =
  ({ of, corrects, attempt }: Pick<Difference, 'of' | 'corrects' | 'attempt'>) =>
  ({ difference, attempt: at }: AuditedEntity['late'][number]): boolean =>
    difference?.of === of && difference.corrects === corrects && at === attempt;

/** The amounts of a transfer as it came, or of a return, without its differences. */
function recordedOf(
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
function judgeMissing(entity: AuditedEntity, data: Difference, flag: FlagViolation): void {
  const { attempt, corrects, counted_amount: counted } = data;
  const { operation } = entity;
  const acceptedOperation = operation?.accepted?.attempt === attempt ? operation : undefined;
  const approved = acceptedOperation?.legs.find(
    ({ legId, synthetic }) => synthetic && legId === corrects,
  );
  const due = acceptedOperation ? approvedDue(entity, acceptedOperation) : 0n;
  if (approved?.amount === counted && minorOf(data.leg.amount) === -due) return;
  flag(
    'late.approved',
    `${data.leg.amount} of ${counted} is missing, where ${amountOf(due)} of ${approved?.amount ?? 'nothing'} had not arrived`,
  );
}

/** Notes what of an operator's approval its provider has not reported. */
export function noteApproval({ operationNotes }: Context, entity: AuditedEntity): void {
  const { id: operationId, operation } = entity;
  if (!operation?.legs.some(({ synthetic }) => synthetic)) return;
  const { shopId, currency } = operation;
  const due = approvedDue(entity, operation);
  const amount = due > 0n ? `${amountOf(due)} ${currency}` : undefined;
  operationNotes.set('due', { operationId, shopId }, amount);
}

/** What an operator approved, that has not come, and that is not known to be missing. */
function approvedDue({ confirmed, late }: AuditedEntity, { legs }: OperationFacts): bigint {
  const approved = legs.filter(({ synthetic }) => synthetic);
  const missing = late.filter(({ difference }) => difference?.of === 'approval');
  return (
    totalOf([...approved, ...missing].map(({ amount }) => amount)) -
    totalOf(confirmed.map(({ amount }) => amount))
  );
}

/**
 * The return is the part that no leg of the operation covered. The amount by which it exceeds its
 * leg must be stated.
 */
function judgeReturn(
  entity: AuditedEntity,
  { data, envelope, flag }: Judged<'MoneyReturned'>,
): void {
  const { operation, confirmed, late } = entity;
  const { attempt, provider, currency, kind, of_leg_id: ofLegId, beyond = '0.00' } = data;
  const { leg_id: legId, amount } = data.leg;
  const leg = { legId, attempt, providerLegIds: providerLegIds(data) };
  const isOf = (id: string) => ofLegIds(data).includes(id);
  const isBack = (each: { ofLegId?: string }) => each.ofLegId !== undefined;
  if (isRecordedIn(late.filter(isBack), { leg, operation }))
    flag('late.twice', `${legId} was already returned`);
  const atAccount = (each: LateLeg) => sharesAccount(operation, each.attempt, attempt);
  const there = late.filter((each) => !each.difference && atAccount(each));
  const back = there.filter(isBack);
  if (operation && kind !== (operation.type === 'payout' ? 'returned' : 'charged_back'))
    flag('late.returned', `a ${operation.type} is ${kind}`);
  const countingOperation = countsLegsOf(operation, attempt) ? operation : undefined;
  const before = countingOperation?.returns.find((each) => leg.providerLegIds.includes(each.legId));
  const remainder = before && minorOf(before.amount) - minorOf(before.counted);
  if (before && (!isOf(before.ofLegId) || remainder !== minorOf(amount)))
    flag(
      'late.returned',
      `${amount} is late of ${before.amount}, of which ${before.counted} was counted`,
    );
  const counts = (countingOperation?.legs ?? []).filter(
    (each) => !each.synthetic && isOf(each.legId),
  );
  const lateIn = [...confirmed.filter(atAccount), ...there.filter((each) => !isBack(each))];
  const transfers = [...counts, ...lateIn.filter((each) => each.providerLegIds.some(isOf))];
  const brought = totalOf(transfers.map((each) => each.amount));
  const returnedTotal = totalOf(
    back.filter((each) => each.ofLegId === ofLegId).map((each) => each.amount),
  );
  const excess = returnedTotal + minorOf(amount) - brought;
  const least = excess > minorOf(amount) ? minorOf(amount) : excess;
  const due = least > 0n ? least : 0n;
  // An operation that was open a moment ago may have had less of the leg when this was decided, and
  // an older version may have called the leg otherwise.
  const isOver = operation?.end !== undefined && operation.end.atMs + graceMs < envelope.atMs;
  const isSure = !before && (!countingOperation || isOver) && envelope.metadata.schema_version >= 2;
  const most = isSure ? due : minorOf(amount);
  if (minorOf(beyond) > most || minorOf(beyond) < due)
    flag(
      'late.returned',
      `leg ${ofLegId} brought ${amountOf(due)} less than was returned, not ${beyond}`,
    );
  const { or_of_leg_id: orOfLegId } = data;
  const of = { ofLegId, ...(orOfLegId !== undefined && { orOfLegId }) };
  entity.late.push({ ...leg, ...of, provider, amount, currency, ...locationOf(envelope) });
}

/** A return after the end requires a webhook with the total of returns so far (R14.20). */
function judgeNotice(
  { rows, shops }: Context,
  { operation, late }: AuditedEntity,
  { data, envelope, flag }: Judged<'MoneyReturned'>,
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
  const all = amountOf(totalOf([...before, ...back.map(({ amount }) => amount)]));
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
        sharesAccount(operation, each.attempt, leg.attempt)),
  );

/**
 * A leg that brings more than was due confirms the due part. The rest is late money, so the leg
 * counts in both.
 */
function judgeMoney(
  entity: AuditedEntity,
  { type, data, envelope, flag }: Judged<'LateMoneyReceived' | 'ApprovedMoneyConfirmed'>,
): void {
  const { operation } = entity;
  const { attempt, currency, provider } = data;
  const { leg_id: legId, amount } = data.leg;
  const leg = { legId, attempt, providerLegIds: providerLegIds(data) };
  const own = countsLegsOf(operation, attempt) ? (operation?.legs ?? []) : [];
  if (own.some((each) => leg.providerLegIds.includes(each.legId)))
    flag('late.twice', `leg ${legId} is already counted for the operation`);
  const lateTransfers = entity.late.filter(({ ofLegId }) => ofLegId === undefined);
  const isAccepted = operation?.accepted?.attempt === attempt;
  const due = isAccepted ? approvedDue(entity, operation) : 0n;
  if (type === 'ApprovedMoneyConfirmed') {
    if (isRecordedIn([...entity.confirmed, ...lateTransfers], { leg, operation }))
      flag('late.twice', `leg ${legId} is already recorded`);
    if (minorOf(amount) > due)
      flag(
        'late.approved',
        `${amount} is confirmed, where ${amountOf(due)} was approved and had not arrived`,
      );
    entity.confirmed.push({ ...leg, amount });
    return;
  }
  if (isRecordedIn(lateTransfers, { leg, operation }))
    flag('late.twice', `leg ${legId} is already recorded as late money`);
  if (due > 0n && !operation?.older)
    flag(
      'late.approved',
      `${amount} is late, where ${amountOf(due)} was approved and had not arrived`,
    );
  entity.late.push({ ...leg, provider, amount, currency, ...locationOf(envelope) });
}
