import { memberRoleNames } from '../frame/names.ts';
import { createPages } from '../frame/pages.ts';
import type { Words } from '#shared/application/pages/translations.ts';
import { html } from '#shared/platform/pages/index.ts';
import { toPortalView, type Portal, type PortalContext, type PortalView } from './env.ts';
import { portalFiles } from './files.ts';
import { linkNotice } from './members/link-notice.ts';
import { portalSections } from './pages.ts';
import { payoutTexts } from './payouts/texts.ts';
import { portalProblemTexts } from './problems.ts';
import { testModeMark } from './test-mode-mark.ts';
import { endpointNotice } from './webhooks/notice.ts';

const portalName: Words = { ru: 'Кабинет магазина', en: 'Merchant portal' };
const siteName = ({ session, t }: PortalView): string => session?.shop.name ?? t(portalName);

export const { show, showProblem, renderPage } = createPages<PortalContext, PortalView, Portal>({
  files: portalFiles,
  toView: toPortalView,
  brand: siteName,
  title: siteName,
  sections: () => portalSections,
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
