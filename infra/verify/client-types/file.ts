import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { formatted } from '#infra/verify/documents/formatted.ts';
import { apiModule, type Document } from './api-types.ts';

/** Where the types are checked in; `npm run client:types` writes them. */
export const apiFile = fileURLToPath(
  new URL('../../../clients/typescript/api.ts', import.meta.url),
);

export const documentFile = fileURLToPath(new URL('../../../docs/openapi.json', import.meta.url));

export const readDocument = (): Document =>
  JSON.parse(readFileSync(documentFile, 'utf8')) as Document;

/** The text of `api.ts`, formatted as everything is. */
export const apiText = (document: Document): string => formatted(apiFile, apiModule(document));
