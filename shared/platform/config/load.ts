import type { z } from 'zod';
import { variables, type VariableName } from './variables.ts';

export type Config<Name extends VariableName> = { [N in Name]: z.infer<(typeof variables)[N]> };

/** Names every invalid variable, never its value, which may be a secret. */
export class ConfigError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(
      `The environment can't be used:\n${problems.map((problem) => `  ${problem}`).join('\n')}`,
    );
    this.name = 'ConfigError';
    this.problems = problems;
  }
}

/**
 * Reads an optional variable: undefined where it is not set.
 * @throws ConfigError when it is malformed
 */
export function loadOptional<Name extends VariableName>(
  name: Name,
  env: Readonly<Record<string, string | undefined>> = process.env,
): Config<Name>[Name] | undefined {
  return env[name] === undefined || env[name] === '' ? undefined : loadConfig([name], env)[name];
}

/** Read by every process, so that none runs outside production mode by mistake. */
const commonVariables: readonly VariableName[] = ['NODE_ENV', 'GATEWAY_BASE_URL'];

/**
 * Reads the named variables (R19.1). An empty value counts as absent.
 * @throws ConfigError that names every missing or malformed variable at once.
 */
export function loadConfig<Name extends VariableName>(
  names: readonly Name[],
  env: Readonly<Record<string, string | undefined>> = process.env,
): Config<Name> {
  const config: Partial<Record<VariableName, unknown>> = {};
  const problems: string[] = [];
  const requested = new Set<VariableName>(names);
  for (const name of new Set<VariableName>([...commonVariables, ...names])) {
    const value = env[name] === '' ? undefined : env[name];
    const parsed = variables[name].safeParse(value);
    if (parsed.success) Object.assign(config, requested.has(name) && { [name]: parsed.data });
    else if (value === undefined) problems.push(`${name} must be set`);
    else problems.push(`${name}: ${parsed.error.issues.map((issue) => issue.message).join('; ')}`);
  }
  // With it, anyone who sets up a webhook could reach the private network.
  if (config.WEBHOOK_ALLOW_PRIVATE === true && env['NODE_ENV'] === 'production')
    problems.push('WEBHOOK_ALLOW_PRIVATE: 1 is refused in production');
  if (problems.length > 0) throw new ConfigError(problems);
  return config as Config<Name>;
}
