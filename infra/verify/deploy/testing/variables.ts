import { join } from 'node:path';
import { services } from '#infra/start/services.ts';
import type { DefinedService } from '#shared/application/define-service.ts';
import { variables, type VariableName } from '#shared/platform/config/variables.ts';
import { root } from './manifests.ts';

const defined = new Map(
  await Promise.all(
    services.map(async ({ main }) => {
      const { service } = (await import(join(root, main))) as { service: DefinedService };
      return [join(root, main), service.variables] as const;
    }),
  ),
);

/** The variables that a service's main reads, including optional ones. */
export function variablesOf(main: string): readonly VariableName[] {
  const names = defined.get(main);
  if (!names || names.length === 0) throw new Error(`${main} is no service that reads variables`);
  return names;
}

/** Those without a default. */
export function requiredOf(main: string): VariableName[] {
  return variablesOf(main).filter((name) => !variables[name].safeParse(undefined).success);
}
