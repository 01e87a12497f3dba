import type { Words } from '#shared/application/pages/translations.ts';
import { memberPrefix } from '#shared/domain/member/events.ts';
import type { Members } from '#shared/domain/member/members.ts';
import type { View } from '../env.ts';

const texts = {
  operator: { ru: 'оператор шлюза', en: 'an operator of the gateway' },
  through: { ru: ', по ссылке от: ', en: ', by a link from: ' },
} as const satisfies Record<string, Words>;

/** A member by name; an operator of the gateway without a name: that is not the merchant's. */
export const nameOf = (
  { t }: Pick<View, 't'>,
  { members }: Pick<Members, 'members'>,
  actor: string,
): string =>
  (actor.startsWith(memberPrefix) && members.get(actor.slice(memberPrefix.length))?.name) ||
  t(texts.operator);

/** Of a longer chain the rest is not shown. */
const shownIssuers = 3;

/** Who issued a link, and by whose link that one had signed in. */
export const issuersOf = (
  view: Pick<View, 't'>,
  members: Pick<Members, 'members'>,
  issuers: readonly string[],
): string =>
  issuers
    .slice(0, shownIssuers)
    .map((actor) => nameOf(view, members, actor))
    .join(view.t(texts.through));
