import { toAmount, fromAmount } from '#shared/domain/money.ts';
import { dayEnd, dayIn, dayStart, momentIn } from '#shared/application/pages/zone.ts';
import { dayMs } from '#shared/domain/day.ts';
import { dayNamed, daysInDigits, type Where } from './days.ts';

/** The facts that a caller can name about an operation. */
export type Terms = {
  text?: string;
  amount?: string;
  lastFour?: string;
  from?: Date;
  before?: Date;
};

/** What the words of a line mean, each at most once but for the words of the text. */
type Words = {
  text: readonly string[];
  amount?: string;
  lastFour?: string;
  day?: string;
  time?: string;
};
type Interpretation = Omit<Words, 'text'>;

/** A quarter of an hour to either side, since the exact minute is rarely known. */
const aroundMs = 15 * 60_000;

const markedLastFour = /^(?:[*•]+|…|\.{2,3})(\d{4})$/;
const fourDigits = /^\d{4}$/;
const decimal = /^\d{1,15}[.,]\d{2}$/;
const digitsOnly = /^\d{1,15}$/;
const hour = /^([01]?\d|2[0-3]):([0-5]\d)$/;
const currency = /^(rub|usd|eur|₽|\$|€|руб\.?|р\.)$/i;

/** Amounts as pages show them, with groups of three: `1 500,00 ₽`, `₽1,500.00`. */
const joined = (text: string) =>
  text
    .replaceAll(/(?<!\S)[−-]?[₽$€](?=\d)/gu, '')
    .replaceAll(/(?<![\d.,])\d{1,3}(?:,\d{3})+(?=\.\d{2}(?!\d))/gu, withoutGaps)
    .replaceAll(/(?<![\d.,-])\d{1,3}(?:[ \u{A0}\u{202F}]\d{3})+(?![\d-])/gu, withoutGaps);

const withoutGaps = (digits: string) => digits.replaceAll(/\D/g, '');

/**
 * The possible meanings of a search line: as a whole an id; or by its words an amount, the last
 * four digits of a number, a day, a time, and a text. A word may have several meanings: `2481` is
 * an amount or last digits, `29.11` a day or an amount.
 */
export function readTerms(line: string, where: Where): Terms[] {
  const words = joined(daysInDigits(line.trim(), where)).split(/\s+/);
  const readings = readWords(words, where);
  const byWords = readings.map((reading) => toTerms(reading, where)).filter(isMeaningful);
  const isOtherwise = words.length === 1 && byWords.length > 0;
  const isId = !isOtherwise || readings.some(({ amount }) => amount !== undefined);
  return [...(isId ? [{ text: line.trim() }] : []), ...byWords];
}

/** A text alone is read as a whole. */
const isMeaningful = (terms: Terms): boolean => Object.keys(terms).some((key) => key !== 'text');

/** Every way to read the words. A word whose meanings are all taken belongs to the text. */
function readWords(words: readonly string[], where: Where): Words[] {
  let readings: Words[] = [{ text: [] }];
  for (const word of words) {
    if (currency.test(word)) continue;
    const meanings = wordMeanings(word, where);
    readings = readings.flatMap((reading) => {
      const free = meanings.filter(
        (meaning) => !Object.keys(meaning).some((key) => key in reading),
      );
      if (free.length === 0) return [{ ...reading, text: [...reading.text, word] }];
      return free.map((meaning) => ({ ...reading, ...meaning }));
    });
  }
  return readings;
}

function wordMeanings(word: string, where: Where): Interpretation[] {
  const marked = markedLastFour.exec(word)?.[1];
  if (marked !== undefined) return [{ lastFour: marked }];
  const meanings: Interpretation[] = [];
  const day = dayNamed(word, where);
  if (day !== undefined) meanings.push({ day });
  if (hour.test(word)) meanings.push({ time: word.padStart(5, '0') });
  if (decimal.test(word)) meanings.push({ amount: toAmount(fromAmount(word.replace(',', '.'))) });
  if (digitsOnly.test(word)) meanings.push({ amount: toAmount(fromAmount(`${word}.00`)) });
  if (fourDigits.test(word)) meanings.push({ lastFour: word });
  return meanings;
}

const toTerms = ({ text, amount, lastFour, day, time }: Words, where: Where): Terms => ({
  ...(text.length > 0 && { text: text.join(' ') }),
  ...(amount !== undefined && { amount }),
  ...(lastFour !== undefined && { lastFour }),
  ...parseTimeSpan({ day, time }, where),
});

/** A day, or the minutes around a time of it: without a day, the most recent such time. */
function parseTimeSpan(
  { day, time }: { day: string | undefined; time: string | undefined },
  { zone, nowMs }: Where,
): Pick<Terms, 'from' | 'before'> {
  if (time === undefined)
    return day === undefined ? {} : { from: dayStart(day, zone), before: dayEnd(day, zone) };
  const at = (on: string) => momentIn(`${on}T${time}`, zone).getTime();
  const today = at(dayIn(nowMs, zone));
  const meant =
    day !== undefined ? at(day) : today <= nowMs ? today : at(dayIn(nowMs - dayMs, zone));
  return { from: new Date(meant - aroundMs), before: new Date(meant + aroundMs) };
}
