import { posix } from 'node:path';
import { listFiles, readTexts, type TextFile } from './tree.ts';

/** `target` is the linked path from the root; `anchor` is the part after `#`. */
type Link = { readonly from: string; readonly target: string; readonly anchor: string | undefined };

/** Links and pictures that lead to another file, or to another part of the same one. */
export function findLinks({ path, text }: TextFile): Link[] {
  return [...withoutCode(text).matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, link = '']) => {
    if (/^(?:[a-z]+:|\/)/.test(link)) return [];
    const [file = '', anchor] = link.split('#');
    const target = file === '' ? path : posix.normalize(posix.join(posix.dirname(path), file));
    return [{ from: path, target, anchor }];
  });
}

/** What `#` in a link may name: headings as GitHub makes them into anchors. */
export function findAnchors({ text }: TextFile): Set<string> {
  const headings = withoutCode(text).matchAll(/^#+ (.+)$/gm);
  return new Set(
    [...headings].map(([, heading = '']) =>
      heading
        .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
        .trim()
        .replaceAll(' ', '-'),
    ),
  );
}

/**
 * Files of TypeScript in code marks, by their name or the end of their path; patterns such as
 * `*.test.ts` name none.
 */
export const programsNamed = ({ text }: TextFile): string[] =>
  [...withoutCode(text).matchAll(/`([^`\n]+)`/g)]
    .flatMap(([, code = '']) => code.split(/\s+/))
    .filter((word) => /^[\w./-]+\.ts$/.test(word) && !word.startsWith('.'));

/** Programs that a command gives to the machine's Node, which may be too old for TypeScript. */
export const programsForNode = ({ text }: TextFile): string[] =>
  [...text.matchAll(/(?<!npx )\bnode (?:-\S+ )*([\w./-]+\.ts)\b/g)].map(([, file = '']) => file);

/** The pictures in `docs/images/` that a document shows, by file name. */
export function picturesShown(
  documents = readTexts(listFiles().filter((path) => path.endsWith('.md'))),
): Set<string> {
  const folder = 'docs/images/';
  return new Set(
    documents
      .flatMap(findLinks)
      .filter(({ target }) => target.startsWith(folder))
      .map(({ target }) => target.slice(folder.length)),
  );
}

/** Fenced blocks hold examples: what looks like a link or a heading there is none. */
export const withoutCode = (text: string): string => text.replaceAll(/^ *```[\s\S]*?^ *```$/gm, '');
