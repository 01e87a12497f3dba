import { html, type Html } from '#shared/platform/pages/index.ts';
import type { ExportedList } from './access-log.ts';
import type { View } from './components.ts';
import type { Words } from '#shared/application/pages/translations.ts';

const texts = {
  export: { ru: 'Экспорт CSV', en: 'Export CSV' },
  writing: { ru: 'Записано строк: {n}', en: 'Rows written: {n}' },
  written: { ru: 'Файл записан, строк: {n}', en: 'The file is complete, rows: {n}' },
  broken: {
    ru: 'Файл оборвался, строк: {n}. Скачайте его снова.',
    en: 'The file broke off, rows: {n}. Download it again.',
  },
} as const satisfies Record<string, Words>;

/** The export of a page's list with its filters; `export.client.js` shows its progress. */
export function exportLink(
  { t, language }: View,
  list: ExportedList,
  filter: Readonly<Record<string, string | undefined>> = {},
): Html {
  const entries = Object.entries(filter).filter((entry): entry is [string, string] =>
    Boolean(entry[1]),
  );
  const query = new URLSearchParams(entries).toString();
  return html`<a
      class="button small"
      href="/${list}.csv${query !== '' && `?${query}`}"
      data-export="${language}"
      data-writing="${t(texts.writing)}"
      data-written="${t(texts.written)}"
      data-broken="${t(texts.broken)}"
      >${t(texts.export)}</a
    ><span class="muted small" role="status" data-exported></span>`;
}
