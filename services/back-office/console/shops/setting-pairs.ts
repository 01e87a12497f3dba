import { common } from '#shared/application/pages/translations.ts';
import { currencies } from '#shared/domain/currencies.ts';
import type { ShopSettings } from '#shared/domain/shop/events.ts';
import { eachSetting, viewSettings } from '#shared/domain/shop/settings/derive.ts';
import type { SettingEntry } from '#shared/domain/shop/settings/entry.ts';
import { badge, formatAmount, html, type Html } from '#shared/platform/pages/index.ts';
import type { Pair } from '../../frame/components.ts';
import type { ConsoleView } from '../env.ts';

/** A shop's settings for its page, but for the name: that is the page's title. */
export function settingPairs(view: ConsoleView, settings: ShopSettings): Pair[] {
  const values = viewSettings(settings);
  return eachSetting
    .filter(([, { kind }]) => kind !== 'name')
    .map(([name, entry]) => [view.t(entry.label), renderValue(view, entry, values[name])]);
}

function renderValue(view: ConsoleView, entry: SettingEntry, value: unknown): Html | string {
  const { t } = view;
  switch (entry.kind) {
    case 'switch':
      return t(value === true ? common.yes : common.no);
    case 'name':
    case 'text':
      return typeof value === 'string' ? value : t(common.none);
    case 'url':
      return typeof value === 'string' ? html`<code>${value}</code>` : t(common.none);
    case 'limits':
      return renderLimits(view, value as Readonly<Record<string, string>>);
    case 'numbers': {
      const numbers = value as Readonly<Record<string, number>>;
      return t(entry.summary).replaceAll(/\{(\w+)\}/g, (_, member: string) =>
        String(numbers[member]),
      );
    }
  }
}

/** In a currency without a limit, payouts may overdraw without bound. */
function renderLimits(
  { t, language }: ConsoleView,
  limits: Readonly<Record<string, string>>,
): Html {
  const limited = currencies.flatMap((currency) => {
    const limit = limits[currency];
    return limit === undefined ? [] : [formatAmount(language, limit, currency)];
  });
  const open = currencies.filter((currency) => limits[currency] === undefined);
  const unlimited = html`${badge('danger', t(common.unlimited), 'warning')} ${open.join(', ')}`;
  return html`${limited.join(', ')}${limited.length > 0 && open.length > 0 && html`<br />`}${open.length > 0 && unlimited}`;
}
