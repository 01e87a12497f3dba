import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

type Rule = { keep: boolean; pattern: RegExp };

/**
 * A .dockerignore pattern: `*` stays within a name, `**` does not, and what is below a match
 * matches too.
 */
function toPattern(glob: string): RegExp {
  const source = glob
    .replace(/^\/+|\/+$/g, '')
    .split('/')
    .map((part) =>
      part === '**'
        ? '**'
        : part
            .replace(/[.+^${}()|[\]\\]/g, '\\$&')
            .replaceAll('*', '[^/]*')
            .replaceAll('?', '[^/]'),
    )
    .join('/')
    .replaceAll('**/', '(?:.*/)?')
    .replaceAll('**', '.*');
  return new RegExp(`^${source}(?:/.*)?$`);
}

/** The rules of a .dockerignore file, in order. */
function readIgnoreRules(file: string): Rule[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) =>
      line.startsWith('!')
        ? { keep: true, pattern: toPattern(line.slice(1)) }
        : { keep: false, pattern: toPattern(line) },
    );
}

/**
 * Whether a path of the build context is sent to the engine: the last rule that matches decides.
 */
function isSent(path: string, rules: readonly Rule[]): boolean {
  return rules.findLast(({ pattern }) => pattern.test(path))?.keep ?? true;
}

/** Large folders outside of the context. */
const neverLookedAt = new Set(['node_modules', '.git', '.cache', '.data']);

/** The files of a build context, by their paths below `root`. */
export function contextFiles(root: string): string[] {
  const rules = readIgnoreRules(join(root, '.dockerignore'));
  const files: string[] = [];
  const visit = (folder: string) => {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory()) {
        if (!neverLookedAt.has(entry.name)) visit(path);
      } else if (isSent(path, rules)) files.push(path);
    }
  };
  visit('');
  return files;
}
