import type { StatementDay } from '#projections/statements/query.ts';
import { badge, type Html } from '#shared/platform/pages/index.ts';
import { count } from '../../frame/components.ts';
import type { View } from '../env.ts';
import { texts } from './texts.ts';

export function stateBadge({ t, ...view }: View, day: StatementDay): Html {
  if (day.findings_open === 0) return badge('success', t(texts.nothing));
  return badge('warning', `${t(texts.open)}${count({ t, ...view }, day.findings_open)}`);
}
