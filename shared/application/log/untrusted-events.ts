import { Gauge } from 'prom-client';
import type { Metrics } from '#shared/platform/http/metrics.ts';
import type { Logger } from '#shared/platform/logging/logger.ts';
import type { RawEvent } from '#shared/platform/event-store/reading/raw-event.ts';

/** More are neither logged nor counted. */
const mostCounted = 10_000;

/** The events of the log that this process refused to decide upon: each is logged once. */
export function createUntrustedEvents() {
  const positions = new Set<number>();
  return {
    watch:
      (logger: Pick<Logger, 'error'>) =>
      ({ position, stream, revision, id, type }: RawEvent, reason: string): void => {
        if (positions.has(position) || positions.size >= mostCounted) return;
        positions.add(position);
        logger.error(
          { stream, revision, position, event_id: id, type, reason },
          'an event of the log is not trusted, and nothing is decided upon it',
        );
      },
    /** Logs why nothing is appended, each reason once. */
    noteRefusal:
      (logger: Pick<Logger, 'error' | 'warn'>) =>
      (reason: string | undefined): void => {
        if (reason === undefined) logger.warn('events are appended again');
        else logger.error({ reason }, 'nothing is appended, because the keys of the log are wrong');
      },
    measure: (metrics: Metrics): void => {
      const gauge: Gauge = new Gauge({
        name: 'gateway_untrusted_events',
        help: 'Events of the log that the process refused to decide upon since its start, because no service has signed them',
        registers: [metrics],
        collect: () => gauge.set(positions.size),
      });
    },
  };
}
