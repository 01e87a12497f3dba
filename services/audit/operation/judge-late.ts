import { decodeLateEvent, ofLegIds, providerLegIds } from '#shared/domain/late/events.ts';
import type { Dossier, LateLeg } from '../dossier/dossier.ts';
import { accuse, type Seen } from '../findings/accuse.ts';
import type { Context } from '../pass/context.ts';
import { amountOf, minorOf, totalOf } from './exact.ts';
import { isWhole } from './is-whole.ts';
import { overchargeOf } from './overcharge.ts';
import { countsLegsOf, sharesAccount, type OperationFacts } from './fold.ts';

/**
 * Checks a fact reported after the end, and applies it to the operation's dossier.
 * @throws when it can't be decoded
 */
export function judgeLate(context: Context, dossier: Dossier, seen: Seen): void {
  const event = decodeLateEvent(seen);
  const { data } = event;
  const shopId = data.shop_id;
  const blame = (
    rule:
      | 'late.unknown'
      | 'late.twice'
      | 'late.approved'
      | 'late.returned'
      | 'late.overcharge'
      | 'log.wrong_stream',
    message: string,
  ) => accuse(context, seen, { rule, message, shopId });
  if (data.operation_id !== dossier.id)
    blame('log.wrong_stream', `it belongs to late-${data.operation_id}`);
  const { operation } = dossier;
  dossier.shopId ??= shopId;
  if (!operation || operation.shopId !== shopId)
    blame('late.unknown', `operation ${dossier.id} of shop ${shopId} is not there`);
  if (event.type === 'LateStatusAcknowledged') {
    const noted = dossier.lateStatuses.find(({ eventId }) => eventId === event.data.entry_id);
    if (!noted) blame('late.unknown', `no contradicting end ${event.data.entry_id} was reported`);
    else noted.acknowledged = true;
  } else {
    const { attempt } = event.data;
    if (operation && !operation.attempts.some((each) => each.attempt === attempt))
      blame('late.unknown', `attempt ${attempt} was never begun`);
    if (event.type === 'LateStatusReported') dossier.lateStatuses.push({ eventId: seen.event.id });
    else if (event.type === 'PayoutOvercharged') {
      dossier.lateStatuses.push({ eventId: seen.event.id });
      judgeOvercharge(dossier, event.data, blame);
    } else if (event.type === 'LateLegCorrected') {
      dossier.lateStatuses.push({ eventId: seen.event.id });
      judgeCorrection(dossier, { data: event.data, seen, blame });
    } else if (event.type === 'MoneyReturned')
      judgeReturn(dossier, { data: event.data, seen, blame });
    else judgeMoney(dossier, { event, seen, blame });
  }
  context.statements.late(operation, seen);
  context.rows.late(dossier, { event, seen });
}

/** The payout cost more than agreed, and the event names the terms and the charge. */
function judgeOvercharge(
  { operation }: Dossier,
  {
    currency,
    agreed_amount: agreed,
    charged_amount: charged,
  }: { [Name in 'currency' | 'agreed_amount' | 'charged_amount']: string },
  blame: (rule: 'late.overcharge', message: string) => void,
): void {
  const due = operation && overchargeOf(operation);
  if (!due) return blame('late.overcharge', 'it is of no payout that cost more than agreed');
  if (due.currency === currency && due.agreed === agreed && due.charged === charged) return;
  blame(
    'late.overcharge',
    `${charged} for ${agreed} ${currency}; the payout cost ${due.charged} for ${due.agreed} ${due.currency}`,
  );
}

/** The corrected leg or return exists, and the event names its present amount. */
function judgeCorrection(
  { operation, confirmed, late }: Dossier,
  given: {
    data: Extract<ReturnType<typeof decodeLateEvent>, { type: 'LateLegCorrected' }>['data'];
    seen: Seen;
    blame(rule: 'late.unknown', message: string): void;
  },
): void {
  const { data, seen, blame } = given;
  const { attempt, of_leg_id: ofLeg, counted_amount: counted } = data;
  const ids = providerLegIds(data);
  const isNamed = (legId: string) => ids.includes(legId);
  const isIt = (leg: LateLeg) => leg.attempt === attempt && leg.providerLegIds.some(isNamed);
  const same = late.filter((leg) => isIt(leg) && leg.ofLegId === ofLeg);
  const ours = operation?.accepted?.attempt === attempt ? operation : undefined;
  const before = (ours?.returns ?? []).filter(
    (each) => isNamed(each.legId) && (each.ofLegId === ofLeg || each.ofLegId === data.or_of_leg_id),
  );
  const legs = (ours?.legs ?? []).filter((leg) => isNamed(leg.legId));
  const came = [...legs, ...confirmed.filter(isIt)];
  // Its leg as it came; older events say what was left of it.
  const gone = (ours?.returns ?? []).filter((each) => isNamed(each.ofLegId));
  const whole = isWhole(seen) ? gone.map((each) => each.counted) : [];
  // A return from before the end is corrected as a whole, with the part that is late.
  const back = before.length > 0 ? before : same;
  const counts = ofLeg === undefined ? [...came, ...same] : back;
  const stands = amountOf(
    totalOf([...counts.map(({ amount }) => amount), ...(ofLeg === undefined ? whole : [])]),
  );
  if (counts.length === 0) blame('late.unknown', `leg ${ids[0]} is corrected, and stands nowhere`);
  else if (stands !== counted)
    blame('late.unknown', `leg ${ids[0]} is corrected from ${counted}, and stands with ${stands}`);
}

/**
 * The return is the part that no leg of the operation covered. Anything beyond what its leg brought
 * must be named.
 */
