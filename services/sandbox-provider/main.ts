import { loadConfig } from '#shared/config/load.ts';
import { createLogger } from '#shared/logger.ts';
import { runService } from '#shared/service.ts';
import { sandboxVariables, startSandbox } from './start.ts';

await runService(async () => {
  const config = loadConfig(sandboxVariables);
  const logger = createLogger('sandbox-provider', config.LOG_LEVEL);
  const { stop } = await startSandbox(config, logger);
  return { logger, stop };
});
