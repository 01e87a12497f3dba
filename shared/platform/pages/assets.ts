import type { Env, Hono } from 'hono';
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { extname } from 'node:path';

/** The parts of an asset, concatenated: files (by URL) and text. */
type AssetParts = readonly (URL | string)[];

export type Assets<Name extends string> = {
  /** The asset's path, which changes with its content. */
  url(name: Name): string;
  /** Serves all of them. */
  register<E extends Env>(app: Hono<E>): void;
};

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

const hashLength = 12;

/**
 * Styles, scripts and pictures of pages, read once. Browsers cache them for good, because the path
 * has a hash of the content.
 * @throws when a file is missing or of a type that pages do not use
 */
export function createAssets<Name extends string>(
  files: Readonly<Record<Name, AssetParts>>,
  { prefix = '/assets' } = {},
): Assets<Name> {
  const urls = new Map<string, string>();
  const byFile = new Map<string, { body: string; headers: Record<string, string> }>();
  for (const [name, texts] of Object.entries<AssetParts>(files)) {
    const extension = extname(name);
    const type = types[extension];
    if (type === undefined) throw new Error(`${name}: pages have no such asset`);
    const body = texts
      .map((part) => (typeof part === 'string' ? part : readFileSync(part, 'utf8')))
      .join('\n');
    const digest = hash('sha256', body, 'hex').slice(0, hashLength);
    const file = `${name.slice(0, -extension.length)}.${digest}${extension}`;
    urls.set(name, `${prefix}/${file}`);
    byFile.set(file, {
      body,
      headers: {
        'content-type': type,
        'cache-control': 'public, max-age=31536000, immutable',
        // An SVG that is opened by itself is a page too.
        'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      },
    });
  }
  return {
    url: (name) => {
      const url = urls.get(name);
      if (url === undefined) throw new Error(`${name}: no such asset`);
      return url;
    },
    register: (app) => {
      app.get(`${prefix}/:file`, (c) => {
        const asset = byFile.get(c.req.param('file') ?? '');
        return asset ? c.body(asset.body, 200, asset.headers) : c.notFound();
      });
    },
  };
}
