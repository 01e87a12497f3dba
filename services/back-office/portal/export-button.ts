import { exportLink } from '../frame/export-link.ts';
import type { Html } from '#shared/platform/pages/index.ts';
import type { View } from './env.ts';

export type ExportedList = 'operations' | 'journal' | 'balances' | 'webhook-deliveries';

/** The list of the page as a file, narrowed down as it is. */
export const exportButton = (
  view: View,
  list: ExportedList,
  filter?: Readonly<Record<string, string | undefined>>,
): Html => exportLink(view, list, filter);
