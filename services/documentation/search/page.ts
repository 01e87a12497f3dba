import type { Language, Translations } from '#shared/platform/pages/language.ts';
import { escapeHtml } from '../markdown/escape.ts';
import type { PageBody } from '../page-body.ts';
import { docPath, sectionNames, docsSections } from '../sections.ts';
import { prefixPattern, maxQueryLength, parseSearchTerms, type SearchResult } from './find.ts';

const texts = {
  ru: {
    title: 'Поиск',
    search: 'Найти',
    what: 'Что искать',
    found: 'Найдено',
    nothing: 'Ничего не нашлось.',
    nearest: 'Возможно, подойдёт это:',
    tryThese: 'Посмотрите эти страницы:',
    notFound: 'Страница не найдена',
    mayHaveMoved: 'По этому адресу ничего нет. Поищите или откройте одну из этих страниц:',
  },
  en: {
    title: 'Search',
    search: 'Search',
    what: 'What to look for',
    found: 'Found',
    nothing: 'Nothing was found.',
    nearest: 'These may be near:',
    tryThese: 'These pages may help:',
    notFound: 'Page not found',
    mayHaveMoved: 'There is nothing at this address. Search, or open one of these pages:',
  },
} satisfies Translations<object>;

type SearchOutcome = {
  query: string;
  results: readonly SearchResult[];
  near: readonly SearchResult[];
};

/** Shows the results of a query; without results, similar ones. */
export function searchPage({ query, results, near }: SearchOutcome, language: Language): PageBody {
  const words = texts[language];
  const list = (entries: readonly SearchResult[]) =>
    `<ol class="found plain">${entries.map((entry) => itemHtml(entry, parseSearchTerms(query))).join('')}</ol>`;
  const nothing =
    near.length > 0
      ? `<p>${words.nearest}</p>${list(near)}`
      : `<p>${words.tryThese}</p>${allPages(language)}`;
  const result =
    query.trim() === ''
      ? ''
      : results.length === 0
        ? `<p role="status">${words.nothing}</p>${nothing}`
        : `<p class="muted" role="status">${words.found}: ${results.length}</p>${list(results)}`;
  return {
    title: words.title,
    plain: true,
    html: `${searchForm(query, language)}
${result}`,
    headings: [],
  };
}

/** For a browser at an unknown address of the documentation. */
export function notFoundPage(language: Language): PageBody {
  const words = texts[language];
  return {
    title: words.notFound,
    plain: true,
    html: `<p>${words.mayHaveMoved}</p>${searchForm('', language)}
${allPages(language)}`,
    headings: [],
  };
}

function searchForm(query: string, language: Language): string {
  const words = texts[language];
  return `<form class="search-again row" action="/docs/search" role="search"><input type="search" name="q" value="${escapeHtml(query.slice(0, maxQueryLength))}" maxlength="${maxQueryLength}" aria-label="${words.what}"><button class="button primary" type="submit">${words.search}</button></form>`;
}

const allPages = (language: Language): string =>
  `<ul>${sectionNames.map((name) => `<li><a href="${docPath(name)}">${docsSections[name][language]}</a></li>`).join('')}</ul>`;

function itemHtml(
  { path, page, heading, excerpt }: SearchResult,
  terms: readonly string[],
): string {
  const of = page === heading ? '' : ` <span class="muted">${escapeHtml(page)}</span>`;
  return `<li><a href="${path}">${marked(heading, terms)}</a>${of}<p>${marked(excerpt, terms)}</p></li>`;
}

/** The text with the words of the query marked. */
function marked(text: string, terms: readonly string[]): string {
  const pieces = terms.length === 0 ? [text] : text.split(prefixPattern(terms));
  return pieces
    .map((part, index) => (index % 2 === 1 ? `<mark>${escapeHtml(part)}</mark>` : escapeHtml(part)))
    .join('');
}
