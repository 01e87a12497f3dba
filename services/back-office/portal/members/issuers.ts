import type { Words } from '#shared/application/pages/translations.ts';
import { memberPrefix } from '#shared/domain/member/events.ts';
import type { Members } from '#shared/domain/member/members.ts';
import type { PortalView } from '../env.ts';

const texts = {
  operator: { ru: 'оператор шлюза', en: 'an operator of the gateway' },
  through: { ru: ', по ссылке от: ', en: ', by a link from: ' },
} as const satisfies Record<string, Words>;

/** A member's name; an operator of the gateway is not named to the merchant. */
export const actorName = (
  { t }: Pick<PortalView, 't'>,
  { members }: Pick<Members, 'members'>,
  actor: string,
): string =>
  (actor.startsWith(memberPrefix) && members.get(actor.slice(memberPrefix.length))?.name) ||
  t(texts.operator);

/** A longer chain is cut. */
const shownIssuers = 3;

/** Who issued a link, who issued the link that this person had signed in with, and so on. */
export const describeIssuers = (
  view: Pick<PortalView, 't'>,
  members: Pick<Members, 'members'>,
  issuers: readonly string[],
): string =>
  issuers
    .slice(0, shownIssuers)
    .map((actor) => actorName(view, members, actor))
    .join(view.t(texts.through));
