import { readFileSync } from 'node:fs';
import { variables, type VariableName } from '#shared/platform/config/variables.ts';
import { personalDataVariables } from '#shared/application/personal-data/connect.ts';
import { callbackVariables, providerVariables } from '#shared/application/providers/index.ts';
import { receiptStoreVariables } from '#shared/application/receipts/store.ts';
import { tracingVariables } from '#shared/platform/tracing/start.ts';
import { sandboxVariables } from '#services/sandbox-provider/start.ts';

const groups: Readonly<Record<string, readonly string[]>> = {
  providerVariables,
  callbackVariables,
  receiptStoreVariables,
  personalDataVariables,
  tracingVariables,
  sandboxVariables,
};

/** The variables that a service's main reads: what its call of `loadConfig` names. */
export function variablesOf(main: string): VariableName[] {
  const source = readFileSync(main, 'utf8');
  const [, list = '', whole = ''] = /loadConfig\(\s*(?:\[([^\]]*)\]|(\w+))/.exec(source) ?? [];
  const names = [...list.matchAll(/'(\w+)'/g)].map(([, name = '']) => name);
  const spread = [...list.matchAll(/\.\.\.(\w+)/g)].map(([, name = '']) => name);
  const all = [...names, ...[...spread, whole].flatMap((name) => groups[name] ?? []), ...wishesOf(source)];
  const unknown = all.filter((name) => !(name in variables));
  if (all.length === 0 || unknown.length > 0) throw new Error(`${main} reads [${unknown.join(', ')}]`);
  return all as VariableName[];
}

/** What a service goes on without, and several of it should not. */
const wishesOf = (source: string): string[] =>
  [...source.matchAll(/loadOptional\('(\w+)'\)/g)].map(([, name = '']) => name);

/** Those of them that have no default. */
export function requiredOf(main: string): VariableName[] {
  return variablesOf(main).filter((name) => !variables[name].safeParse(undefined).success);
}
