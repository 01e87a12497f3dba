import type { Context } from 'hono';
import { translator, type Words } from '#shared/application/pages/translations.ts';
import {
  renderProblem,
  type Problem,
  type ProblemDetails,
  type RenderProblem,
} from '#shared/platform/http/problems.ts';
import {
  html,
  languageIn,
  htmlPage,
  pageHeaders,
  pictogram,
  renderToText,
  type Html,
} from '#shared/platform/pages/index.ts';
import { hiddenField } from './components.ts';
import { noticeView } from './notice-view.ts';
import { problemContent, type PageStatus, type ProblemTexts } from './problem-page.ts';
import { siteView, type Site, type SiteSession, type SiteView } from './site.ts';
import type { SiteFiles } from './site-files.ts';
import { isWatching } from './polled-section.ts';

/** The frame around every page of the console and of the portal. */

/** Pages above one. */
export type Trail = readonly { href: string; text: string }[];

const texts = {
  navigation: { ru: 'Разделы', en: 'Sections' },
  trail: { ru: 'Где вы', en: 'You are here' },
  signOut: { ru: 'Выйти', en: 'Sign out' },
} as const satisfies Record<string, Words>;

type SectionName = { path: string; name: Words; key?: string };

/** How one of the two sites looks. */
type Layout<View extends SiteView> = {
  files: SiteFiles;
  toView(view: SiteView<NonNullable<View['session']>>): View;
  /** At the top of every page. */
  brand(view: View): string;
  /** The site's title, shown after the page's own. */
  title(view: View): string;
  /** In the order of the navigation. */
  sections(view: View): readonly SectionName[];
  user(session: NonNullable<View['session']>): { name: string; role: Words };
  /** Between the brand and the sections. */
  search?(view: View): Html;
  /** Between the sections and the user. */
  keys?(view: View): Html;
  below?(view: View): Html | string;
  problems: { texts: ProblemTexts; links(view: View): Html; details?: boolean };
};

export type PageContent = {
  title: string;
  /** The path of the one that is marked in the navigation. */
  section?: string;
  /** Pages above this one. */
  trail?: Trail;
  body: Html;
  status?: PageStatus;
  headers?: Readonly<Record<string, string>>;
};

/** What answers with a page of the site. */
export function createPages<C extends Context, View extends SiteView, Parts extends Site>(
  layout: Layout<View> & { above?(c: C, site: Parts, view: View): Html | string },
) {
  const createView = (c: C) => layout.toView(siteView(c));
  const show = async (c: C, site: Parts, content: PageContent): Promise<Response> => {
    const view = createView(c);
    // If it can't be read now, it stays for a later page.
    const notified =
      view.session &&
      !isWatching(c) &&
      (await site.sessions.takeNotice(view.session).catch(() => undefined));
    const { status = 200, headers } = content;
    const top = html`${layout.above?.(c, site, view) ?? ''}${notified && noticeView(view, notified)}`;
    return c.html(renderLayout(layout, view, content, top), status, headers);
  };
  const toProblemContent = (view: View, problem: ProblemDetails, requestId: string) => {
    const { texts: explained, links, details = false } = layout.problems;
    return problemContent(view, problem, {
      texts: explained,
      requestId,
      links: links(view),
      details,
    });
  };
  /** What went wrong, as a page. */
  const showProblem = (c: C, site: Parts, problem: Problem): Promise<Response> =>
    show(c, site, toProblemContent(createView(c), problem, c.get('requestId') as string));
  /** Renders a problem for a request that never reaches the app. */
  const renderPage: RenderProblem = (problem, request) => {
    const { path, requestId } = request;
    const { status, headers } = renderProblem(problem, request);
    const language = languageIn(request.headers ?? {});
    const preferences = { language, theme: undefined, path };
    const t = translator(language);
    const view = layout.toView({ language, preferences, t, zone: 'UTC', session: undefined });
    return {
      status,
      headers: {
        ...headers,
        ...pageHeaders({ referrer: 'same-origin' }),
        'content-type': 'text/html; charset=utf-8',
      },
      body: renderToText(renderLayout(layout, view, toProblemContent(view, problem, requestId))),
    };
  };
  return { show, showProblem, renderPage };
}

function renderLayout<View extends SiteView>(
  layout: Layout<View>,
  view: View,
  { title, section, trail, body }: PageContent,
  above: Html | string = '',
): Html {
  const { name, assets } = layout.files;
  return htmlPage({
    preferences: view.preferences,
    title: `${title} · ${layout.title(view)}`,
    styles: [assets.url(`${name}.css`)],
    scripts: [assets.url(`${name}.js`)],
    icon: assets.url('icon.svg'),
    width: 'wide console',
    top: renderTop(layout, view, section),
    body: html`${trailTo(view, title, trail)}${above}${body}${layout.below?.(view) ?? ''}`,
  });
}

function renderTop<View extends SiteView>(
  layout: Layout<View>,
  view: View,
  current: string | undefined,
): Html {
  const brand = html`<a class="brand" href="/"
    >${pictogram('circleCheck', 22)}<span>${layout.brand(view)}</span></a
  >`;
  const { session } = view;
  if (!session) return brand;
  return html`${brand}${layout.search?.(view) ?? ''}
  ${sectionLinks(view, layout.sections(view), current)}
  ${layout.keys?.(view) ?? ''}${signedIn(view, layout.user(session), session)}`;
}

/** For every form of a session. */
export const formToken = ({ session }: SiteView): Html =>
  hiddenField('form_token', session?.formToken ?? '');

/** The links to all sections, the current one marked; where they have a key, with it. */
function sectionLinks(
  { t }: SiteView,
  sections: readonly SectionName[],
  current: string | undefined,
): Html {
  return html`<nav class="sections" aria-label="${t(texts.navigation)}">
    <ul>
      ${sections.map(
        ({ path, name, key }) =>
          html`<li>
            <a
              href="${path}"
              ${key !== undefined && html` data-go="${key}"`}
              ${path === current && html` aria-current="page"`}
              >${t(name)}</a
            >
          </li>`,
      )}
    </ul>
  </nav>`;
}

/** Who is signed in, and the way out. */
function signedIn(
  { t }: SiteView,
  user: { name: string; role: Words },
  { formToken: token }: SiteSession,
): Html {
  return html`<form class="who" method="post" action="/sign-out">
    ${hiddenField('form_token', token)}
    <span class="who-name"
      ><strong>${user.name}</strong> <span class="muted">${t(user.role)}</span></span
    >
    <button class="button quiet small" type="submit">${t(texts.signOut)}</button>
  </form>`;
}

function trailTo({ t }: SiteView, title: string, above: Trail = []): Html | string {
  if (above.length === 0) return '';
  return html`<nav class="trail" aria-label="${t(texts.trail)}">
    <ol>
      ${above.map(({ href, text }) => html`<li><a href="${href}">${text}</a></li>`)}
      <li aria-current="page">${title}</li>
    </ol>
  </nav>`;
}
