import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { formatted } from '#infra/verify/harness/tests/formatted.ts';
import { apiModule, type OpenApiDocument } from './api-types.ts';

/** Where the types are checked in; `npm run openapi` writes them. */
export const apiFile = fileURLToPath(
  new URL('../../../clients/typescript/api.ts', import.meta.url),
);

const documentFile = fileURLToPath(new URL('../../../docs/openapi.json', import.meta.url));

export const readDocument = (): OpenApiDocument =>
  JSON.parse(readFileSync(documentFile, 'utf8')) as OpenApiDocument;

/** The text of `api.ts`, formatted. */
export const apiText = (document: OpenApiDocument): string =>
  wrapComments(formatted(apiFile, apiModule(document)));

const columns = 100;

/**
 * The formatter does not wrap comments. This runs after it, when each one's indentation is known.
 */
const wrapComments = (text: string): string =>
  text.replaceAll(/^( *)\/\*\* (.*) \*\/$/gm, (line, indent: string, comment: string) =>
    line.length <= columns
      ? line
      : [
          `${indent}/**`,
          ...wrapText(comment, columns - indent.length - 3).map((each) => `${indent} * ${each}`),
          `${indent} */`,
        ].join('\n'),
  );

function wrapText(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const longer = [...lines.slice(-1), word].join(' ');
    if (lines.length > 0 && longer.length <= width) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}
