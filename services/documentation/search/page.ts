import type { Language, Translated } from '#shared/platform/pages/language.ts';
import { escapeHtml } from '../markdown/escape.ts';
import type { PageBody } from '../page-body.ts';
import { beginning, maxQueryLength, termsOf, type Found } from './find.ts';

const texts = {
  ru: {
    title: 'Поиск',
    search: 'Найти',
    what: 'Что искать',
    found: 'Найдено',
    nothing: 'Ничего не нашлось.',
  },
  en: {
    title: 'Search',
    search: 'Search',
    what: 'What to look for',
    found: 'Found',
    nothing: 'Nothing was found.',
  },
} satisfies Translated<object>;

/** Shows what the pages say of a query. */
export function searchPage(found: readonly Found[], query: string, language: Language): PageBody {
  const words = texts[language];
  const terms = termsOf(query);
  const items = found.map(
    ({ path, page, heading, excerpt }) =>
      `<li><a href="${path}">${marked(heading, terms)}</a>${page === heading ? '' : ` <span class="muted">${escapeHtml(page)}</span>`}<p>${marked(excerpt, terms)}</p></li>`,
  );
  const result =
    query.trim() === ''
      ? ''
      : found.length === 0
        ? `<p role="status">${words.nothing}</p>`
        : `<p class="muted" role="status">${words.found}: ${found.length}</p><ol class="found plain">${items.join('')}</ol>`;
  return {
    title: words.title,
    plain: true,
    html: `<form class="search-again row" action="/docs/search" role="search"><input type="search" name="q" value="${escapeHtml(query.slice(0, maxQueryLength))}" maxlength="${maxQueryLength}" aria-label="${words.what}"><button class="button primary" type="submit">${words.search}</button></form>
${result}`,
    headings: [],
  };
}

/** The text with the words of the query marked. */
function marked(text: string, terms: readonly string[]): string {
  const parts = terms.length === 0 ? [text] : text.split(beginning(terms));
  return parts
    .map((part, index) => (index % 2 === 1 ? `<mark>${escapeHtml(part)}</mark>` : escapeHtml(part)))
    .join('');
}
