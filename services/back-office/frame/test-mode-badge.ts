import { badge, type Html } from '#shared/platform/pages/index.ts';
import type { View } from './components.ts';

/** Marks what moves no real money. */
export const testModeBadge = ({ t }: Pick<View, 't'>): Html =>
  badge('warning', t({ ru: 'Тестовый режим', en: 'Test mode' }));
