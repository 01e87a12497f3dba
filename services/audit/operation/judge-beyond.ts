import { decodeLateEvent } from '#shared/domain/late/events.ts';
import { graceMs } from '../authority/commands.ts';
import type { Dossier } from '../dossier/dossier.ts';
import { accuse, type Seen } from '../findings/accuse.ts';
import type { Context } from '../pass/context.ts';
import { amountOf, minorOf, totalOf } from './exact.ts';
import { countsLegsOf, sharesAccount } from './fold.ts';

/** Since this version the provider's ids have fields, so that no id may mean two legs. */
const namesIds = 2;

/**
 * By how much a return exceeds its leg is not overstated; `judge-late.ts` finds what is understated.
 * Judged before the dossier has the event.
 */
export function judgeBeyond(context: Context, dossier: Dossier, seen: Seen): void {
  if (seen.type !== 'MoneyReturned' || seen.metadata.schema_version < namesIds) return;
  const event = decodeLateEvent(seen);
  if (event.type !== 'MoneyReturned' || event.data.beyond === undefined) return;
  const { attempt, of_leg_id: ofLegId, beyond, leg } = event.data;
  const { operation, late, confirmed } = dossier;
  // What has no id of the provider's is no transfer of its own.
  const known = [...late, ...confirmed].filter(
    (each) => each.providerLegIds.length > 0 && sharesAccount(operation, each.attempt, attempt),
  );
  const isUnclear = known.some((each) => 'orOfLegId' in each || each.providerLegIds.length > 1);
  if (isUnclear) return;
  const isBack = (each: object) => 'ofLegId' in each;
  const amountsOf = (legs: readonly { amount: string }[]) =>
    totalOf(legs.map(({ amount }) => amount));
  // Legs of an operation that is open, or was a moment ago, may have changed since the decision.
  const isOver = operation?.end !== undefined && operation.end.atMs + graceMs < seen.atMs;
  const counts = isOver && countsLegsOf(operation, attempt) ? operation.legs : [];
  const brought =
    amountsOf(counts.filter((each) => each.legId === ofLegId && !each.synthetic)) +
    amountsOf(known.filter((each) => !isBack(each) && each.providerLegIds.includes(ofLegId)));
  const gone = amountsOf(late.filter((each) => known.includes(each) && each.ofLegId === ofLegId));
  const most = gone + minorOf(leg.amount) - brought;
  if (minorOf(beyond) <= most) return;
  const message = `leg ${ofLegId} brought at most ${amountOf(most > 0n ? most : 0n)} less than went back, not ${beyond}`;
  accuse(context, seen, { rule: 'late.returned', message, shopId: dossier.shopId });
}
