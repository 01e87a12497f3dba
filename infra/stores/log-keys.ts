import { ConfigError, loadConfig } from '#shared/platform/config/load.ts';
import type { RawLog } from '#shared/platform/event-store/reading/raw-log.ts';
import {
  commonName,
  readEventSignature,
  type LogKey,
  type EventSigner,
} from '#shared/platform/event-store/signature.ts';
import { readSecretsFile } from './secrets-file.ts';
import { findRunningStack } from './stack-file.ts';

/**
 * The keys of the log for a tool: those that the environment names, else those of DATA_DIR, if its
 * log is used. @throws ConfigError when they are malformed
 */
export function findLogKeys(
  dataDir: string,
  env: NodeJS.ProcessEnv = process.env,
): readonly LogKey[] | undefined {
  const text = env['LOG_SIGNING_KEYS'] || textIn(dataDir, env['EVENT_STORE_URL']);
  if (!text) return undefined;
  return loadConfig(['LOG_SIGNING_KEYS'], { LOG_SIGNING_KEYS: text }).LOG_SIGNING_KEYS;
}

function textIn(dataDir: string, eventStoreUrl: string | undefined): string | undefined {
  const running = findRunningStack(dataDir)?.env;
  if (running && eventStoreUrl && eventStoreUrl !== running['EVENT_STORE_URL']) return undefined;
  return running?.['LOG_SIGNING_KEYS'] ?? readSecretsFile(dataDir)['LOG_SIGNING_KEYS'];
}

/**
 * The key with which a program signs what it appends; undefined if it has none, and the log needs
 * none. @throws ConfigError when there are keys, or the log is signed, and the program has none
 */
export async function findSigner(
  log: Pick<RawLog, 'head' | 'at'>,
  { program, keys }: { program: string; keys: readonly LogKey[] | undefined },
): Promise<EventSigner | undefined> {
  const key = keys?.find(({ service }) => service === program);
  const common = keys?.filter(({ service }) => service === commonName) ?? [];
  if (key && common.length > 0) return { ...key, common };
  const newest = await log.at(await log.head());
  if (keys !== undefined || (newest && readEventSignature(newest.metadata)))
    throw new ConfigError([`LOG_SIGNING_KEYS: has no key of ${key ? commonName : program}`]);
  return undefined;
}
