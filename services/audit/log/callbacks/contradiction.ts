import { decodeLateEvent, lateEventSchemas, providerLegIds } from '#shared/domain/late/events.ts';
import type { AuditedEntity } from '../entities/entity.ts';
import type { EventEnvelope } from '../../report/findings/report-violation.ts';
import {
  formatExactMinor,
  exactFigures,
  parseExactMinor,
  sixPlaces,
  sumAmounts,
} from '../operation/exact-arithmetic.ts';
import {
  hasLegsOfAttempt,
  hasGrossLegs,
  auditedRoute,
  type OperationFacts,
} from '../operation/fold.ts';

/** What a provider signed about an attempt, in the words of the sandbox provider. */
export type SignedClaim = {
  operation_id?: unknown;
  attempt?: unknown;
  version?: unknown;
  acceptance?: unknown;
  reference?: unknown;
  expires_at?: unknown;
  fx_rate?: unknown;
  status?: unknown;
  legs?: unknown;
  returns?: unknown;
};

type Leg = { leg_id: string; amount: string; completed_at?: string };
type Back = Leg & { of_leg_id: string };
/** The part of an event that comes from the provider. */
type EventClaim = {
  attempt?: number;
  provider_reference?: string;
  expires_at?: string;
  fx_rate?: string;
  leg?: Leg;
  legs?: readonly Leg[];
  leg_id?: string;
  provider_leg_id?: string;
  or_leg_id?: true;
  reported_amount?: string;
  returned?: Back;
  of_leg_id?: string;
  or_of_leg_id?: string;
  reported_status?: string;
  report_version?: number;
  of?: 'transfer' | 'return' | 'approval';
};

const zeroAmount = '0.00';

/** An event and what its provider signed. */
type SignedEvent = {
  type: string;
  claim: EventClaim;
  operation: OperationFacts | undefined;
  signedReport: SignedClaim;
  legs: readonly Leg[];
  returns: readonly Back[];
};

/**
 * How an event contradicts what its provider signed, judged after the entity has the event;
 * undefined if all of it was signed.
 */
export function findContradiction(
  envelope: Pick<EventEnvelope, 'type' | 'data' | 'metadata'>,
  { entity, signedReport }: { entity: AuditedEntity; signedReport: SignedClaim },
): string | undefined {
  if (signedReport.operation_id !== entity.id)
    return `the provider signed a report of operation ${String(signedReport.operation_id)}`;
  const { type, metadata } = envelope;
  // An older late event by the newest names.
  const claim = (
    Object.hasOwn(lateEventSchemas, type) ? decodeLateEvent(envelope).data : envelope.data
  ) as EventClaim;
  const attempt = claim.attempt ?? (entity.operation && auditedRoute(entity.operation)?.attempt);
  if (attempt !== signedReport.attempt)
    return `it is of attempt ${attempt}, the provider signed attempt ${String(signedReport.attempt)}`;
  const legs = arrayIn(signedReport.legs) as Leg[];
  const returns = arrayIn(signedReport.returns) as Back[];
  const { operation } = entity;
  for (const { ids, amount } of findLegs(type, claim, entity)) {
    const [id] = ids;
    const signed = findSigned(ids, legs)?.amount ?? zeroAmount;
    // A leg that is new or late has the full amount; every other one is net of returns.
    const isAsReceived =
      isComing(type) ||
      type === 'DifferenceReported' ||
      (type === 'LateLegCorrected' && hasGrossLegs({ metadata }));
    const counts = isAsReceived ? signed : lessReturned(operation, id, signed);
    if (counts !== amount) return `leg ${id} has ${amount}, the provider signed ${signed}`;
  }
  const compared = { type, claim, operation, signedReport, legs, returns };
  return (
    versionAgainst(compared, metadata.schema_version) ??
    returnAgainst(compared) ??
    movedAgainst(compared) ??
    termsAgainst(compared) ??
    outcomeAgainst(compared)
  );
}

/** From which version of each type on it has the number of its report, if there is one. */
const numberedSince: Readonly<Record<string, number>> = {
  LegReceived: 2,
  LegReturned: 1,
  OperationCompleted: 2,
  OperationPartiallyCompleted: 2,
  OperationExpired: 2,
  LateMoneyReceived: 2,
  ApprovedMoneyConfirmed: 1,
  MoneyReturned: 1,
  DifferenceReported: 1,
};

/** Reports below the highest number are not taken, so a number that is too high loses money. */
function versionAgainst(
  { type, claim: { report_version: stated }, signedReport: { version: signed } }: SignedEvent,
  schemaVersion: number,
): string | undefined {
  const named = typeof signed === 'number' ? signed : undefined;
  const mayBeLeftOut = schemaVersion < (numberedSince[type] ?? Infinity);
  return stated === named || (stated === undefined && mayBeLeftOut)
    ? undefined
    : `it is of report ${stated ?? 'without a number'}, the provider signed ${named ?? 'no number'}`;
}

