import { html, type Html } from './html.ts';
import { languageNames, languages, type Translations } from './language.ts';
import { pictogram } from './pictogram.ts';
import { switchTo, type Preferences } from './preferences.ts';

type PageOptions = {
  preferences: Preferences;
  title: string;
  /** Addresses of style sheets and of scripts, which are modules: what `Assets.url` gives. */
  styles: readonly string[];
  scripts?: readonly string[];
  /** The address of the picture in the browser's tab. */
  icon?: string;
  /** More for the head. */
  head?: Html;
  /** The content of the bar at the top, before the switches: a name, navigation. */
  top?: Html;
  /** The content of <main>, its <h1> included. */
  body: Html;
  /** The class of <main>: `narrow`, `wide`, or one of the page's own. */
  width?: string;
};

type Texts = { skip: string; language: string; toDark: string; toLight: string };
const texts: Translations<Texts> = {
  ru: { skip: 'К содержанию', language: 'Язык', toDark: 'Тёмная тема', toLight: 'Светлая тема' },
  en: {
    skip: 'Skip to content',
    language: 'Language',
    toDark: 'Dark theme',
    toLight: 'Light theme',
  },
};

/** A whole page, which works without scripts and in either theme. */
export function htmlPage(options: PageOptions): Html {
  const {
    preferences,
    title,
    styles,
    scripts = [],
    icon,
    head,
    top,
    body,
    width = 'wide',
  } = options;
  const { language, theme } = preferences;
  return html`<!doctype html>
    <html lang="${language}" ${theme && html` data-theme="${theme}"`}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <title>${title}</title>
        ${icon && html`<link rel="icon" href="${icon}" type="image/svg+xml" />`}
        ${styles.map((url) => html`<link rel="stylesheet" href="${url}" />`)}
        ${scripts.map((url) => html`<script type="module" src="${url}"></script>`)} ${head ?? ''}
      </head>
      <body>
        <a class="skip" href="#content">${texts[language].skip}</a>
        <div class="page">
          <header class="top">${top ?? ''} ${switches(preferences)}</header>
          <main id="content" class="${width}" tabindex="-1">${body}</main>
        </div>
        <p class="visually-hidden" role="status" data-announce></p>
      </body>
    </html> `;
}

/** Links, so that they work without script; `keepPreferences` stores the choice in a cookie. */
function switches({ language, path }: Preferences): Html {
  const { toDark, toLight, language: label } = texts[language];
  const others = languages.filter((other) => other !== language);
  return html`<div class="switches">
    ${others.map(
      (other) =>
        html`<a
          class="switch"
          href="${switchTo(path, 'lang', other)}"
          lang="${other}"
          hreflang="${other}"
          title="${label}"
          >${languageNames[other]}</a
        >`,
    )}
    <a
      class="switch to-dark"
      href="${switchTo(path, 'theme', 'dark')}"
      data-theme-to="dark"
      title="${toDark}"
      aria-label="${toDark}"
      >${pictogram('moon')}</a
    >
    <a
      class="switch to-light"
      href="${switchTo(path, 'theme', 'light')}"
      data-theme-to="light"
      title="${toLight}"
      aria-label="${toLight}"
      >${pictogram('sun')}</a
    >
  </div>`;
}
