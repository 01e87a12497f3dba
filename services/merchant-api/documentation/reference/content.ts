import { Hono } from 'hono';
import { documentText } from '../openapi/file.ts';
import type { Around } from './around.ts';
import { clientArchive } from './client-archive.ts';
import { assets, docsPage } from './shell.ts';
import { createSite } from './site.ts';

/** All that the documentation serves. */
export function createContent(around: Around) {
  const files = new Hono();
  assets.register(files);
  return {
    document: documentText(around.gateway),
    archive: clientArchive(),
    site: createSite(around),
    assets: files,
    docsPage,
  };
}
