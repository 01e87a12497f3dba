import type { Context, MiddlewareHandler } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import { parse } from 'hono/utils/cookie';
import { acceptedLanguage, isLanguage, type Language } from './language.ts';

const themes = ['light', 'dark'] as const;
type Theme = (typeof themes)[number];

/** The reader's language and theme, and the page's path. */
export type Preferences = {
  language: Language;
  /** Undefined: as the reader's system has it. */
  theme: Theme | undefined;
  /**
   * Path and query of the request, with exactly one leading slash, to which the switches return.
   */
  path: string;
};

/** The language of a request that never reaches the app: its cookie, else the browser's. */
export function languageIn(headers: {
  cookie?: string | undefined;
  'accept-language'?: string | undefined;
}): Language {
  const { lang } = parse(headers.cookie ?? '', 'lang');
  return isLanguage(lang) ? lang : acceptedLanguage(headers['accept-language']);
}

const maxAgeS = 365 * 24 * 3600;
const isTheme = (value: string | undefined): value is Theme => themes.includes(value as Theme);

/** The preferences in the address (`?lang=`, `?theme=`), else in cookies, else of the browser. */
export function readPreferences(c: Context): Preferences {
  const { pathname, search } = new URL(c.req.url);
  const [queryLanguage, queryTheme] = [c.req.query('lang'), c.req.query('theme')];
  const [cookieLanguage, cookieTheme] = [getCookie(c, 'lang'), getCookie(c, 'theme')];
  const theme = isTheme(queryTheme) ? queryTheme : cookieTheme;
  return {
    language: isLanguage(queryLanguage)
      ? queryLanguage
      : isLanguage(cookieLanguage)
        ? cookieLanguage
        : acceptedLanguage(c.req.header('accept-language')),
    theme: isTheme(theme) ? theme : undefined,
    // Two leading slashes would be the address of another host.
    path: `${pathname.replace(/^\/{2,}/, '/')}${search}`,
  };
}

/**
 * Stores the choice of a switch in cookies for every page of the host. Scripts write them too, so
 * they are not HttpOnly.
 */
export function keepPreferences(): MiddlewareHandler {
  return async (c, next) => {
    const [language, theme] = [c.req.query('lang'), c.req.query('theme')];
    const options = { path: '/', maxAge: maxAgeS, sameSite: 'Lax' } as const;
    if (isLanguage(language)) setCookie(c, 'lang', language, options);
    if (isTheme(theme)) setCookie(c, 'theme', theme, options);
    await next();
  };
}

/** The same page with one preference changed. */
export function switchTo(path: string, name: 'lang' | 'theme', value: string): string {
  const url = new URL(path, 'http://page');
  url.searchParams.set(name, value);
  return `${url.pathname}${url.search}`;
}