/** The terms of an acceptance, and its rate wherever a report names one later. */
function termsAgainst(compared: SignedEvent): string | undefined {
  const { type, claim, operation, signedReport } = compared;
  if (type === 'AttemptAccepted')
    return acceptanceAgainst(compared) ?? rateAgainst(compared, claim.fx_rate);
  const accepted = operation?.accepted;
  if (accepted?.attempt !== signedReport.attempt || signedReport.fx_rate === undefined)
    return undefined;
  return rateAgainst(compared, accepted?.fxRate);
}

/** How an acceptance contradicts what its provider signed. Its requisites are sealed. */
function acceptanceAgainst({ claim, signedReport: signed }: SignedEvent): string | undefined {
  const { provider_reference: reference, expires_at: expiresAt } = claim;
  if (signed.reference !== reference)
    return `it is accepted as ${reference}, the provider signed ${toComparableText(signed.reference)}`;
  return isSameTime(signed.expires_at, expiresAt)
    ? undefined
    : `its window ends at ${toComparableText(expiresAt)}, the provider signed ${toComparableText(signed.expires_at)}`;
}

/** If the rate can't be used, a payout has the rate of its quote (R11.7). */
function rateAgainst(
  { operation, signedReport: { fx_rate: signed } }: SignedEvent,
  rate: string | undefined,
): string | undefined {
  const attempt = operation?.attempts.find((each) => each.attempt === operation.accepted?.attempt);
  const currency = attempt?.settlementCurrency;
  if (!operation || currency === undefined) return undefined;
  const named = typeof signed === 'string' ? sixPlaces(signed) : undefined;
  const leaves = named !== undefined && converts(operation, { fxRate: named, currency });
  const due = leaves ? named : operation.reservations.at(-1)?.fxRate;
  return rate === due
    ? undefined
    : `it converts at ${toComparableText(rate)}, the provider signed ${toComparableText(signed)}`;
}

function converts({ type, amount }: OperationFacts, terms: { fxRate: string; currency: string }) {
  const commission = { percent: '0', fixed: '0.00' };
  return exactFigures(parseExactMinor(amount), { type, commission, ...terms }).recorded > 0n;
}

const toComparableText = (value: unknown): string => (typeof value === 'string' ? value : 'none');

/** In whatever spelling; what a provider leaves out is no time. */
function isSameTime(signed: unknown, time: string | undefined): boolean {
  if (typeof signed !== 'string' || time === undefined) return signed === time;
  return Date.parse(signed) === Date.parse(time);
}

const moving: ReadonlySet<string> = new Set([
  'LegReceived',
  'LegCorrected',
  'LegReturned',
  'OperationCompleted',
  'OperationPartiallyCompleted',
  'LateMoneyReceived',
  'ApprovedMoneyConfirmed',
  'MoneyReturned',
]);

/** When money moved, which is as the provider signed it, and what confirms an approval. */
function movedAgainst({ type, claim, legs, returns }: SignedEvent): string | undefined {
  if (!moving.has(type)) return undefined;
  const isBack = type === 'LegReturned' || type === 'MoneyReturned';
  const of = isBack ? returns : legs;
  const { returned: own = claim.leg } = claim;
  const moved = [...(claim.legs ?? []), ...(own ? [own] : [])];
  for (const { leg_id: id, amount, completed_at: time } of moved) {
    const signed = findSigned(claim.leg && !claim.returned ? readLegIds(claim) : [id], of);
    if (signed && !isSameTime(signed.completed_at, time))
      return `leg ${id} moved at ${time}, the provider signed ${signed.completed_at}`;
    const confirmed = type === 'ApprovedMoneyConfirmed' && parseExactMinor(amount);
    if (confirmed !== false && confirmed > parseExactMinor(signed?.amount ?? zeroAmount))
      return `${amount} of leg ${id} is confirmed, the provider signed ${signed?.amount ?? zeroAmount}`;
  }
  return undefined;
}

const findSigned = <Signed extends Leg>(ids: Ids, of: readonly Signed[]): Signed | undefined =>
  ids.map((id) => of.find((each) => each.leg_id === id)).find((each) => each !== undefined);

const arrayIn = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

const isComing = (type: string) => type === 'LegReceived' || type === 'LateMoneyReceived';

function lessReturned(operation: OperationFacts | undefined, id: string, signed: string): string {
  const back = (operation?.returns ?? []).filter(({ ofLegId }) => ofLegId === id);
  const left = parseExactMinor(signed) - sumAmounts(back.map(({ counted }) => counted));
  return formatExactMinor(left > 0n ? left : 0n);
}

