import { decodeAdjustmentEvent } from '#shared/domain/adjustment/events.ts';
import { isCurrency } from '#shared/domain/currencies.ts';
import { hashBody } from '#shared/platform/ids.ts';
import type { AuditedEntity } from '../../log/entities/entity.ts';
import {
  createFlag,
  judgeStream,
  type EventEnvelope,
} from '../../report/findings/report-violation.ts';
import type { AuditContext } from '../../log/pass/context.ts';

/**
 * Checks an operator's adjustment: requested once, then noted with its entry.
 * @throws when it can't be decoded
 */
export function judgeAdjustment(
  context: AuditContext,
  entity: AuditedEntity,
  envelope: EventEnvelope,
): void {
  const event = decodeAdjustmentEvent(envelope);
  const adjustment = entity.adjustment;
  if (event.type === 'AdjustmentRequested') {
    const { shop_id: shopId, adjustment_id: adjustmentId, currency, amount, reason } = event.data;
    const flag = createFlag(context, envelope, shopId);
    judgeStream(context, envelope, `adjustment-${hashBody([shopId, adjustmentId])}`, shopId);
    if (adjustment) flag('setup.order', 'the adjustment is requested twice');
    if (!context.shops.find(shopId)) flag('adjustment.amounts', `shop ${shopId} does not exist`);
    if (!isCurrency(currency)) flag('adjustment.amounts', `there is no currency ${currency}`);
    entity.adjustment ??= {
      shopId,
      adjustmentId,
      currency,
      amount,
      reason,
      requestedBy: describeCaller(envelope),
      isStrict: envelope.metadata.schema_version >= 2,
      position: envelope.event.position,
      atMs: envelope.atMs,
    };
    return;
  }
  const { revision } = event.data;
  const standsAt = adjustment?.entryRevision;
  if (adjustment) adjustment.noted = true;
  const flag = createFlag(context, envelope, adjustment?.shopId);
  if (adjustment) flag('adjustment.amounts', whyNotRequester(adjustment, envelope));
  if (standsAt === revision) return;
  const message = `it records revision ${revision}, the entry is at ${standsAt ?? 'none'}`;
  flag('adjustment.amounts', message);
}

/** Who acts, with the token if the event names one. */
const describeCaller = ({ actor, tokenId }: EventEnvelope): string =>
  tokenId === undefined ? actor : `${actor} (token ${tokenId})`;

/** What follows from an adjustment is in the name of the operator who requested it. */
export function whyNotRequester(
  { requestedBy, isStrict }: { requestedBy: string; isStrict: boolean },
  envelope: EventEnvelope,
): string | undefined {
  const caller = describeCaller(envelope);
  if (caller === requestedBy || !isStrict) return undefined;
  return `it is by ${caller}, and ${requestedBy} requested the adjustment`;
}
