import type { Problem } from '#shared/platform/http/problems.ts';
import type { Words } from '#shared/application/pages/translations.ts';
import type { PortalView } from '../env.ts';

const fileFaults = {
  unreadable: {
    ru: 'Это не CSV и не книга .xlsx, или файл повреждён либо защищён паролем. Сохраните таблицу как .xlsx.',
    en: 'This is neither CSV nor an .xlsx workbook, or it is damaged or has a password. Save the table as .xlsx.',
  },
  empty: { ru: 'В файле нет строк с выплатами.', en: 'The file has no rows with payouts.' },
  missing: { ru: 'Нет столбцов', en: 'Missing columns' },
  unknown: { ru: 'Лишние столбцы', en: 'Columns to remove' },
} as const satisfies Record<string, Words>;

/** Why a file as a whole is refused; undefined if the problem's own text is shown. */
export function explainFile(
  { t }: Pick<PortalView, 't'>,
  { errors = [] }: Pick<Problem, 'errors'>,
): string | undefined {
  const named = (isMissing: boolean) =>
    errors
      .filter(({ pointer, code }) => pointer !== '' && (code === 'field_required') === isMissing)
      .map(({ pointer }) => pointer.slice(1).replaceAll('~1', '/').replaceAll('~0', '~'));
  const missing = named(true);
  const unknown = named(false);
  const parts = [
    ...(missing.length > 0 ? [`${t(fileFaults.missing)}: ${missing.join(', ')}.`] : []),
    ...(unknown.length > 0 ? [`${t(fileFaults.unknown)}: ${unknown.join(', ')}.`] : []),
  ];
  if (parts.length > 0) return parts.join(' ');
  if (errors.length === 0) return undefined;
  return t(errors[0]?.detail === 'the file has no row' ? fileFaults.empty : fileFaults.unreadable);
}
