import { fileURLToPath } from 'node:url';
import { createDocument } from './document.ts';

/** Where the document is checked in; `npm run openapi` writes it. */
export const documentFile = fileURLToPath(new URL('../../../docs/openapi.json', import.meta.url));

export const documentText = (): string => `${JSON.stringify(createDocument(), null, 2)}\n`;
