import { toAmount, fromAmount } from '#shared/domain/money.ts';
import { dayEnd, dayIn, dayStart, momentIn } from '#shared/application/pages/zone.ts';

/** The facts that a caller can name about an operation. */
export type Terms = {
  text?: string;
  amount?: string;
  lastFour?: string;
  from?: Date;
  before?: Date;
};

type Where = { zone: string; nowMs: number };

/** A quarter of an hour to either side, since the exact minute is rarely known. */
const aroundMs = 15 * 60_000;

const lastFour = /^(?:[*•]+|…|\.{2,3})(\d{4})$/;
const decimal = /^\d{1,15}[.,]\d{2}$/;
const digitsOnly = /^\d{1,15}$/;
const isoDay = /^(\d{4})-(\d\d)-(\d\d)$/;
const shownDay = /^(\d{1,2})\.(\d{1,2})\.(\d{4})$/;
const hour = /^([01]?\d|2[0-3]):([0-5]\d)$/;
const currency = /^(rub|usd|eur|₽|\$|€|руб\.?|р\.)$/i;

/** Groups of three: `1 500,00`. */
const joined = (text: string) =>
  text.replaceAll(/(?<![\d.,])\d{1,3}(?:[ \u{A0}\u{202F}]\d{3})+(?![\d])/gu, (digits) =>
    digits.replaceAll(/\D/g, ''),
  );

/**
 * The possible meanings of a search line: as a whole an id; or by its words an amount, the last
 * four digits of a number (`*4242`), a day, a time, and a text. A bare number may be an amount or
 * the last four digits.
 */
export function readTerms(line: string, where: Where): Terms[] {
  const words = joined(line.trim()).split(/\s+/);
  const read = readWords(words, where);
  const alone = words.length === 1;
  const isId = !alone || read.text !== undefined || read.amount !== undefined;
  const isMeaningful = Object.keys(read).length > 1 || read.text === undefined;
  return [...(isId ? [{ text: line.trim() }] : []), ...(isMeaningful ? [read] : [])];
}

function readWords(words: readonly string[], { zone, nowMs }: Where): Terms {
  const terms: Terms = {};
  const otherWords: string[] = [];
  let day: string | undefined;
  let time: string | undefined;
  for (const token of words) {
    const digits = lastFour.exec(token)?.[1];
    const asDay = dayOf(token);
    if (digits !== undefined) terms.lastFour = digits;
    else if (asDay !== undefined) day = asDay;
    else if (hour.test(token)) time = token.padStart(5, '0');
    else if (terms.amount === undefined && (decimal.test(token) || digitsOnly.test(token)))
      terms.amount = toAmount(
        fromAmount(
          token.includes(',') || token.includes('.') ? token.replace(',', '.') : `${token}.00`,
        ),
      );
    else if (!currency.test(token)) otherWords.push(token);
  }
  if (otherWords.length > 0) terms.text = otherWords.join(' ');
  return { ...terms, ...spanOf({ day, time }, { zone, nowMs }) };
}

function dayOf(token: string): string | undefined {
  const [, day = '', month = '', year = ''] = shownDay.exec(token) ?? [];
  const text = isoDay.test(token)
    ? token
    : `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  const at = Date.parse(`${text}T00:00:00Z`);
  return Number.isNaN(at) || new Date(at).toISOString().slice(0, 10) !== text ? undefined : text;
}

/** A day, or the minutes around a time of it: without a day, the most recent such time. */
function spanOf(
  { day, time }: { day: string | undefined; time: string | undefined },
  { zone, nowMs }: Where,
): Pick<Terms, 'from' | 'before'> {
  if (time === undefined)
    return day === undefined ? {} : { from: dayStart(day, zone), before: dayEnd(day, zone) };
  const at = (on: string) => momentIn(`${on}T${time}`, zone).getTime();
  const today = at(dayIn(nowMs, zone));
  const meant =
    day !== undefined ? at(day) : today <= nowMs ? today : at(dayIn(nowMs - 86_400_000, zone));
  return { from: new Date(meant - aroundMs), before: new Date(meant + aroundMs) };
}