function judgeReturn(
  dossier: Dossier,
  given: {
    data: Extract<ReturnType<typeof decodeLateEvent>, { type: 'MoneyReturned' }>['data'];
    seen: Seen;
    blame(rule: 'late.twice' | 'late.returned', message: string): void;
  },
): void {
  const { data, seen, blame } = given;
  const { operation, confirmed, late } = dossier;
  const { attempt, provider, currency, kind, of_leg_id: ofLegId, beyond = '0.00' } = data;
  const { leg_id: legId, amount } = data.leg;
  const leg = { legId, attempt, providerLegIds: providerLegIds(data) };
  const isOf = (id: string) => ofLegIds(data).includes(id);
  const isBack = (each: { ofLegId?: string }) => each.ofLegId !== undefined;
  if (standsIn(late.filter(isBack), { leg, operation }))
    blame('late.twice', `${legId} went back already`);
  const atAccount = (each: LateLeg) => sharesAccount(operation, each.attempt, attempt);
  const there = late.filter(atAccount);
  const back = there.filter(isBack);
  if (operation && kind !== (operation.type === 'payout' ? 'returned' : 'charged_back'))
    blame('late.returned', `a ${operation.type} is ${kind}`);
  const ours = countsLegsOf(operation, attempt) ? operation : undefined;
  const before = ours?.returns.find((each) => leg.providerLegIds.includes(each.legId));
  const rest = before && minorOf(before.amount) - minorOf(before.counted);
  if (before && (!isOf(before.ofLegId) || rest !== minorOf(amount)))
    blame(
      'late.returned',
      `${amount} is late of ${before.amount}, of which ${before.counted} was counted`,
    );
  const counts = (ours?.legs ?? []).filter((each) => !each.synthetic && isOf(each.legId));
  const lateIn = [...confirmed.filter(atAccount), ...there.filter((each) => !isBack(each))];
  const came = [...counts, ...lateIn.filter((each) => each.providerLegIds.some(isOf))];
  const brought = totalOf(came.map((each) => each.amount));
  const gone = totalOf(back.filter((each) => each.ofLegId === ofLegId).map((each) => each.amount));
  const excess = gone + minorOf(amount) - brought;
  const due = excess > minorOf(amount) ? minorOf(amount) : excess;
  if (minorOf(beyond) > minorOf(amount) || minorOf(beyond) < (due > 0n ? due : 0n))
    blame(
      'late.returned',
      `leg ${ofLegId} brought ${amountOf(due)} less than went back, not ${beyond}`,
    );
  const { revision, position } = seen.event;
  const place = { revision, position, atMs: seen.atMs };
  const { or_of_leg_id: orOfLegId } = data;
  const of = { ofLegId, ...(orOfLegId !== undefined && { orOfLegId }) };
  dossier.late.push({ ...leg, ...of, provider, amount, currency, ...place });
}

/** Whether a leg is there already: one of its account by the provider's id, or one by its name. */
const standsIn = (
  known: readonly LateLeg[],
  { leg, operation }: { leg: LateLeg; operation: OperationFacts | undefined },
): boolean =>
  known.some(
    (each) =>
      each.legId === leg.legId ||
      (each.providerLegIds.some((id) => leg.providerLegIds.includes(id)) &&
        sharesAccount(operation, each.attempt, leg.attempt)),
  );

type Money = Extract<
  ReturnType<typeof decodeLateEvent>,
  { type: 'LateMoneyReceived' | 'ApprovedMoneyConfirmed' }
>;

/**
 * A leg that brings more than was due confirms the due part. The rest is late money, so the leg
 * counts in both.
 */
function judgeMoney(
  dossier: Dossier,
  given: {
    event: Money;
    seen: Seen;
    blame(rule: 'late.twice' | 'late.approved', message: string): void;
  },
): void {
  const { event, seen, blame } = given;
  const { operation } = dossier;
  const { attempt, currency, provider } = event.data;
  const { leg_id: legId, amount } = event.data.leg;
  const leg = { legId, attempt, providerLegIds: providerLegIds(event.data) };
  const own = countsLegsOf(operation, attempt) ? (operation?.legs ?? []) : [];
  if (own.some((each) => leg.providerLegIds.includes(each.legId)))
    blame('late.twice', `leg ${legId} is counted for the operation already`);
  const came = dossier.late.filter(({ ofLegId }) => ofLegId === undefined);
  const ours = operation?.accepted?.attempt === attempt;
  const due = ours
    ? approvedOf(operation) - totalOf(dossier.confirmed.map((each) => each.amount))
    : 0n;
  if (event.type === 'ApprovedMoneyConfirmed') {
    if (standsIn([...dossier.confirmed, ...came], { leg, operation }))
      blame('late.twice', `leg ${legId} stands already`);
    if (minorOf(amount) > due)
      blame(
        'late.approved',
        `${amount} is confirmed, where ${amountOf(due)} was approved and had not come`,
      );
    dossier.confirmed.push({ ...leg, amount });
    return;
  }
  if (standsIn(came, { leg, operation }))
    blame('late.twice', `leg ${legId} stands as late money already`);
  if (due > 0n && !operation?.older)
    blame(
      'late.approved',
      `${amount} is late, where ${amountOf(due)} was approved and had not come`,
    );
  const { revision, position } = seen.event;
  dossier.late.push({ ...leg, provider, amount, currency, revision, position, atMs: seen.atMs });
}

const approvedOf = (operation: OperationFacts | undefined): bigint =>
  totalOf((operation?.legs ?? []).filter(({ synthetic }) => synthetic).map(({ amount }) => amount));
