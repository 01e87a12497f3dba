import type { Member, Members } from '#shared/domain/member/members.ts';
import { badge, html, type Html } from '#shared/platform/pages/index.ts';
import { at, renderTable, type View } from './components.ts';
import { memberRoleNames } from './names.ts';
import { common, type Words } from '#shared/application/pages/translations.ts';

const texts = {
  inForce: { ru: 'есть доступ', en: 'has access' },
  added: { ru: 'Добавлен', en: 'Added' },
  by: { ru: 'Кем', en: 'By' },
  signedIn: { ru: 'Последний вход', en: 'Last sign-in' },
  linkBy: { ru: 'ссылка от:', en: 'link from:' },
  you: { ru: 'это вы', en: 'you' },
} as const satisfies Record<string, Words>;

type MembersTableOptions = {
  caption: string;
  empty: string;
  /** The member who reads the page, unless it is an operator. */
  reader?: string | undefined;
  byWhom(actor: string): Html | string;
  /** Only for members who were not removed. */
  actions(member: Member): Html | string;
};

const isInForce = ({ removedAt }: Member): boolean => removedAt === undefined;

/** Members of a shop, removed ones at the end. */
export function membersTable(view: View, { members }: Members, options: MembersTableOptions): Html {
  const { t } = view;
  const { caption, empty, reader, byWhom, actions } = options;
  const all = [...members.values()];
  const listed = [
    ...all.filter(isInForce),
    ...all.filter((member) => !isInForce(member)).toReversed(),
  ];
  const names = [
    common.personName,
    common.role,
    common.status,
    texts.added,
    texts.by,
    texts.signedIn,
  ];
  return renderTable(view, {
    caption,
    columns: [...names, common.actions],
    rows: listed.map((member) => [
      member.memberId === reader
        ? html`${member.name} <span class="muted">(${t(texts.you)})</span>`
        : member.name,
      t(memberRoleNames[member.role]),
      isInForce(member)
        ? badge('success', t(texts.inForce))
        : badge('neutral', t(common.removed), 'slash'),
      at(view, member.addedAt),
      byWhom(member.addedBy),
      lastSignIn(view, member, byWhom),
      isInForce(member) ? actions(member) : '',
    ]),
    empty,
  });
}

function lastSignIn(
  view: View,
  { signIns }: Member,
  byWhom: MembersTableOptions['byWhom'],
): Html | string {
  const last = signIns.at(-1);
  const [issuer] = last?.issuers ?? [];
  const time = at(view, last?.usedAt);
  if (issuer === undefined) return time;
  return html`${time} <span class="muted">${view.t(texts.linkBy)} ${byWhom(issuer)}</span>`;
}
