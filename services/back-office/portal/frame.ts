import { memberRoleNames } from '../frame/names.ts';
import { createPages, type Content as PageContent } from '../frame/pages.ts';
import { common, type Words } from '#shared/application/pages/translations.ts';
import { html } from '#shared/platform/pages/index.ts';
import { toView, type Portal, type PortalContext, type View } from './env.ts';
import { files } from './files.ts';
import { linkNotice } from './members/link-notice.ts';
import { problemTexts } from './problems.ts';
import { endpointNotice } from './webhooks/notice.ts';

/** The sections of the portal, in the order of its navigation. */
export const sections = {
  operations: { path: '/operations', name: common.operations },
  payouts: { path: '/payouts', name: { ru: 'Выплаты файлом', en: 'Payouts in bulk' } },
  balances: { path: '/balances', name: common.balances },
  webhooks: { path: '/webhooks', name: common.webhooks },
  keys: { path: '/keys', name: common.apiKeys },
  members: { path: '/members', name: { ru: 'Сотрудники', en: 'Members' } },
} as const satisfies Record<string, { path: string; name: Words }>;
export type Section = keyof typeof sections;
export type Content = PageContent<Section>;

const portalName: Words = { ru: 'Кабинет магазина', en: 'Merchant portal' };
const nameOf = ({ session, t }: View): string => session?.shop.name ?? t(portalName);

export const { show, showProblem, renderPage } = createPages<PortalContext, View, Section, Portal>({
  files,
  toView,
  brand: nameOf,
  title: nameOf,
  sections,
  user: ({ member: { name, role } }) => ({ name, role: memberRoleNames[role] }),
  above: (c, portal, view) => html`${linkNotice(c, portal, view)}${endpointNotice(view)}`,
  problems: {
    texts: problemTexts,
    links: ({ t }) =>
      html`<a href="/operations">${t({ ru: 'К операциям', en: 'To the operations' })}</a>`,
  },
});
