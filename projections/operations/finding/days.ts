import { dayIn } from '#shared/application/pages/zone.ts';
import { dayMs } from '#shared/domain/day.ts';

/** When a line is typed, and in which zone its days are. */
export type Where = { zone: string; nowMs: number };

/** How many days ago. */
const relativeDays = new Map([
  ['сегодня', 0],
  ['today', 0],
  ['вчера', 1],
  ['yesterday', 1],
  ['позавчера', 2],
]);

/** The forms of each name, of which any beginning of three letters or more is read. */
const months: readonly (readonly string[])[] = [
  ['января', 'январь', 'january'],
  ['февраля', 'февраль', 'february'],
  ['марта', 'march'],
  ['апреля', 'апрель', 'april'],
  ['мая', 'май', 'may'],
  ['июня', 'июнь', 'june'],
  ['июля', 'июль', 'july'],
  ['августа', 'august'],
  ['сентября', 'сентябрь', 'september'],
  ['октября', 'октябрь', 'october'],
  ['ноября', 'ноябрь', 'november'],
  ['декабря', 'декабрь', 'december'],
];

const isoDay = /^(\d{4})-(\d\d)-(\d\d)$/;
const dottedDay = /^(\d{1,2})\.(\d{1,2})(?:\.(\d{4}|\d{2})?)?$/;
const dayAndMonth = /(?<![\d.,-])(\d{1,2}) +(\p{L}{3,9})\.?(?: +(\d{4})(?!\d))?(?![\p{L}\d])/giu;
const monthAndDay = /(?<!\p{L})(\p{L}{3,9})\.? +(\d{1,2})(?:,? +(\d{4}))?(?![\p{L}\d.,:-])/giu;

/** Days in words become `2026-11-29`: `29 ноября`, `29 Nov 2026`, `November 29`. */
export function daysInDigits(line: string, where: Where): string {
  const replaced = (whole: string, day: string, name: string, year: string | undefined) => {
    const month = monthNumber(name);
    return (month && toDay({ day, month, year }, where)) ?? whole;
  };
  return line
    .replaceAll(dayAndMonth, (whole, day: string, name: string, year?: string) =>
      replaced(whole, day, name, year),
    )
    .replaceAll(monthAndDay, (whole, name: string, day: string, year?: string) =>
      replaced(whole, day, name, year),
    );
}

function monthNumber(name: string): string | undefined {
  const index = months.findIndex((forms) =>
    forms.some((form) => form.startsWith(name.toLowerCase())),
  );
  return index < 0 ? undefined : String(index + 1);
}

/** The day that a word names: `2026-11-29`, `29.11.2026`, `29.11`, `yesterday`. */
export function dayNamed(word: string, where: Where): string | undefined {
  const daysAgo = relativeDays.get(word.toLowerCase());
  if (daysAgo !== undefined) return addDays(dayIn(where.nowMs, where.zone), -daysAgo);
  const [, isoYear, isoMonth = '', ofMonth = ''] = isoDay.exec(word) ?? [];
  if (isoYear !== undefined) return toDay({ day: ofMonth, month: isoMonth, year: isoYear }, where);
  const [, day, month = '', year] = dottedDay.exec(word) ?? [];
  return day === undefined ? undefined : toDay({ day, month, year }, where);
}

type Parts = { day: string; month: string; year: string | undefined };

/** Without a year: the last such day that is not in the future. Undefined if there is none. */
function toDay({ day, month, year }: Parts, { zone, nowMs }: Where): string | undefined {
  const today = dayIn(nowMs, zone);
  const currentYear = Number(today.slice(0, 4));
  const monthAndDate = `${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  const latest = `${currentYear}-${monthAndDate}` > today ? currentYear - 1 : currentYear;
  const text = `${(year ?? String(latest)).padStart(4, '20')}-${monthAndDate}`;
  const at = Date.parse(`${text}T00:00:00Z`);
  return Number.isNaN(at) || new Date(at).toISOString().slice(0, 10) !== text ? undefined : text;
}

const addDays = (day: string, days: number): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) + days * dayMs).toISOString().slice(0, 10);
