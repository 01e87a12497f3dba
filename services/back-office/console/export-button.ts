import { exportLink } from '../frame/export-link.ts';
import type { Html } from '#shared/platform/pages/index.ts';
import type { ExportedList } from '../frame/access-log.ts';
import type { ConsoleView } from './env.ts';

/** The export of the page's list with its filters; only if the reader may have it. */
export const exportButton = (
  view: ConsoleView,
  list: ExportedList,
  filter?: Readonly<Record<string, string | undefined>>,
): Html | string => (view.may(`GET /admin/v1/${list}.csv`) ? exportLink(view, list, filter) : '');
