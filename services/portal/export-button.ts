import { html, type Html } from '#shared/platform/pages/index.ts';
import type { View } from './env.ts';

export type ExportedList = 'operations' | 'journal' | 'balances' | 'webhook-deliveries';

/** The list of the page as a file, narrowed down as it is. */
export function exportButton(
  { t }: View,
  list: ExportedList,
  filter: Readonly<Record<string, string | undefined>> = {},
): Html {
  const given = Object.entries(filter).filter((entry): entry is [string, string] =>
    Boolean(entry[1]),
  );
  const query = new URLSearchParams(given).toString();
  const text = t({ ru: 'Экспорт CSV', en: 'Export CSV' });
  return html`<a class="button small" href="/${list}.csv${query === '' ? '' : `?${query}`}"
    >${text}</a
  >`;
}
