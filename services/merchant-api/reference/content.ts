import { createDocument, endpoints } from '../openapi/document.ts';
import { documentText } from '../openapi/file.ts';
import { referencePage } from './page.ts';

export { anchorOfType } from './errors-section.ts';
export { style } from './style.ts';

export const document = documentText();
export const page = referencePage(createDocument(), endpoints);