/** A return must equal what the provider signed, as a whole. */
function returnAgainst(compared: SignedEvent): string | undefined {
  const { type, claim, operation, signedReport, returns } = compared;
  const isCorrection = type === 'LateLegCorrected' || type === 'DifferenceReported';
  if (isCorrection && claim.of_leg_id !== undefined) {
    const signed = findSigned(readLegIds(claim), returns)?.amount ?? zeroAmount;
    if (signed === claim.reported_amount) return undefined;
    return `${claim.reported_amount} of leg ${claim.of_leg_id} is recorded as returned, the provider signed ${signed}`;
  }
  if (type !== 'LegReturned' && type !== 'MoneyReturned') return undefined;
  const ids: Ids = claim.returned ? [claim.returned.leg_id] : readLegIds(claim);
  const { of_leg_id: of } = claim.returned ?? claim;
  const counts = hasLegsOfAttempt(operation, Number(signedReport.attempt));
  const before = counts && operation?.returns.find(({ legId }) => ids.includes(legId));
  const signed = findSigned(ids, returns);
  // The money that was returned before the end: `late.returned` compares the rest with the report.
  const amount = claim.returned?.amount ?? (before ? signed?.amount : claim.leg?.amount);
  const isOf = signed && [of, claim.or_of_leg_id].includes(signed.of_leg_id);
  if (isOf && signed.amount === amount) return undefined;
  return `${amount} of leg ${of} was returned, the provider signed ${signed?.amount ?? 'nothing'}`;
}

type Ids = readonly [string, ...string[]];

const readLegIds = ({ leg_id = '', leg = { leg_id, amount: '' }, ...claim }: EventClaim): Ids =>
  providerLegIds({ ...claim, leg });

/** The legs that the provider must have signed, as recorded after the event. */
function findLegs(
  type: string,
  claim: EventClaim,
  { operation, confirmed, late }: AuditedEntity,
): readonly { ids: Ids; amount: string }[] {
  const { leg, reported_amount: reported = '' } = claim;
  switch (type) {
    case 'LegReceived':
    case 'LegCorrected':
    case 'LegReturned':
      return leg ? [{ ids: [leg.leg_id], amount: leg.amount }] : [];
    case 'LateLegCorrected':
      return claim.of_leg_id === undefined ? [{ ids: readLegIds(claim), amount: reported }] : [];
    case 'DifferenceReported':
      return claim.of === 'transfer' ? [{ ids: readLegIds(claim), amount: reported }] : [];
    case 'LateMoneyReceived': {
      // Money that confirmed an approval, then late money.
      const transfers = [...confirmed, ...late.filter(({ ofLegId }) => ofLegId === undefined)];
      const legTransfers = transfers.filter(({ legId }) => legId === leg?.leg_id);
      const amount = formatExactMinor(sumAmounts(legTransfers.map((each) => each.amount)));
      return leg ? [{ ids: readLegIds(claim), amount }] : [];
    }
    case 'OperationCompleted':
    case 'OperationPartiallyCompleted':
      return (operation?.legs ?? [])
        .filter(({ synthetic }) => !synthetic)
        .map(({ legId, amount }) => ({ ids: [legId] as const, amount }));
    default:
      return [];
  }
}

const refusing = ['refused', 'void'];
/**
 * The statuses of a report that an event may follow from. The full amount completes an operation,
 * whatever the report's status.
 */
const statuses: Readonly<Record<string, readonly string[]>> = {
  OperationPartiallyCompleted: [
    'completed',
    'partially_completed',
    'declined',
    'expired',
    'withdrawn',
  ],
  OperationDeclined: ['declined', 'expired', 'withdrawn'],
  OperationExpired: ['expired', 'withdrawn'],
};

function outcomeAgainst(compared: SignedEvent): string | undefined {
  const { type, claim, operation, signedReport } = compared;
  const [acceptance, status] = [String(signedReport.acceptance), String(signedReport.status)];
  const is = `the provider signed ${acceptance} and ${status}`;
  const refused = refusing.includes(acceptance);
  if (type === 'AttemptAccepted') return acceptance === 'accepted' ? undefined : is;
  if (type === 'AttemptRefused') return refused ? undefined : is;
  if (claim.reported_status !== undefined) return claim.reported_status === status ? undefined : is;
  if (type === 'DifferenceReported' && claim.of === 'approval')
    return status === 'open' ? is : undefined;
  const may = statuses[type];
  if (!may || may.includes(status)) return undefined;
  if (type === 'OperationDeclined' && isAllBack(compared)) return undefined;
  // A payment that no route takes any more is declined; a payout has no other end without money.
  return type === 'OperationDeclined' && refused && operation ? undefined : is;
}

/** Money that was returned in full completes nothing, whatever the report's status. */
function isAllBack({ operation, signedReport: { status }, legs, returns }: SignedEvent): boolean {
  const completes = status === 'completed' || status === 'partially_completed';
  const left = sumAmounts((operation?.legs ?? []).map(({ amount }) => amount));
  return completes && legs.length > 0 && returns.length > 0 && left === 0n;
}
