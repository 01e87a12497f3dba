import type { EventEnvelope } from '../../report/findings/report-violation.ts';
import { isEarly } from '../operation/expiry.ts';
import {
  isEnding,
  findLedgerCurrency,
  auditedRoute,
  type OperationFacts,
} from '../operation/fold.ts';
import type { AnswerEvidence } from '../pass/answers.ts';
import type { AuditContext } from '../pass/context.ts';
import type { SignedClaim } from './contradiction.ts';

const lateFacts: ReadonlySet<string> = new Set([
  'LateMoneyReceived',
  'ApprovedMoneyConfirmed',
  'MoneyReturned',
  'DifferenceReported',
  'LateLegCorrected',
  'LateStatusReported',
]);

type EventClaim = {
  fx_rate?: string;
  reason?: string;
  legs?: readonly { synthetic?: true }[];
  leg?: { amount: string };
  currency?: string;
};

/**
 * Notes events that no verified callback supports: providers sign callbacks, not responses. A
 * callback that ends an operation has all of its money, so earlier events need no note.
 */
export function noteUnsigned(
  { entities, answers }: AuditContext,
  envelope: EventEnvelope,
  evidence: AnswerEvidence,
): void {
  const { type, event } = envelope;
  const id = event.stream.slice(event.stream.indexOf('-') + 1);
  const claim = envelope.data as EventClaim;
  if (lateFacts.has(type)) {
    const { leg, currency } = claim;
    const money = leg && currency !== undefined ? { amount: leg.amount, currency } : undefined;
    const of = { operationId: id, shopId: entities.of(id).shopId, money };
    return answers.note({ evidence, kind: 'late facts' }, of);
  }
  const hasRate = claim.fx_rate !== undefined;
  const isMoney = type === 'LegReceived' || type === 'LegCorrected' || type === 'LegReturned';
  if (!isEnding(type) && !isMoney && !hasRate) return;
  const { operation } = entities.of(id);
  if (!operation) return;
  const brings = claim.legs?.some(({ synthetic }) => !synthetic) === true;
  if (isMoney || hasRate || brings) operation.unsigned ??= evidence;
  if (hasRate) operation.unsignedRate = evidence;
  if (operation.end?.position !== event.position) return;
  const kind = restsOn(operation, { type, claim, atMs: envelope.atMs });
  if (!kind) return;
  const { shopId, currency, end } = operation;
  const money = kind === 'ends with money' ? { amount: end.actual, currency } : undefined;
  const moneyEvidence = isDecided(operation) ? operation.unsigned : evidence;
  answers.note({ evidence: moneyEvidence ?? evidence, kind }, { operationId: id, shopId, money });
}

/**
 * Notes a conversion at a rate that no callback names, although the callback that ends the
 * operation is verified: whoever chooses the rate chooses the money.
 */
export function noteRate(
  { entities, answers }: AuditContext,
  { data, event }: EventEnvelope,
  signed: SignedClaim,
): void {
  const { operation } = entities.of(event.stream.slice(event.stream.indexOf('-') + 1));
  if (operation?.unsignedRate === undefined) return;
  const isAccepted = operation.accepted?.attempt === signed.attempt;
  if ((data as EventClaim).fx_rate !== undefined || (isAccepted && signed.fx_rate !== undefined))
    delete operation.unsignedRate;
  const { end, unsignedRate: evidence, operationId, shopId } = operation;
  if (!evidence || end?.position !== event.position || end.recorded === undefined) return;
  if (auditedRoute(operation)?.settlementCurrency === undefined) return;
  const money = { amount: end.recorded, currency: findLedgerCurrency(operation) };
  answers.note({ evidence, kind: 'rates of conversions' }, { operationId, shopId, money });
}

const isDecided = ({ reviewed, closed }: OperationFacts): boolean =>
  reviewed !== undefined || closed === true;

function restsOn(
  operation: OperationFacts,
  { type, claim, atMs }: { type: string; claim: EventClaim; atMs: number },
): 'ends with money' | 'ends without money' | 'expiries before the window ended' | undefined {
  const decided = isDecided(operation);
  if (operation.end?.recorded !== undefined)
    return !decided || operation.unsigned ? 'ends with money' : undefined;
  const isDeclined =
    type === 'OperationDeclined' && (claim.reason === 'provider' || claim.reason === 'review');
  const isOver = type === 'OperationExpired' && isEarly(operation, atMs);
  if (isOver && operation.accepted?.expiresAt !== undefined)
    return 'expiries before the window ended';
  return !decided && (isDeclined || isOver) ? 'ends without money' : undefined;
}
