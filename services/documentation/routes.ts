import type { Env, Hono, MiddlewareHandler } from 'hono';
import { clientAddress, subscriberPrefix } from '#shared/platform/http/client-address.ts';
import { pathOfCode, Problem } from '#shared/platform/http/problems.ts';
import { isBrowser, redirectBrowsers } from '#shared/platform/http/redirect-browsers.ts';
import {
  createTokenBuckets,
  type RateLimit,
  type Taken,
} from '#shared/platform/http/token-buckets.ts';
import { keepPreferences, readPreferences, securePages } from '#shared/platform/pages/index.ts';
import type { StackUrls } from './stack-urls.ts';
import { docPath, sectionNames } from './sections.ts';

const htmlType = { 'content-type': 'text/html; charset=UTF-8' };

/** Per address: no person types that fast. */
const searchLimit: RateLimit = { per_second: 2, burst: 30 };

/**
 * The documentation: for programs, for people, and the pages of a problem's `type`. None of it
 * needs a key.
 */
export function registerDocumentation<E extends Env>(
  app: Hono<E>,
  { stackUrls, trustedProxies }: { stackUrls: StackUrls; trustedProxies: number },
): void {
  const searches = createTokenBuckets();
  // Loaded on the first request, so that no start waits for it.
  let loaded: Promise<SiteContent> | undefined;
  const content = () => (loaded ??= load(stackUrls));

  redirectBrowsers(app, () => '/docs');
  app.get('/openapi.json', async (c) => (await content()).document(c.req.header('if-none-match')));
  app.get('/docs/client.tgz', async (c) =>
    (await content()).archive(c.req.header('if-none-match')),
  );
  app.get('/docs/sample-receipt.pdf', async (c) =>
    (await content()).sampleReceipt(c.req.header('if-none-match')),
  );
  for (const path of ['/docs', '/docs/*'])
    app.use(path, securePages(), keepPreferences(), showNotFound(content));
  app.get('/docs/assets/:file', async (c) => {
    const asset = await (await content()).assets.request(c.req.path);
    if (asset.status === 404) throw new Problem('route_not_found');
    return asset;
  });
  // Separate routes: mixed with a parameter they would keep the API from using Hono's fastest
  // router.
  for (const name of sectionNames)
    app.get(docPath(name), async (c) => {
      const { site, rendered } = await content();
      const preferences = readPreferences(c);
      const demoKey = name === 'reference' ? stackUrls.demoKey(c.req.header('host')) : undefined;
      const body = site.section(name, preferences.language);
      const page = { path: docPath(name), section: name, body, demoKey };
      return c.body(await rendered(page, preferences), 200, htmlType);
    });
  app.get('/docs/search', async (c) => {
    const quota = searches.take(
      subscriberPrefix(clientAddress(c, { trustedProxies })),
      searchLimit,
    );
    if (!quota.allowed) throw tooManySearches(quota);
    const { site, docsPage } = await content();
    const preferences = readPreferences(c);
    const body = await site.search(c.req.query('q') ?? '', preferences.language);
    return c.html(docsPage(body, preferences, {}));
  });
  app.get('/docs/errors/:code', async (c) => {
    const { site, rendered } = await content();
    const preferences = readPreferences(c);
    const code = c.req.param('code');
    const body = site.code(code, preferences.language);
    if (body === undefined) throw new Problem('route_not_found');
    const page = { path: pathOfCode(code), section: 'errors', body } as const;
    return c.body(await rendered(page, preferences), 200, htmlType);
  });
  app.get('/docs/decline-reasons/:reason', async (c) => {
    const { site, rendered } = await content();
    const preferences = readPreferences(c);
    const reason = c.req.param('reason');
    const body = site.declineReason(reason, preferences.language);
    if (body === undefined) throw new Problem('route_not_found');
    const page = { path: `/docs/decline-reasons/${reason}`, section: 'statuses', body } as const;
    return c.body(await rendered(page, preferences), 200, htmlType);
  });
}

/** Renders a page for a browser if the address is unknown. */
function showNotFound(content: () => Promise<SiteContent>): MiddlewareHandler {
  return async (c, next) => {
    await next();
    if (c.res.status !== 404 || !isBrowser(c.req.header('accept'))) return;
    const { docsPage, notFoundPage } = await content();
    const preferences = readPreferences(c);
    const page = docsPage(notFoundPage(preferences.language), preferences, {});
    const headers = { ...htmlType, vary: 'Accept' };
    c.res = new Response(String(await page), { status: 404, headers });
  };
}

const tooManySearches = ({ nextInMs }: Taken) =>
  new Problem('rate_limited', {
    detail: `one address may search ${searchLimit.per_second} times a second, with bursts of ${searchLimit.burst}`,
    retryAfterMs: nextInMs,
  });

type SiteContent = Awaited<ReturnType<typeof load>>;

async function load(stackUrls: StackUrls) {
  const { createContent } = await import('./content.ts');
  return createContent(stackUrls);
}
