import type { Translations } from '#shared/platform/pages/language.ts';

/** The pages in reading order; `''` is the first one. */
export const docsSections = {
  '': { ru: 'Обзор', en: 'Overview' },
  guide: { ru: 'Руководство', en: 'Guide' },
  reference: { ru: 'Справочник', en: 'Reference' },
  statuses: { ru: 'Статусы', en: 'Statuses' },
  webhooks: { ru: 'Вебхуки', en: 'Webhooks' },
  errors: { ru: 'Ошибки', en: 'Errors' },
  sandbox: { ru: 'Песочница', en: 'Sandbox' },
} as const satisfies Record<string, Translations<string>>;

export type DocsSection = keyof typeof docsSections;
export const sectionNames = Object.keys(docsSections) as DocsSection[];

export const docPath = (name: DocsSection): string => (name === '' ? '/docs' : `/docs/${name}`);
