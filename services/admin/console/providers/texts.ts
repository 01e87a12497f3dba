import type { Words } from '../words.ts';

export const providerTexts = {
  title: { ru: 'Провайдеры', en: 'Providers' },
  about: {
    ru: 'Выключенный провайдер не получает новых операций; начатые продолжаются. Все времена — UTC.',
    en: 'A provider that is switched off gets no new operations; those it has go on. All times are UTC.',
  },
  routing: { ru: 'Маршрутизация', en: 'Routing' },
  reason: { ru: 'Причина', en: 'Reason' },
  on: { ru: 'включён', en: 'on' },
  off: { ru: 'выключен', en: 'off' },
  switchOff: { ru: 'Выключить', en: 'Switch off' },
  switchOn: { ru: 'Включить', en: 'Switch on' },
} as const satisfies Record<string, Words>;
