import { fileURLToPath } from 'node:url';
import { createDocument } from './document.ts';

/** Where the document is checked in; `npm run openapi` writes it. */
export const documentFile = fileURLToPath(new URL('../../../docs/openapi.json', import.meta.url));

/** `gateway`: where merchants reach it, for the examples. */
export const documentText = (gateway?: string): string =>
  `${JSON.stringify(createDocument(gateway), null, 2)}\n`;
