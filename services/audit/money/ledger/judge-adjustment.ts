import { decodeAdjustmentEvent } from '#shared/domain/adjustment/events.ts';
import { hashBody } from '#shared/platform/ids.ts';
import type { AuditedEntity } from '../../log/entities/entity.ts';
import {
  createFlag,
  judgeStream,
  type EventEnvelope,
} from '../../report/findings/report-violation.ts';
import type { Context } from '../../log/pass/context.ts';

/**
 * Checks an operator's adjustment: requested once, then noted with its entry.
 * @throws when it can't be decoded
 */
export function judgeAdjustment(
  context: Context,
  entity: AuditedEntity,
  envelope: EventEnvelope,
): void {
  const event = decodeAdjustmentEvent(envelope);
  const adjustment = entity.adjustment;
  if (event.type === 'AdjustmentRequested') {
    const { shop_id: shopId, adjustment_id: adjustmentId, currency, amount } = event.data;
    judgeStream(context, envelope, `adjustment-${hashBody([shopId, adjustmentId])}`, shopId);
    if (adjustment)
      createFlag(context, envelope, shopId)('setup.order', 'the adjustment is requested twice');
    entity.adjustment ??= {
      shopId,
      adjustmentId,
      currency,
      amount,
      position: envelope.event.position,
      atMs: envelope.atMs,
    };
    return;
  }
  const { revision } = event.data;
  const standsAt = adjustment?.entryRevision;
  if (adjustment) adjustment.noted = true;
  if (standsAt === revision) return;
  const message = `it records revision ${revision}, the entry is at ${standsAt ?? 'none'}`;
  createFlag(context, envelope, adjustment?.shopId)('adjustment.amounts', message);
}
