import { escapeHtml } from './escape.ts';

type Language = { comment?: string; keywords?: readonly string[]; keys?: true };

const words = (text: string) => text.split(' ');
const typescript = {
  comment: String.raw`\/\/[^\n]*`,
  keywords: words(
    'import from export const let function return if else for of new await async throw try ' +
      'catch switch case default typeof type while break',
  ),
};
const languages: Readonly<Record<string, Language>> = {
  sh: {
    comment: String.raw`(?<=^|\s)#[^\n]*`,
    keywords: words('curl export tar node python3 npm cd mkdir'),
  },
  ts: typescript,
  json: { keywords: words('true false null'), keys: true },
  py: {
    comment: '#[^\\n]*',
    keywords: words(
      'import from def return if else elif for in not and or is as with while try except raise None True False class lambda print',
    ),
  },
  php: {
    comment: String.raw`\/\/[^\n]*|\/\*[\s\S]*?\*\/`,
    keywords: words('function return if foreach as null'),
  },
  go: {
    comment: String.raw`\/\/[^\n]*`,
    keywords: words('package import func return if for range nil string error var'),
  },
  http: {},
};

const text = String.raw`"""[\s\S]*?"""|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|${'`'}(?:[^${'`'}\\]|\\.)*${'`'}`;

/** Code as HTML, with comments, strings and keywords marked; everything is escaped. */
export function highlight(code: string, name: string): string {
  const language = languages[name];
  if (!language) return escapeHtml(code);
  const { comment, keywords = [], keys } = language;
  const alternatives = [
    ...(comment === undefined ? [] : [`(?<comment>${comment})`]),
    ...(keys ? [String.raw`(?<key>"(?:[^"\\\n]|\\.)*")(?=:)`] : []),
    `(?<string>${text})`,
    ...(keywords.length === 0
      ? []
      : [String.raw`(?<keyword>(?<![\w$.-])(?:${keywords.join('|')})(?![\w-]))`]),
  ];
  const pattern = new RegExp(alternatives.join('|'), 'gm');
  let html = '';
  let end = 0;
  for (const match of code.matchAll(pattern)) {
    const [kind] =
      Object.entries(match.groups ?? {}).find(([, captured]) => captured !== undefined) ?? [];
    html += escapeHtml(code.slice(end, match.index));
    html += `<span class="t-${kind}">${escapeHtml(match[0])}</span>`;
    end = match.index + match[0].length;
  }
  return html + escapeHtml(code.slice(end));
}
