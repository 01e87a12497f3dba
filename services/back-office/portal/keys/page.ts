import { readShop } from '#shared/application/directory/command-shop.ts';
import { readKeyUses } from '#shared/application/directory/key-use.ts';
import { keyBadge, keyLabel } from '../../frame/api-keys.ts';
import { at, heading, renderTable, timesIn } from '../../frame/components.ts';
import { common, type Words } from '#shared/application/pages/translations.ts';
import type { ApiKey } from '#shared/domain/shop/state.ts';
import { fromStore } from '#shared/platform/event-store/from-store.ts';
import { html } from '#shared/platform/pages/index.ts';
import { sessionShopId, portalView, type Portal, type PortalContext } from '../env.ts';
import type { PageContent } from '../../frame/pages.ts';

const texts = {
  issue: { ru: 'Новый ключ', en: 'New key' },
  lastUsed: { ru: 'Последний запрос', en: 'Last used' },
  none: {
    ru: 'Ключей ещё нет. С ключом ваш сервер обращается к API.',
    en: 'There are no keys yet. Your server needs one to call the API.',
  },
} as const satisfies Record<string, Words>;

export async function keysPage(c: PortalContext, portal: Portal): Promise<PageContent> {
  const view = portalView(c);
  const { t, mayAct } = view;
  const { apiKeys } = await readShop(portal.store, sessionShopId(c));
  const uses = await fromStore(readKeyUses(portal.store, apiKeys));
  const issue = mayAct
    ? html`<a class="button small primary" href="/keys/new">${t(texts.issue)}</a>`
    : '';
  const renderRow = ({ keyId, hint, createdAt, revokedAt, ...key }: ApiKey) => [
    keyLabel(view, key),
    html`<code class="nowrap">…${hint}</code>`,
    keyBadge(view, { revokedAt, ...key }, portal.now()),
    at(view, createdAt),
    at(view, uses.get(keyId)),
    revokedAt === undefined && mayAct
      ? html`<a class="button small danger" href="/keys/${keyId}/revoke">${t(common.revoke)}</a>`
      : '',
  ];
  const names = [
    common.label,
    common.key,
    common.status,
    common.created,
    texts.lastUsed,
    common.actions,
  ];
  return {
    title: t(common.apiKeys),
    body: html`${heading(t(common.apiKeys), issue, timesIn(view))}${renderTable(view, {
      caption: t(common.apiKeys),
      columns: names,
      rows: apiKeys.toReversed().map(renderRow),
      empty: t(texts.none),
    })}`,
  };
}
