import { isInForce, type IssuedToken } from '#shared/domain/operator/operators.ts';
import { badge, html, type Html } from '#shared/platform/pages/index.ts';
import { fromStore } from '#shared/platform/event-store/from-store.ts';
import { at, heading, renderTable, timesIn } from '../../frame/components.ts';
import { action } from '../action-link.ts';
import { issueTokenAction, revokeTokenAction } from '../actions/tokens.ts';
import { consoleView, type Console, type ConsoleView, type ConsoleContext } from '../env.ts';
import type { PageContent } from '../../frame/pages.ts';
import { roleNames } from '../role-names.ts';
import { common, type Words } from '#shared/application/pages/translations.ts';

const texts = {
  about: {
    ru: 'Токены людей и программ для API администратора и этой консоли. Первый токен (ADMIN_TOKEN) задан в настройках и здесь не показан.',
    en: 'Tokens of people and programs for the admin API and this console. The first one (ADMIN_TOKEN) is set in the configuration and not listed here.',
  },
  issue: { ru: 'Новый токен', en: 'New token' },
  until: { ru: 'Действует до', en: 'Valid until' },
  forever: { ru: 'до отзыва', en: 'until revoked' },
  expired: { ru: 'истёк', en: 'expired' },
  empty: {
    ru: 'Пока есть только первый токен. Выпустите токен каждому, кто работает с консолью: имя сохраняется в событиях.',
    en: 'There is only the first token so far. Issue one to each person who uses the console: events record the name.',
  },
  tokens: { ru: 'Токены', en: 'Tokens' },
} as const satisfies Record<string, Words>;

export async function operatorsPage(c: ConsoleContext, console: Console): Promise<PageContent> {
  const view = consoleView(c);
  const { t } = view;
  const tokens = (await fromStore(console.registry.list())).toReversed();
  const issue = action(view, issueTokenAction, { text: texts.issue, tone: 'primary' });
  return {
    title: t(common.access),
    body: html`${heading(t(common.access), issue, html`${t(texts.about)} ${timesIn(view)}`)}${renderTable(
      view,
      {
        caption: t(texts.tokens),
        columns: [
          common.personName,
          common.role,
          common.token,
          common.status,
          common.created,
          texts.until,
          common.actions,
        ],
        rows: tokens.map((token) => renderRow(view, token, new Date(console.now()).toISOString())),
        empty: t(texts.empty),
      },
    )}`,
  };
}

function renderRow(view: ConsoleView, token: IssuedToken, nowIso: string): (Html | string)[] {
  const { t } = view;
  const by = token.createdBy.replace(/^operator:/, '');
  return [
    token.name,
    t(roleNames[token.role]),
    html`<code class="nowrap">…${token.hint}</code>`,
    renderStatus(view, token, nowIso),
    html`${at(view, token.createdAt)} <span class="muted">${by}</span>`,
    token.expiresAt === undefined ? t(texts.forever) : at(view, token.expiresAt),
    isInForce(token, nowIso)
      ? action(view, revokeTokenAction, {
          params: { token_id: token.tokenId },
          text: common.revoke,
          tone: 'danger',
        })
      : '',
  ];
}

function renderStatus({ t }: ConsoleView, token: IssuedToken, nowIso: string): Html {
  if (isInForce(token, nowIso)) return badge('success', t(common.inForce));
  return badge(
    'neutral',
    t(token.revokedAt === undefined ? texts.expired : common.revoked),
    'slash',
  );
}
