import { at } from '../../frame/components.ts';
import type { Words } from '#shared/application/pages/translations.ts';
import { linksByOthers } from '#shared/domain/member/members.ts';
import { html, notice, type Html } from '#shared/platform/pages/index.ts';
import type { Portal, PortalContext, PortalView } from '../env.ts';
import { describeIssuers } from './issuers.ts';

const texts = {
  made: {
    ru: 'Ссылку для входа под вашим именем создал(а):',
    en: 'Sign-in link created for you by:',
  },
  madeAt: { ru: 'Создана:', en: 'Made:' },
  usedAt: { ru: 'По ней вошли:', en: 'Used:' },
  unused: { ru: 'По ней ещё не входили.', en: 'Not used yet.' },
  unknown: {
    ru: 'Если это были не вы, сообщите администратору магазина или оператору шлюза.',
    en: 'If that was not you, tell an admin of the shop or an operator of the gateway.',
  },
} as const satisfies Record<string, Words>;

/**
 * Notifies a member of links that others made for them, other than that of this session: once in
 * each browser, so that a user of such a link can't make the notice disappear.
 */
export function linkNotice(
  c: PortalContext,
  { seenLinks }: Pick<Portal, 'seenLinks'>,
  view: PortalView,
): Html | '' {
  const { session, t } = view;
  if (!session) return '';
  const { member, members, signIn } = session;
  const [memberId, seenUntil = ''] = seenLinks.read(c)?.split('/') ?? [];
  const since = memberId === member.memberId ? seenUntil : '';
  const links = linksByOthers(member, { since });
  const [newest] = links.map(({ issuedAt, usedAt = issuedAt }) => usedAt);
  if (newest === undefined) return '';
  seenLinks.keep(c, `${member.memberId}/${newest}`);
  const others = links.filter(({ linkHash }) => linkHash !== signIn.linkHash);
  if (others.length === 0) return '';
  const lines = others.map(
    ({ issuers, issuedAt, usedAt }) =>
      html`<p>
        ${t(texts.made)} <b>${describeIssuers(view, members, issuers)}</b>. ${t(texts.madeAt)}
        ${at(view, issuedAt)}.
        ${usedAt === undefined ? t(texts.unused) : html`${t(texts.usedAt)} ${at(view, usedAt)}.`}
      </p>`,
  );
  return html`<div class="done">
    ${notice(
      'warning',
      html`${lines}
        <p>${t(texts.unknown)}</p>`,
      { urgent: true },
    )}
  </div>`;
}
