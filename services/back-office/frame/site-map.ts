import type { Context, Env, Hono } from 'hono';
import type { Words } from '#shared/application/pages/translations.ts';
import { readZone } from '#shared/application/pages/zone.ts';
import { answerCsv, answerProgress } from '#shared/platform/csv/answer.ts';
import type { CsvQuery } from '#shared/platform/csv/columns.ts';
import type { Exports } from '#shared/platform/csv/exports.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import {
  restrictDisclosure,
  type AccessLog,
  type Disclosure,
  type ExportedList,
} from './access-log.ts';
import type { PageContent } from './pages.ts';
import { siteView } from './site.ts';

type Content = PageContent | Response;

type ExportedQuery = {
  query: CsvQuery;
  /** If the list is of one shop, and the reader is not. */
  shopId?: string | undefined;
};

/** A list of a page, by the filters in the address. */
export type ReadExport<C, S> = (c: C, site: S) => ExportedQuery | Promise<ExportedQuery>;

/** A page of the console or the portal: routes, navigation, roles and trails come from it. */
export type SitePage<C, S> = {
  path: string;
  /** The personal data that it may show, by the names of the access log. */
  discloses?: readonly Disclosure[];
  render(c: C, site: S): Promise<Content> | Content;
  /** What a form does that the page sends to its own path. */
  post?(c: C, site: S): Promise<Content>;
  /** Its list as a CSV file, at `/<list>.csv`. */
  csv?: ExportedList;
};

/** A page in the navigation, and the pages below it. */
export type SiteSection<Page> = Page & {
  name: Words;
  /** In trails, where the navigation has a shorter name. */
  title?: Words;
  /** `g` and this key lead there. */
  key?: string;
  below?: readonly Page[];
};

/** Every page of a table, with its section. */
export const listPages = <Page>(sections: readonly SiteSection<Page>[]) =>
  sections.flatMap((section) =>
    [section, ...(section.below ?? [])].map((page: Page) => ({ page, section })),
  );

/** Every action of a table, with its section. */
export const listActions = <Action, Page extends { actions?: readonly Action[] }>(
  sections: readonly SiteSection<Page & { actions?: readonly Action[] }>[],
) =>
  listPages(sections).flatMap(({ page, section }) =>
    (page.actions ?? []).map((action) => ({ action, section })),
  );

export const sectionLink = (
  { t }: { t(words: Words): string },
  { path, name, title = name }: { path: string; name: Words; title?: Words },
) => ({ href: path, text: t(title) });

type Rules<C, S, Page, Reader> = {
  sections: readonly SiteSection<Page>[];
  lists: Readonly<Partial<Record<ExportedList, ReadExport<C, S>>>>;
  show(c: C, site: S, content: PageContent): Promise<Response>;
  mayOpen(c: C, page: Page): boolean;
  mayExport(c: C, list: ExportedList): boolean;
  /** Whom the access log names. */
  reader(c: C): Reader;
  /** Whose exports are limited together. */
  holder(c: C): string;
};

/** Registers the pages of a table, with their files. */
export function registerPages<
  E extends Env,
  Reader,
  S extends { accessLog: AccessLog<Reader>; exports: Exports },
  Page extends SitePage<Context<E>, S>,
>(app: Hono<E>, site: S, rules: Rules<Context<E>, S, Page, Reader>): void {
  for (const { page, section } of listPages(rules.sections)) {
    const own = restrictDisclosure(site, page);
    const answer = (render: typeof page.render) => async (c: Context<E>) => {
      if (!rules.mayOpen(c, page)) throw new Problem('forbidden');
      const content = await render(c, own);
      if (content instanceof Response) return content;
      const above = page === section ? [] : [sectionLink(siteView(c), section)];
      const trail = [...above, ...(content.trail ?? [])];
      return rules.show(c, site, { ...content, section: section.path, trail });
    };
    app.get(page.path, answer(page.render));
    if (page.post) app.post(page.path, answer(page.post));
    if (page.csv) registerExport(app, own, page.csv, rules);
  }
  app.get('/exports/:follow', (c) => answerProgress(c, site.exports, rules.holder(c)));
}

function registerExport<
  E extends Env,
  Reader,
  S extends { accessLog: AccessLog<Reader>; exports: Exports },
>(
  app: Hono<E>,
  site: S,
  list: ExportedList,
  { lists, mayExport, reader, holder }: Omit<Rules<Context<E>, S, never, Reader>, 'sections'>,
): void {
  const read = lists[list];
  if (!read) throw new Error(`no list is called ${list}`);
  app.get(`/${list}.csv`, async (c) => {
    if (!mayExport(c, list)) throw new Problem('forbidden');
    const { query, shopId } = await read(c, site);
    return answerCsv(c, site.exports, {
      list,
      query,
      zone: readZone(c),
      forPeople: true,
      holder: holder(c),
      exported: () => site.accessLog.exported(reader(c), { list, shopId }),
    });
  });
}
