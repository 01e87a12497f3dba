import type { EventEnvelope } from '../../report/findings/report-violation.ts';
import { isEarly } from '../operation/expiry.ts';
import { isEnding, type OperationFacts } from '../operation/fold.ts';
import type { Context } from '../pass/context.ts';

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
};

/**
 * Notes events without a callback: providers sign callbacks, not responses. A callback that ends an
 * operation has all of its money, so earlier events need no note.
 */
export function noteUnsigned({ entities, answers }: Context, envelope: EventEnvelope): void {
  const { type, event } = envelope;
  const id = event.stream.slice(event.stream.indexOf('-') + 1);
  if (lateFacts.has(type))
    return answers.note('late facts', { operationId: id, shopId: entities.of(id).shopId });
  const claim = envelope.data as EventClaim;
  const hasRate = claim.fx_rate !== undefined;
  const isMoney = type === 'LegReceived' || type === 'LegCorrected' || type === 'LegReturned';
  if (!isEnding(type) && !isMoney && !hasRate) return;
  const { operation } = entities.of(id);
  if (!operation) return;
  const brings = claim.legs?.some(({ synthetic }) => !synthetic) === true;
  if (isMoney || hasRate || brings) operation.unsigned = true;
  if (operation.end?.position !== event.position) return;
  const kind = restsOn(operation, { type, claim, atMs: envelope.atMs });
  if (kind) answers.note(kind, { operationId: id, shopId: operation.shopId });
}

function restsOn(
  operation: OperationFacts,
  { type, claim, atMs }: { type: string; claim: EventClaim; atMs: number },
): 'ends with money' | 'ends without money' | undefined {
  const isDecided = operation.reviewed !== undefined || operation.closed === true;
  if (operation.end?.recorded !== undefined)
    return !isDecided || operation.unsigned ? 'ends with money' : undefined;
  const isDeclined =
    type === 'OperationDeclined' && (claim.reason === 'provider' || claim.reason === 'review');
  const isOver = type === 'OperationExpired' && isEarly(operation, atMs);
  return !isDecided && (isDeclined || isOver) ? 'ends without money' : undefined;
}
