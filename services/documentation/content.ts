import { Hono } from 'hono';
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { documentText } from '#shared/api/openapi/file.ts';
import type { StackUrls } from './stack-urls.ts';
import { createRendered } from './rendered.ts';
import { assets, docsPage } from './shell.ts';
import { notFoundPage } from './search/page.ts';
import { sampleReceipt } from './sample-receipt.ts';
import { createSite } from './site.ts';

const clientPackage = new URL('../../clients/client.tgz', import.meta.url);

/** All that the documentation serves. */
export function createContent(stackUrls: StackUrls) {
  const files = new Hono();
  assets.register(files);
  return {
    document: fileOf(new TextEncoder().encode(documentText(stackUrls.gateway)), 'application/json'),
    archive: fileOf(readFileSync(clientPackage), 'application/gzip'),
    sampleReceipt: fileOf(sampleReceipt(), 'application/pdf'),
    rendered: createRendered(docsPage),
    site: createSite(stackUrls),
    assets: files,
    docsPage,
    notFoundPage,
  };
}

/** Content with an ETag, so that programs which fetch it repeatedly need not download it again. */
function fileOf(bytes: Uint8Array<ArrayBuffer>, type: string) {
  const etag = `"${hash('sha256', bytes, 'base64url')}"`;
  const headers = { etag, 'cache-control': 'no-cache', 'x-content-type-options': 'nosniff' };
  return (ifNoneMatch: string | undefined): Response =>
    ifNoneMatch?.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag)
      ? new Response(null, { status: 304, headers })
      : new Response(bytes, { headers: { ...headers, 'content-type': type } });
}
