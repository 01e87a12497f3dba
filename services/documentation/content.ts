import { Hono } from 'hono';
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { documentText } from '#shared/api/openapi/file.ts';
import type { StackUrls } from './stack-urls.ts';
import { createRendered } from './rendered.ts';
import { docsAssets, docsPage } from './shell.ts';
import { notFoundPage } from './search/page.ts';
import { sampleReceipt } from './sample-receipt.ts';
import { createDocsSite } from './site.ts';

const clientPackage = new URL('../../clients/client.tgz', import.meta.url);

/** All that the documentation serves. */
export function createContent(stackUrls: StackUrls) {
  const files = new Hono();
  docsAssets.register(files);
  return {
    document: createFileResponder(
      new TextEncoder().encode(documentText(stackUrls.gateway)),
      'application/json',
    ),
    archive: createFileResponder(readFileSync(clientPackage), 'application/gzip'),
    sampleReceipt: createFileResponder(sampleReceipt(), 'application/pdf'),
    rendered: createRendered(docsPage),
    site: createDocsSite(stackUrls),
    assets: files,
    docsPage,
    notFoundPage,
  };
}

/** Content with an ETag, so that programs which fetch it repeatedly need not download it again. */
function createFileResponder(bytes: Uint8Array<ArrayBuffer>, type: string) {
  const etag = `"${hash('sha256', bytes, 'base64url')}"`;
  const headers = { etag, 'cache-control': 'no-cache', 'x-content-type-options': 'nosniff' };
  return (ifNoneMatch: string | undefined): Response =>
    ifNoneMatch?.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag)
      ? new Response(null, { status: 304, headers })
      : new Response(bytes, { headers: { ...headers, 'content-type': type } });
}
