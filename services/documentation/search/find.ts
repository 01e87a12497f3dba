import { createWords, wordsOf, type Place } from './words.ts';

/** A part of a page, from one heading to the next. */
type Entry = { path: string; page: string; heading: string; text: string };
export type Found = Entry & { excerpt: string };

export const maxQueryLength = 100;
const maxTerms = 8;
const minTermLength = 2;
const maxFound = 30;
const excerptLength = 160;

/** The parts of a page: what is before its first heading, and what follows each. */
export function entriesOf({
  path,
  title,
  html,
}: {
  path: string;
  title: string;
  html: string;
}): Entry[] {
  const [before = '', ...parts] = html.split(/<h[23][^>]* id="/);
  return [
    { path, page: title, heading: title, text: textOf(before) },
    ...parts.map((part) => {
      const [, id = '', heading = '', rest = ''] =
        /^([^"]+)"[^>]*>(.*?)<\/h[23]>(.*)$/s.exec(part) ?? [];
      return { path: `${path}#${id}`, page: title, heading: textOf(heading), text: textOf(rest) };
    }),
  ];
}

const named: Readonly<Record<string, string>> = {
  lt: '<',
  gt: '>',
  quot: '"',
  '#39': "'",
  amp: '&',
};

function textOf(html: string): string {
  return html
    .replace(/<(svg|form|button)\b.*?<\/\1>/gs, ' ')
    .replace(/<[^>]+>/g, ' ')
    .replace(/&(lt|gt|quot|#39|amp);/g, (_, name: string) => named[name] ?? '')
    .replace(/\s+/g, ' ')
    .trim();
}

/**
 * What is looked for: so many words of a query at most, each once; one letter alone says nothing.
 */
export const termsOf = (query: string): string[] =>
  [...new Set(wordsOf(query.slice(0, maxQueryLength)))]
    .filter((term) => term.length >= minTermLength)
    .slice(0, maxTerms);

/** Finds any of the words, where a word of the text begins; a short one alone is the whole word. */
export const beginning = (terms: readonly string[]): RegExp => {
  const any = terms.map((term) => {
    const escaped = term.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
    return term.length < 3 ? String.raw`${escaped}(?![\p{L}\p{N}])` : escaped;
  });
  return new RegExp(String.raw`(?<![\p{L}\p{N}])(${any.join('|')})`, 'giu');
};

type Search = {
  add(entry: Entry): void;
  /** Once all are added: else the first query does it. */
  sort(): void;
  /** The parts that have every word of the query, those with it in their headings first. */
  find(query: string): Found[];
};

export function createSearch(): Search {
  const entries: Entry[] = [];
  const words = createWords();
  const find = (query: string): Found[] => {
    const [first, ...others] = termsOf(query).map((term) => words.lookUp(term));
    if (!first) return [];
    const whole = wordsOf(query.slice(0, maxQueryLength)).join(' ');
    return [...first.keys()]
      .flatMap((index) => {
        const entry = entries[index];
        const places = [first, ...others].flatMap((each) => each.get(index) ?? []);
        return entry && places.length > others.length ? { entry, places } : [];
      })
      .map(({ entry, places }) => ({ entry, places, points: pointsOf(entry, { places, whole }) }))
      .toSorted((left, right) => right.points - left.points)
      .slice(0, maxFound)
      .map(({ entry, places }) => ({
        ...entry,
        excerpt: excerptOf(entry.text, Math.min(...places.map(({ at }) => at))),
      }));
  };
  return {
    add: (entry) => {
      words.add(entries.length, [entry.heading, entry.page, entry.text]);
      entries.push(entry);
    },
    sort: words.sort,
    find,
  };
}

function pointsOf(
  entry: Entry,
  { places, whole }: { places: readonly Place[]; whole: string },
): number {
  const bonus = entry.heading.toLowerCase().startsWith(whole) ? wholeWeight : 0;
  return places.reduce(
    (sum, { fields }) =>
      sum +
      weights.reduce((points, weight, field) => points + (fields & (1 << field) ? weight : 0), 0),
    bonus,
  );
}

/** Of the heading, the page's title and the text. */
const weights = [8, 3, 1];
/** Of a heading that begins with the query. */
const wholeWeight = 50;

/** @param place where the first word stands, Infinity where none is in the text */
function excerptOf(text: string, place: number): string {
  const from = Number.isFinite(place) ? Math.max(0, place - excerptLength / 4) : 0;
  const start = from === 0 ? 0 : text.lastIndexOf(' ', from) + 1;
  const cut = text.slice(start, start + excerptLength);
  return `${start > 0 ? '… ' : ''}${cut}${start + excerptLength < text.length ? ' …' : ''}`;
}
