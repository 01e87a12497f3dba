import { common } from '#shared/application/pages/translations.ts';
import type { Entry } from '#shared/domain/ledger/events.ts';
import { currencies } from '#shared/domain/currencies.ts';
import { formatAmount, html, type Html } from '#shared/platform/pages/index.ts';
import { tabs, type View } from './components.ts';

/** The merchant's id of an entry's operation; an adjustment has none. */
export function renderMerchantId(
  entry: Entry,
  merchantIds: ReadonlyMap<string, string>,
): Html | string {
  const id = entry.kind === 'adjustment' ? undefined : merchantIds.get(entry.operation_id);
  return id === undefined ? '—' : html`<span class="clip" title="${id}">${id}</span>`;
}

/** Without the currency, which the whole table shares; with a sign, as it is a movement. */
export function formatSigned({ language }: View, amount: string): string {
  const text = formatAmount(language, amount, '').trim();
  return amount.startsWith('-') ? text : `+${text}`;
}

/** The amount that an entry was converted from, in a ledger of another currency. */
export function convertedFrom({ language }: View, entry: Entry): Html | string {
  if (entry.kind === 'adjustment' || !entry.source) return '';
  const { amount, currency, fx_rate: rate } = entry.source;
  return html` <span class="muted nowrap"
    >${formatAmount(language, amount, currency)} × ${rate}</span
  >`;
}

/** The ledgers of a shop; `path` has one of them. */
export const currencyTabs = ({ t }: View, path: string, current: string): Html =>
  tabs(
    t(common.currency),
    `${path}/${current}`,
    currencies.map((each) => [`${path}/${each}`, each]),
  );
