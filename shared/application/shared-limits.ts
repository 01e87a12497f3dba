import { createSharedLimiter, type SharedLimiter } from '#shared/platform/nats/shared-limiter.ts';
import type { ServiceContext } from './define-service.ts';

/** Limits that the instances of one service share over NATS; undefined without NATS. */
export function joinLimits(
  {
    config,
    logger,
    onStop,
  }: Pick<ServiceContext<never, 'NATS_URL'>, 'config' | 'logger' | 'onStop'>,
  subject: string,
): SharedLimiter | undefined {
  if (config.NATS_URL === undefined) return undefined;
  const limiter = createSharedLimiter({ natsUrl: config.NATS_URL, logger, subject });
  onStop(() => limiter.stop());
  return limiter;
}
