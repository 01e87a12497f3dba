import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const textNames = /\.(?:ts|js|mjs|md|sql|css|sh|ya?ml|py|go|php)$/;

/** A file with text; `path` is from the root of the repository, with slashes. */
export type TextFile = { readonly path: string; readonly text: string };

/** Every file but what is installed, generated at run time, or hidden. */
export function listFiles(folder = ''): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    if (entry.name === 'node_modules' || entry.name.startsWith('.')) return [];
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    return entry.isDirectory() ? listFiles(path) : [path];
  });
}

export const readTexts = (paths: readonly string[]): TextFile[] =>
  paths
    .filter((path) => textNames.test(path))
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));
