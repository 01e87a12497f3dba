const withPassword: readonly string[] = ['EVENT_STORE_URL', 'DATABASE_URL', 'NATS_URL'];

/** Whether a variable holds a secret, whoever's it is: of a URL, its password. */
export const isSecret = (name: string): boolean =>
  withPassword.includes(name) || /TOKEN|SECRET|PASSW|CREDENTIAL|HEADERS|(^|_)KEY/i.test(name);

/** An environment with none of its secrets but those that are named. */
export function ownSecrets(
  env: Readonly<Record<string, string | undefined>>,
  names: readonly string[],
): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !isSecret(name) || names.includes(name)));
}
