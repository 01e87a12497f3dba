import { heading, timesIn } from '../../frame/components.ts';
import { membersTable } from '../../frame/members-table.ts';
import { common, type Words } from '#shared/application/pages/translations.ts';
import type { Member } from '#shared/domain/member/members.ts';
import { html, type Html } from '#shared/platform/pages/index.ts';
import {
  sessionShopId,
  portalView,
  type Portal,
  type PortalView,
  type PortalContext,
} from '../env.ts';
import type { PageContent } from '../../frame/pages.ts';
import { actorName } from './issuers.ts';

const texts = {
  title: { ru: 'Сотрудники', en: 'Members' },
} as const satisfies Record<string, Words>;

/** Who may use the portal for this shop. */
export async function membersPage(c: PortalContext, portal: Portal): Promise<PageContent> {
  const view = portalView(c);
  const { t, mayAct } = view;
  const members = await portal.members.of(sessionShopId(c));
  const reader = c.get('session').member.memberId;
  const add = mayAct
    ? html`<a class="button small primary" href="/members/new">${t(common.newMember)}</a>`
    : '';
  return {
    title: t(texts.title),
    body: html`${heading(t(texts.title), add, timesIn(view))}${membersTable(view, members, {
      caption: t(texts.title),
      empty: '—',
      reader,
      byWhom: (actor) => actorName(view, members, actor),
      actions: (member) => (mayAct ? actions(view, member, reader) : ''),
    })}`,
  };
}

const actions = ({ t }: PortalView, { memberId }: Member, reader: string): Html =>
  html`<span class="row"
    ><a class="button small" href="/members/${memberId}/link">${t(common.signInLink)}</a>
    ${memberId !== reader && html`<a class="button small danger" href="/members/${memberId}/remove">${t(common.remove)}</a>`}</span
  >`;
