import {
  createAssets,
  html,
  icon,
  htmlPage,
  raw,
  scripts,
  styles,
  type Html,
  type Preferences,
  type Translations,
} from '#shared/platform/pages/index.ts';
import type { Heading } from './markdown/blocks.ts';
import { escapeHtml } from './markdown/escape.ts';
import { maxQueryLength } from './search/find.ts';
import type { PageBody } from './page-body.ts';
import { docPath, sectionNames, docsSections, type DocsSection } from './sections.ts';

const own = (name: string) => new URL(`${name}.client.js`, import.meta.url);

export const docsAssets = createAssets(
  {
    'docs.css': [
      styles.tokens,
      styles.base,
      styles.layout,
      styles.button,
      styles.badge,
      styles.card,
      styles.notice,
      styles.table,
      styles.code,
      styles.form,
      new URL('docs.css', import.meta.url),
    ],
    'docs.js': [scripts.theme, scripts.copy, own('docs')],
    // For the reference alone.
    'try.js': [own('try')],
    'icon.svg': [icon],
  },
  { prefix: '/docs/assets' },
);

const texts: Translations<
  Record<'brand' | 'docs' | 'here' | 'next' | 'previous' | 'pages' | 'search', string>
> = {
  ru: {
    brand: 'API для мерчантов',
    docs: 'Документация',
    here: 'На этой странице',
    next: 'Дальше',
    previous: 'Назад',
    pages: 'Соседние страницы',
    search: 'Поиск по документации',
  },
  en: {
    brand: 'Merchant API',
    docs: 'Documentation',
    here: 'On this page',
    next: 'Next',
    previous: 'Previous',
    pages: 'Neighbouring pages',
    search: 'Search the documentation',
  },
};

type ShellOptions = {
  /** The current page, or the one that it belongs to; none for the search. */
  section?: DocsSection;
  /** What the forms of the page begin with. */
  demoKey?: string | undefined;
};

/** A page of the documentation with its navigation. */
export function docsPage(
  body: PageBody,
  preferences: Preferences,
  { section, demoKey }: ShellOptions,
): Html {
  const { language } = preferences;
  const words = texts[language];
  const ownLanguage =
    body.contentLanguage === undefined ? '' : html` lang="${body.contentLanguage}"`;
  const alone = body.plain || body.kicker !== undefined;
  const kind = section === '' ? 'plain-page home' : alone ? 'plain-page' : 'with-contents written';
  const key = demoKey === undefined ? '' : html` data-demo-key="${demoKey}"`;
  const links = kind.startsWith('with') ? tableOfContents(body.headings) : undefined;
  return htmlPage({
    preferences,
    title: `${body.title} · ${words.brand}`,
    styles: [docsAssets.url('docs.css')],
    scripts: [
      docsAssets.url('docs.js'),
      ...(section === 'reference' ? [docsAssets.url('try.js')] : []),
    ],
    icon: docsAssets.url('icon.svg'),
    width: 'docs',
    top: navigation(preferences, { section, isIndex: !body.kicker }),
    body: html`<div class="${kind}">
      ${
        links &&
        html`<nav class="contents" aria-label="${words.here}">
            <p class="contents-title">${words.here}</p>
            ${links}
          </nav>
          <details class="contents-small">
            <summary>${words.here}</summary>
            <nav aria-label="${words.here}">${links}</nav>
          </details>`
      }
      <article>
        ${body.kicker && html`<p class="kicker"><a href="/docs/errors">${body.kicker}</a></p>`}
        <h1 class="${body.kicker && 'code-title'}">${body.title}</h1>
        <div class="prose" ${ownLanguage} ${key}>${raw(body.html)}</div>
        ${alone || section === undefined ? '' : neighbours(preferences, section)}
      </article>
    </div>`,
  });
}

function navigation(
  { language }: Preferences,
  { section, isIndex }: { section: DocsSection | undefined; isIndex: boolean },
): Html {
  const links = sectionNames
    .filter((name) => name !== '')
    .map((name) => {
      const current = name !== section ? '' : html` aria-current="${isIndex ? 'page' : 'true'}"`;
      return html`<li>
        <a href="${docPath(name)}" ${current}>${docsSections[name][language]}</a>
      </li>`;
    });
  const { brand, docs, search } = texts[language];
  return html`<a class="brand" href="/docs"
      ><img src="${docsAssets.url('icon.svg')}" alt="" width="28" height="28" />${brand}</a
    >
    <nav class="sections" aria-label="${docs}">
      <ul>
        ${links}
      </ul>
    </nav>
    ${
      section !== undefined &&
      html`<form class="search" action="/docs/search" role="search">
        <input
          type="search"
          name="q"
          maxlength="${maxQueryLength}"
          aria-label="${search}"
          placeholder="${search}"
        />
      </form>`
    }`;
}

/** Links of two levels; ids come from the page's text, so each is escaped here. */
function tableOfContents(headings: readonly Heading[]): Html {
  const items = headings.map(
    ({ level, id, text }) =>
      `<li class="level-${level}"><a href="#${escapeHtml(id)}">${escapeHtml(text)}</a></li>`,
  );
  return raw(`<ul>${items.join('')}</ul>`);
}

function neighbours({ language }: Preferences, section: DocsSection): Html {
  const words = texts[language];
  const index = sectionNames.indexOf(section);
  const link = (name: DocsSection | undefined, label: string, kind: string) =>
    name === undefined
      ? ''
      : html`<a class="${kind}" href="${docPath(name)}"
          ><small>${label}</small><span>${docsSections[name][language]}</span></a
        >`;
  return html`<nav class="neighbours" aria-label="${words.pages}">
    ${link(sectionNames[index - 1], words.previous, 'previous')}
    ${link(sectionNames[index + 1], words.next, 'next')}
  </nav>`;
}
