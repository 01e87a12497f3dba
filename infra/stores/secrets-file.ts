import { join } from 'node:path';
import { z } from 'zod';
import { readPrivateJson } from './private-json.ts';

/** Where generated secrets are stored. */
export const secretsFile = (dataDir: string): string => join(dataDir, 'secrets.json');

/** It may have secrets of another version, which are retained. */
const storedSchema = z.record(z.string(), z.string());

/** The generated secrets of a DATA_DIR, by the names of their variables. */
export const readSecretsFile = (dataDir: string): Record<string, string> =>
  readPrivateJson(secretsFile(dataDir), storedSchema) ?? {};
