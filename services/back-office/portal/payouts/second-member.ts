import { common } from '#shared/application/pages/translations.ts';
import { authorOf } from '#shared/application/payout-batches/batches.ts';
import {
  whyNoSecondMember,
  type Author,
  type CheckedBatch,
} from '#shared/domain/payout-batch/decide.ts';
import { memberPrefix } from '#shared/domain/member/events.ts';
import type { Members } from '#shared/domain/member/members.ts';
import { needsSecondMember, type Shop } from '#shared/domain/shop/state.ts';
import { html, notice, type Html } from '#shared/platform/pages/index.ts';
import { originOf, viewOf, type PortalContext, type View } from '../env.ts';
import { payoutTexts as texts, reasons } from './texts.ts';

/** What names are found by. */
export type Named = { members: Members; shop: Pick<Shop, 'apiKeys'> };

/** A member by name, an API key by its label. */
export function authorName(
  { t }: Pick<View, 't'>,
  { actor, keyId }: Author,
  { members, shop }: Named,
): string {
  if (actor.startsWith(memberPrefix))
    return members.members.get(actor.slice(memberPrefix.length))?.name ?? '—';
  const label = shop.apiKeys.find((key) => key.keyId === keyId)?.label;
  return label === undefined ? t(common.apiKey) : `${t(common.apiKey)}: ${label}`;
}

/** Whether the reader may confirm a checked file, and the text about it. */
export function confirmationOf(
  c: PortalContext,
  { batch, shop }: { batch: CheckedBatch; shop: Shop },
): { may: boolean; about: Html | string } {
  const { t, mayAct } = viewOf(c);
  const why = mayAct ? whyNoSecondMember(batch, { by: authorOf(originOf(c)), shop }) : 'viewer';
  const waits = needsSecondMember(shop) ? html`<p>${t(texts.waits)}</p>` : '';
  const reason = why === undefined ? '' : html`<p>${t(reasons[why])}</p>`;
  const may = why === undefined;
  return { may, about: waits || reason ? notice('info', html`${waits}${reason}`) : '' };
}
