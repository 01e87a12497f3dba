import MiniSearch, { type SearchOptions } from 'minisearch';
import { withSynonyms } from './synonyms.ts';

/** A part of a page, from one heading to the next. */
type Entry = { path: string; page: string; heading: string; text: string };
export type SearchResult = Entry & { excerpt: string };

export const maxQueryLength = 100;
const maxTerms = 8;
const minTermLength = 2;
const maxResults = 30;
const maxSuggested = 5;
const excerptLength = 160;

/** The sections of a page: the text before its first heading, and one for each heading. */
export function toSearchEntries(page: { path: string; title: string; html: string }): Entry[] {
  const { path, title, html } = page;
  const [before = '', ...sectionsHtml] = html.split(/<h[23][^>]* id="/);
  return [
    { path, page: title, heading: title, text: stripTags(before) },
    ...sectionsHtml.map((part) => {
      const [, id = '', heading = '', tail = ''] =
        /^([^"]+)"[^>]*>(.*?)<\/h[23]>(.*)$/s.exec(part) ?? [];
      return {
        path: `${path}#${id}`,
        page: title,
        heading: stripTags(heading),
        text: stripTags(tail),
      };
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

function stripTags(html: string): string {
  return html
    .replace(/<(svg|form|button)\b.*?<\/\1>/gs, ' ')
    .replace(/<[^>]+>/g, ' ')
    .replace(/&(lt|gt|quot|#39|amp);/g, (_, name: string) => named[name] ?? '')
    .replace(/\s+/g, ' ')
    .trim();
}

const signs = /[\p{L}\p{N}_.+-]+/gu;

/** The words of a text, in lower case and in order. */
const splitWords = (text: string): string[] => text.toLowerCase().match(signs) ?? [];

/** The same, and the ends of those with signs: `client_id` is found by `id` too. */
const splitWordEnds = (text: string): string[] =>
  splitWords(text).flatMap((word) =>
    [...word.matchAll(/(?<![\p{L}\p{N}])[\p{L}\p{N}]/gu)].map(({ index }) => word.slice(index)),
  );

/** The search terms: at most N words of a query, each once; a single letter is ignored. */
export const parseSearchTerms = (query: string): string[] =>
  [...new Set(splitWords(query.slice(0, maxQueryLength)))]
    .filter((term) => term.length >= minTermLength)
    .slice(0, maxTerms);

/** Matches any of the words as a prefix; a short one only as a whole word. */
export const prefixPattern = (terms: readonly string[]): RegExp => {
  const any = terms.map((term) => {
    const escaped = term.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
    return term.length < 3 ? String.raw`${escaped}(?![\p{L}\p{N}])` : escaped;
  });
  return new RegExp(String.raw`(?<![\p{L}\p{N}])(${any.join('|')})`, 'giu');
};

type Search = {
  add(entry: Entry): void;
  /** The parts that have every word of the query, the most relevant first. */
  find(query: string): SearchResult[];
  /** The best matches for a query without results: some of its words, or similar words. */
  suggest(query: string): SearchResult[];
};

/** A short word is only itself, not the beginning of others. */
const isLong = (term: string) => term.length > minTermLength;

export function createSearch(): Search {
  const index = new MiniSearch<Entry & { id: number }>({
    fields: ['heading', 'page', 'text'],
    storeFields: ['path', 'page', 'heading', 'text'],
    tokenize: (text) => splitWordEnds(text),
    processTerm: withSynonyms,
    searchOptions: {
      tokenize: parseSearchTerms,
      processTerm: (term) => term,
      boost: { heading: 8, page: 3 },
      prefix: isLong,
    },
  });
  const search = (query: string, options: SearchOptions, max: number): SearchResult[] =>
    index
      .search(query, options)
      .slice(0, max)
      .map(({ path, page, heading, text }) => {
        const entry: Entry = { path, page, heading, text };
        const at = entry.text.search(prefixPattern(parseSearchTerms(query)));
        return { ...entry, excerpt: cutExcerpt(entry.text, at === -1 ? Infinity : at) };
      });
  return {
    add: (entry) => index.add({ id: index.documentCount, ...entry }),
    find: (query) => search(query, { combineWith: 'AND' }, maxResults),
    suggest: (query) =>
      search(query, { combineWith: 'OR', fuzzy: (term) => isLong(term) && 0.25 }, maxSuggested),
  };
}

/** @param matchAt the position of the first matching word, Infinity if there is no match */
function cutExcerpt(text: string, matchAt: number): string {
  const from = Number.isFinite(matchAt) ? Math.max(0, matchAt - excerptLength / 4) : 0;
  const start = from === 0 ? 0 : text.lastIndexOf(' ', from) + 1;
  const cut = text.slice(start, start + excerptLength);
  return `${start > 0 ? '… ' : ''}${cut}${start + excerptLength < text.length ? ' …' : ''}`;
}
