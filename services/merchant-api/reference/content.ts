import { Hono } from 'hono';
import { documentText } from '../openapi/file.ts';
import { clientArchive } from './client-archive.ts';
import { assets, docsPage } from './shell.ts';
import { createSite } from './site.ts';

/** All that the documentation serves. */
export function createContent(gateway: string) {
  const files = new Hono();
  assets.register(files);
  return {
    document: documentText(gateway),
    archive: clientArchive(),
    site: createSite({ gateway }),
    assets: files,
    docsPage,
  };
}
