import type { TextFile } from './tree.ts';

const declared =
  /^export (?:async )?(?:const|let|function\*?|type|interface|(?:abstract )?class) ([\w$]+)/gm;

/** Exports whose name no other file has, as `path: name`. */
export function deadExports(files: readonly TextFile[]): string[] {
  const filesWith = new Map<string, number>();
  for (const { text } of files)
    for (const word of new Set(text.match(/[A-Za-z_$][\w$]*/g)))
      filesWith.set(word, (filesWith.get(word) ?? 0) + 1);
  return files.flatMap(({ path, text }) =>
    [...text.matchAll(declared)]
      .filter(([, name = '']) => filesWith.get(name) === 1)
      .map(([, name]) => `${path}: ${name}`),
  );
}

/**
 * Comments beyond 100 columns, as `path: line`. The formatter wraps code, not comments; the
 * linter's directives must be on one line.
 */
export function longComments({ path, text }: TextFile): string[] {
  return text
    .split('\n')
    .filter(
      (line) => line.length > 100 && /^\s*(?:\/?\*|\/\/ (?!oxlint-))/.test(line) && !/`/.test(line),
    )
    .map((line) => `${path}: ${line}`);
}
