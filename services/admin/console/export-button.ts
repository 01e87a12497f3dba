import type { Html } from '#shared/platform/pages/index.ts';
import type { ExportedList } from '../access-log.ts';
import { action } from './components.ts';
import type { View } from './env.ts';

/** The list of the page as a file, narrowed down as it is. */
export function exportButton(
  view: View,
  list: ExportedList,
  filter: Readonly<Record<string, string | undefined>> = {},
): Html | string {
  const given = Object.entries(filter).filter((entry): entry is [string, string] =>
    Boolean(entry[1]),
  );
  const query = new URLSearchParams(given).toString();
  return action(view, {
    route: `GET /admin/v1/${list}.csv`,
    href: `/${list}.csv${query === '' ? '' : `?${query}`}`,
    text: { ru: 'Экспорт CSV', en: 'Export CSV' },
  });
}
