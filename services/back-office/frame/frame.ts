import { html, type Html } from '#shared/platform/pages/index.ts';
import type { Translate, Words } from '#shared/application/pages/words.ts';

/** The frame around every page of the console and of the portal. */

/** The HTTP statuses of pages. */
export type PageStatus = 200 | 400 | 401 | 403 | 404 | 409 | 412 | 429 | 500 | 503;

/** Pages above one. */
export type Trail = readonly { href: string; text: string }[];

const texts = {
  navigation: { ru: 'Разделы', en: 'Sections' },
  trail: { ru: 'Где вы', en: 'You are here' },
  signOut: { ru: 'Выйти', en: 'Sign out' },
} as const satisfies Record<string, Words>;

type View = { t: Translate };

/** The links to all sections, the current one marked; where they have a key, with it. */
export function sectionLinks(
  { t }: View,
  sections: Readonly<Record<string, { path: string; name: Words; key?: string }>>,
  current: string | undefined,
): Html {
  return html`<nav class="sections" aria-label="${t(texts.navigation)}">
    <ul>
      ${Object.entries(sections).map(
        ([section, { path, name, key }]) =>
          html`<li>
            <a
              href="${path}"
              ${key === undefined ? '' : html` data-go="${key}"`}
              ${section === current ? html` aria-current="page"` : ''}
              >${t(name)}</a
            >
          </li>`,
      )}
    </ul>
  </nav>`;
}

/** Who is signed in, and the way out. */
export function signedIn(
  { t }: View,
  user: { name: string; role: Words; formToken: string },
): Html {
  return html`<form class="who" method="post" action="/sign-out">
    <input type="hidden" name="form_token" value="${user.formToken}" />
    <span class="who-name"
      ><strong>${user.name}</strong> <span class="muted">${t(user.role)}</span></span
    >
    <button class="button quiet small" type="submit">${t(texts.signOut)}</button>
  </form>`;
}

export function trailTo({ t }: View, title: string, above: Trail = []): Html | string {
  if (above.length === 0) return '';
  return html`<nav class="trail" aria-label="${t(texts.trail)}">
    <ol>
      ${above.map(({ href, text }) => html`<li><a href="${href}">${text}</a></li>`)}
      <li aria-current="page">${title}</li>
    </ol>
  </nav>`;
}
