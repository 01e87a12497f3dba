import { ConfigError, loadConfig, loadOptional } from '#shared/platform/config/load.ts';
import { createLogger } from '#shared/platform/logging/logger.ts';
import { runService, type Service } from '#shared/application/service.ts';
import { sandboxVariables, startSandbox } from './start.ts';

const start: Service['start'] = async () => {
  const config = { ...loadConfig(sandboxVariables), SANDBOX_URL: loadOptional('SANDBOX_URL') };
  if (config.NODE_ENV === 'production' && !config.SANDBOX)
    throw new ConfigError(['SANDBOX: must be 1 for a provider without real money in production']);
  const logger = createLogger('sandbox-provider', config.LOG_LEVEL);
  const { stop } = await startSandbox(config, logger);
  return { logger, stop };
};

export const service: Service = { start };
if (import.meta.main) await runService(service);
