import { html, type Html } from './html.ts';
import type { Language } from './language.ts';

const symbols: Readonly<Record<string, string>> = { RUB: '₽', USD: '$', EUR: '€' };
/** A minus sign as wide as a plus; `Intl` writes a hyphen. */
const minus = '\u2212';
const locales: Readonly<Record<Language, string>> = { ru: 'ru-RU', en: 'en-GB' };

/** An exact decimal as people write it: `1 234,50`, `1,234.50`, `−0.50`. Never a binary number. */
export function formatDecimal(language: Language, amount: string): string {
  const format = new Intl.NumberFormat(locales[language], {
    minimumFractionDigits: 2,
    maximumFractionDigits: 2,
  });
  return format.format(amount as Intl.StringNumericLiteral).replace('-', minus);
}

/**
 * With its currency, as people write it: `1 234,50 ₽`, `₽1,234.50`, `−$0.50`. A code is set off by a
 * space: `USDT 1,234.50`.
 */
export function formatAmount(language: Language, amount: string, currency: string): string {
  const decimal = formatDecimal(language, amount);
  const unit = symbols[currency] ?? currency;
  if (unit === '') return decimal;
  if (language === 'ru') return `${decimal}\u00a0${unit}`;
  const space = unit.length > 1 ? '\u00a0' : '';
  const [sign, digits] = decimal.startsWith(minus) ? [minus, decimal.slice(1)] : ['', decimal];
  return `${sign}${unit}${space}${digits}`;
}

/** A time of day in UTC, marked as such, because the server does not know the reader's zone. */
export function formatTime(language: Language, iso: string): Html {
  const format = new Intl.DateTimeFormat(locales[language], {
    timeZone: 'UTC',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
  return html`<time datetime="${iso}">${format.format(new Date(iso))} UTC</time>`;
}

/** A day and a time in UTC; a script may put it into the reader's zone. */
export function formatMoment(language: Language, iso: string): Html {
  const format = new Intl.DateTimeFormat(locales[language], {
    timeZone: 'UTC',
    dateStyle: 'long',
    timeStyle: 'short',
  });
  return html`<time datetime="${iso}" data-local="${locales[language]}"
    >${format.format(new Date(iso))} UTC</time
  >`;
}
