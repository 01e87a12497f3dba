import { writeFileSync } from 'node:fs';
import { apiFile, apiText, readDocument } from './file.ts';

writeFileSync(apiFile, apiText(readDocument()));
