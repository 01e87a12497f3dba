import { commonName, type EventSigner } from '#shared/platform/event-store/signature.ts';
import { ConfigError, loadConfig } from './load.ts';

/**
 * The key with which a service signs what it appends, its earlier ones, and those that all services
 * share.
 * @throws ConfigError when LOG_SIGNING_KEYS is malformed or lacks one of them
 */
export function loadSigningKey(
  service: string,
  env: Readonly<Record<string, string | undefined>> = process.env,
): EventSigner {
  const { LOG_SIGNING_KEYS: keys } = loadConfig(['LOG_SIGNING_KEYS'], env);
  const [key, ...earlier] = keys.filter((each) => each.service === service);
  const common = keys.filter((each) => each.service === commonName);
  const missing = [...(key ? [] : [service]), ...(common.length > 0 ? [] : [commonName])];
  if (!key || missing.length > 0)
    throw new ConfigError(missing.map((name) => `LOG_SIGNING_KEYS: has no key of ${name}`));
  return { ...key, common, earlier };
}
