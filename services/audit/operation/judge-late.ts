import { decodeLateEvent } from '#shared/domain/late/events.ts';
import type { Dossier } from '../dossier/dossier.ts';
import { accuse, type Seen } from '../findings/accuse.ts';
import type { Context } from '../pass/context.ts';

/** Judges what was reported after an end, and takes it into the operation's dossier. @throws when it can't be decoded */
export function judgeLate(context: Context, dossier: Dossier, seen: Seen): void {
  const event = decodeLateEvent(seen);
  const { data } = event;
  const shopId = data.shop_id;
  const blame = (rule: 'late.unknown' | 'late.twice' | 'log.wrong_stream', message: string) =>
    accuse(context, seen, { rule, message, shopId });
  if (data.operation_id !== dossier.id) blame('log.wrong_stream', `it belongs to late-${data.operation_id}`);
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
    else {
      const { leg_id: legId, amount } = event.data.leg;
      const { currency } = event.data;
      const counted = operation?.legs.some((leg) => leg.legId === legId) ?? false;
      if (counted) blame('late.twice', `leg ${legId} is counted for the operation already`);
      if (dossier.late.some((late) => late.legId === legId))
        blame('late.twice', `leg ${legId} stands as late money already`);
      const { revision, position } = seen.event;
      dossier.late.push({ legId, amount, currency, revision, position, atMs: seen.atMs });
    }
  }
  context.rows.late(dossier, { event, seen });
}
