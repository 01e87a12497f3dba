import { variables } from '#shared/platform/config/variables.ts';

const withPassword: readonly string[] = ['EVENT_STORE_URL', 'DATABASE_URL', 'NATS_URL'];

/** Whether a variable contains a secret; of a URL, its password. */
export const isSecretName = (name: string): boolean =>
  withPassword.includes(name) || /TOKEN|SECRET|PASSW|CREDENTIAL|HEADERS|(^|_)KEY/i.test(name);

/** A URL with a password in a variable that the gateway does not read, such as HTTPS_PROXY. */
const isForeign = (name: string, value = ''): boolean =>
  !Object.hasOwn(variables, name) && /:\/\/[^\s/@]*:[^\s/@]+@/.test(value);

/** An environment without its secrets, except the named ones. */
export function ownSecrets(
  env: Readonly<Record<string, string | undefined>>,
  names: readonly string[],
): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(env).filter(
      ([name, value]) => names.includes(name) || !(isSecretName(name) || isForeign(name, value)),
    ),
  );
}
