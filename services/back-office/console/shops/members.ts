import { common } from '#shared/application/pages/translations.ts';
import { membersTable } from '../../frame/members-table.ts';
import type { Members } from '#shared/domain/member/members.ts';
import { html, type Html } from '#shared/platform/pages/index.ts';
import { renderActor, section } from '../../frame/components.ts';
import { action } from '../action-link.ts';
import { addMemberAction, issueMemberLink, removeMemberAction } from '../actions/members.ts';
import type { ConsoleView } from '../env.ts';

const texts = {
  title: { ru: 'Сотрудники мерчанта в кабинете', en: 'Merchant’s staff in the portal' },
  none: {
    ru: 'В кабинет пока некому войти. Добавьте первого администратора: дальше он добавляет других сам.',
    en: 'No one can sign in to the portal yet. Add the first admin, who then adds others.',
  },
};

/** The merchant's staff who may use the portal, with their sign-in links. */
export function membersSection(view: ConsoleView, shopId: string, members: Members): Html {
  const { t } = view;
  const add = action(view, addMemberAction, {
    params: { shop_id: shopId },
    text: common.newMember,
  });
  const shown = membersTable(view, members, {
    caption: t(texts.title),
    empty: t(texts.none),
    byWhom: renderActor,
    actions: ({ memberId }) =>
      html`<span class="row"
        >${action(view, issueMemberLink, {
          params: { shop_id: shopId, member_id: memberId },
          text: common.signInLink,
        })}${action(view, removeMemberAction, {
          params: { shop_id: shopId, member_id: memberId },
          text: common.remove,
          tone: 'danger',
        })}</span
      >`,
  });
  return section(t(texts.title), shown, add);
}
