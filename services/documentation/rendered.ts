import type { Preferences } from '#shared/platform/pages/index.ts';
import type { PageBody } from './page-body.ts';
import type { docsPage } from './shell.ts';
import type { DocsSection } from './sections.ts';

type PageInput = {
  /** The page's path, to which the switches of language and theme lead, without a query. */
  path: string;
  section: DocsSection;
  body: PageBody;
  demoKey?: string | undefined;
};

/**
 * Renders each page once in each language and theme, and caches its bytes. Only the site's pages
 * are cached, not the queries of their addresses, so the cache is bounded.
 */
export function createRendered(render: typeof docsPage) {
  const pages = new Map<string, Promise<Uint8Array<ArrayBuffer>>>();
  return (
    { path, section, body, demoKey }: PageInput,
    { language, theme }: Preferences,
  ): Promise<Uint8Array<ArrayBuffer>> => {
    const name = [path, language, theme, demoKey].join(' ');
    const make = async () =>
      new TextEncoder().encode(
        String(await render(body, { language, theme, path }, { section, demoKey })),
      );
    const page = pages.get(name) ?? make();
    pages.set(name, page);
    return page;
  };
}
