import { common } from '#shared/application/pages/translations.ts';
import { toAuthor } from '#shared/application/payout-batches/batches.ts';
import {
  whyNoSecondMember,
  type Author,
  type CheckedBatch,
} from '#shared/domain/payout-batch/decide.ts';
import { memberActor, memberPrefix } from '#shared/domain/member/events.ts';
import type { Member, Members } from '#shared/domain/member/members.ts';
import { needsSecondMember, type Shop } from '#shared/domain/shop/state.ts';
import { html, notice, type Html } from '#shared/platform/pages/index.ts';
import { memberOrigin, portalView, type PortalContext, type PortalView } from '../env.ts';
import { payoutTexts as texts, reasons } from './texts.ts';

/** What names are found by. */
type AuthorNames = { members: Members; shop: Pick<Shop, 'apiKeys'> };

/** A member by name, an API key by its label. */
export function authorName(
  { t }: Pick<PortalView, 't'>,
  { actor, keyId }: Author,
  { members, shop }: AuthorNames,
): string {
  if (actor.startsWith(memberPrefix))
    return members.members.get(actor.slice(memberPrefix.length))?.name ?? '—';
  const label = shop.apiKeys.find((key) => key.keyId === keyId)?.label;
  return label === undefined ? t(common.apiKey) : `${t(common.apiKey)}: ${label}`;
}

/** Whether the reader may confirm a checked file, and the text about it: who else may. */
export function checkConfirmation(
  c: PortalContext,
  { batch, shop }: { batch: CheckedBatch; shop: Shop },
): { may: boolean; about: Html | string } {
  const { t, mayAct } = portalView(c);
  const why = mayAct ? whyNoSecondMember(batch, { by: toAuthor(memberOrigin(c)), shop }) : 'viewer';
  const waits = needsSecondMember(shop) ? html`<p>${t(texts.waits)}</p>` : '';
  const may = why === undefined;
  const reason = why && html`<p>${t(reasons[why])} ${otherAdmins(c, { batch, shop })}</p>`;
  return { may, about: waits || reason ? notice('info', html`${waits}${reason ?? ''}`) : '' };
}

/** The admins besides the reader who may confirm the file. */
function otherAdmins(
  c: PortalContext,
  { batch, shop }: { batch: CheckedBatch; shop: Shop },
): string {
  const { t } = portalView(c);
  const { members, member: reader } = c.get('session');
  const others = [...members.members.values()].filter(
    ({ memberId, role, removedAt }) =>
      role === 'admin' && removedAt === undefined && memberId !== reader.memberId,
  );
  const able = others.filter((member) =>
    authorsBehind(member).some((by) => whyNoSecondMember(batch, { by, shop }) === undefined),
  );
  if (able.length > 0) return `${t(texts.whomToAsk)}: ${able.map(({ name }) => name).join(', ')}.`;
  return t(others.length > 0 ? texts.noneMayConfirm : texts.noOtherAdmin);
}

/** Who a member may act as: with each of the links that they used or can use. */
const authorsBehind = ({ memberId, signIns, link }: Member): Author[] =>
  [...signIns, ...(link ? [link] : [])].map(({ issuers }) => ({
    actor: memberActor(memberId),
    linkIssuers: issuers,
  }));
