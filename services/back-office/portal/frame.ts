import { memberRoleNames } from '../frame/names.ts';
import { createPages, type PageContent } from '../frame/pages.ts';
import { common, type Words } from '#shared/application/pages/translations.ts';
import { html } from '#shared/platform/pages/index.ts';
import { toPortalView, type Portal, type PortalContext, type PortalView } from './env.ts';
import { portalFiles } from './files.ts';
import { linkNotice } from './members/link-notice.ts';
import { payoutTexts } from './payouts/texts.ts';
import { portalProblemTexts } from './problems.ts';
import { statementTexts } from './balances/statement-texts.ts';
import { testModeMark } from './test-mode-mark.ts';
import { endpointNotice } from './webhooks/notice.ts';

/** The sections of the portal, in the order of its navigation. */
export const portalSections = {
  operations: { path: '/operations', name: common.operations },
  payouts: { path: '/payouts', name: { ru: 'Выплаты файлом', en: 'Payouts in bulk' } },
  balances: { path: '/balances', name: common.balances },
  statement: { path: '/statement', name: statementTexts.title },
  webhooks: { path: '/webhooks', name: common.webhooks },
  keys: { path: '/keys', name: common.apiKeys },
  members: { path: '/members', name: { ru: 'Сотрудники', en: 'Members' } },
} as const satisfies Record<string, { path: string; name: Words }>;
export type PortalSection = keyof typeof portalSections;
export type PortalContent = PageContent<PortalSection>;

const portalName: Words = { ru: 'Кабинет магазина', en: 'Merchant portal' };
const siteName = ({ session, t }: PortalView): string => session?.shop.name ?? t(portalName);

export const { show, showProblem, renderPage } = createPages<
  PortalContext,
  PortalView,
  PortalSection,
  Portal
>({
  files: portalFiles,
  toView: toPortalView,
  brand: siteName,
  title: siteName,
  sections: portalSections,
  user: ({ member: { name, role } }) => ({ name, role: memberRoleNames[role] }),
  above: (c, portal, view) =>
    html`${testModeMark(view)}${linkNotice(c, portal, view)}${endpointNotice(view)}`,
  problems: {
    texts: portalProblemTexts,
    links: ({ t, preferences: { path } }) => {
      const [file] = /^\/payouts\/[^/?]+(?=\/confirm)/.exec(path) ?? [];
      return html`${file !== undefined && html`<a href="${file}">${t(payoutTexts.toFile)}</a> · `}<a
          href="/operations"
          >${t({ ru: 'К операциям', en: 'To the operations' })}</a
        >`;
    },
  },
});
