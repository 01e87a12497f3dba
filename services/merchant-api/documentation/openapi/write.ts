import { writeFileSync } from 'node:fs';
import { documentFile, documentText } from './file.ts';

writeFileSync(documentFile, documentText());
