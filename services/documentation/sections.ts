import type { Translated } from '#shared/platform/pages/language.ts';

/** The pages in reading order; `''` is the first one. */
export const sections = {
  '': { ru: 'Обзор', en: 'Overview' },
  guide: { ru: 'Руководство', en: 'Guide' },
  reference: { ru: 'Справочник', en: 'Reference' },
  statuses: { ru: 'Статусы', en: 'Statuses' },
  webhooks: { ru: 'Вебхуки', en: 'Webhooks' },
  errors: { ru: 'Ошибки', en: 'Errors' },
  sandbox: { ru: 'Песочница', en: 'Sandbox' },
} as const satisfies Record<string, Translated<string>>;

export type Section = keyof typeof sections;
export const sectionNames = Object.keys(sections) as Section[];

export const pathOf = (name: Section): string => (name === '' ? '/docs' : `/docs/${name}`);
