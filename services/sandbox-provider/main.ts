import { defineService } from '#shared/application/define-service.ts';
import { runService } from '#shared/application/service.ts';
import { ConfigError } from '#shared/platform/config/load.ts';
import { sandboxVariables, startSandbox } from './start.ts';

export const service = defineService({
  name: 'sandbox-provider',
  variables: sandboxVariables,
  optional: ['SANDBOX_URL'],
  traced: false,
  start: async (context) => {
    const { NODE_ENV, SANDBOX } = context.config;
    if (NODE_ENV === 'production' && !SANDBOX)
      throw new ConfigError(['SANDBOX: must be 1 for a provider without real money in production']);
    await startSandbox(context.config, context);
  },
});
if (import.meta.main) await runService(service);
