import type { Role } from '#shared/domain/operator/events.ts';
import type { Words } from '#shared/application/pages/translations.ts';

export const roleNames: Readonly<Record<Role, Words>> = {
  admin: { ru: 'администратор', en: 'admin' },
  operator: { ru: 'оператор', en: 'operator' },
  auditor: { ru: 'аудитор', en: 'auditor' },
};
