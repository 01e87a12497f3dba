import type { TextFile } from './tree.ts';

/** A rule of docs/rules.md. */
export type Rule = { readonly chapter: number; readonly number: number; readonly name: string };

/** Each rule is an item of a list. */
export const rulesIn = (text: string): Rule[] =>
  [...text.matchAll(/^- \*\*(R(\d+)\.(\d+))\*\* /gm)].map(([, name = '', chapter, number]) => ({
    chapter: Number(chapter),
    number: Number(number),
    name,
  }));

/** The rules that titles of tests name, as `(R8.3)`, `(R8.3, R9.1)` or `R8.3: …`. */
export const rulesTested = (files: readonly TextFile[]): Set<string> =>
  new Set(
    files
      .filter(({ path }) => path.endsWith('.test.ts'))
      .flatMap(({ text }) => text.match(/(['"`])(?:(?!\1).)*R\d+\.\d+.*?\1/g) ?? [])
      .flatMap((title) => title.match(/R\d+\.\d+/g) ?? []),
  );
