import type { StatementDay } from '#projections/statements/query.ts';
import { badge, type Html } from '#shared/platform/pages/index.ts';
import { count } from '../../frame/components.ts';
import type { ConsoleView } from '../env.ts';
import { providerStatementTexts } from './texts.ts';

export function stateBadge({ t, ...view }: ConsoleView, day: StatementDay): Html {
  if (day.findings_open === 0) return badge('success', t(providerStatementTexts.nothing));
  return badge(
    'warning',
    `${t(providerStatementTexts.open)}${count({ t, ...view }, day.findings_open)}`,
  );
}
