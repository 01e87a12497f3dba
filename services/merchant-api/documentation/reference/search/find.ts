/** A part of a page, from one heading to the next. */
export type Entry = { path: string; page: string; heading: string; text: string };
export type Found = Entry & { excerpt: string };

export const maxQueryLength = 100;
const maxFound = 30;
const excerptLength = 160;

/** The parts of a page: what is before its first heading, and what follows each. */
export function entriesOf({ path, title, html }: { path: string; title: string; html: string }): Entry[] {
  const [before = '', ...parts] = html.split(/<h[23][^>]* id="/);
  return [
    { path, page: title, heading: title, text: textOf(before) },
    ...parts.map((part) => {
      const [, id = '', heading = '', rest = ''] = /^([^"]+)"[^>]*>(.*?)<\/h[23]>(.*)$/s.exec(part) ?? [];
      return { path: `${path}#${id}`, page: title, heading: textOf(heading), text: textOf(rest) };
    }),
  ];
}

const named: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' };

function textOf(html: string): string {
  return html
    .replace(/<(svg|form|button)\b.*?<\/\1>/gs, ' ')
    .replace(/<[^>]+>/g, ' ')
    .replace(/&(lt|gt|quot|#39|amp);/g, (_, name: string) => named[name] ?? '')
    .replace(/\s+/g, ' ')
    .trim();
}

export const termsOf = (query: string): string[] =>
  query
    .slice(0, maxQueryLength)
    .toLowerCase()
    .split(/[^\p{L}\p{N}_.+-]+/u)
    .filter((term) => term !== '');

/** Finds any of the words, where a word of the text begins; a short one alone is the whole word. */
export const beginning = (terms: readonly string[]): RegExp => {
  const any = terms.map((term) => {
    const escaped = term.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
    return term.length < 3 ? String.raw`${escaped}(?![\p{L}\p{N}])` : escaped;
  });
  return new RegExp(String.raw`(?<![\p{L}\p{N}])(${any.join('|')})`, 'giu');
};

/** The parts that have every word of the query, those with it in their headings first. */
export function find(entries: readonly Entry[], query: string): Found[] {
  const terms = termsOf(query);
  if (terms.length === 0) return [];
  const patterns = terms.map((term) => beginning([term]));
  const whole = terms.join(' ');
  const score = ({ page, heading, text }: Entry): number => {
    const scores = patterns.map((pattern) =>
      [heading, page, text].reduce(
        (sum, each, index) => sum + (each.search(pattern) >= 0 ? (weights[index] ?? 0) : 0),
        0,
      ),
    );
    if (Math.min(...scores) === 0) return 0;
    const bonus = heading.toLowerCase().startsWith(whole) ? wholeWeight : 0;
    return scores.reduce((sum, each) => sum + each, bonus);
  };
  return entries
    .map((entry) => ({ entry, points: score(entry) }))
    .filter(({ points }) => points > 0)
    .toSorted((left, right) => right.points - left.points)
    .slice(0, maxFound)
    .map(({ entry }) => ({ ...entry, excerpt: excerptOf(entry.text, terms) }));
}

/** Of the heading, the page's title and the text. */
const weights = [8, 3, 1];
/** Of a heading that begins with the query. */
const wholeWeight = 50;

function excerptOf(text: string, terms: readonly string[]): string {
  const place = text.search(beginning(terms));
  const from = Math.max(0, place - excerptLength / 4);
  const start = from === 0 ? 0 : text.lastIndexOf(' ', from) + 1;
  const cut = text.slice(start, start + excerptLength);
  return `${start > 0 ? '… ' : ''}${cut}${start + excerptLength < text.length ? ' …' : ''}`;
}
