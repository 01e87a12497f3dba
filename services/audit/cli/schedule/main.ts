import { join } from 'node:path';
import { defineService } from '#shared/application/define-service.ts';
import { runService } from '#shared/application/service.ts';
import { makeFolder } from '#shared/platform/make-folder.ts';
import { runChild } from './run-child.ts';
import { runScheduledAudits } from './schedule.ts';

/** An audit that takes longer has hung. */
const longestRunMs = 6 * 3_600_000;

/** Runs audits on a schedule (AUDIT_EVERY_S). It has no port: the admin API shows the results. */
export const service = defineService({
  name: 'audit-schedule',
  variables: ['EVENT_STORE_URL', 'DATA_DIR', 'AUDIT_PACE'],
  optional: ['AUDIT_EVERY_S', 'AUDIT_CHECKPOINTS'],
  traced: false,
  start: async ({ config, logger, eventStore, signal, onStop }) => {
    const everyS = config.AUDIT_EVERY_S;
    if (everyS === undefined) throw new Error('AUDIT_EVERY_S must set the interval of the audit');
    const store = eventStore(config.EVENT_STORE_URL);
    const folder = config.AUDIT_CHECKPOINTS ?? join(config.DATA_DIR, 'audit-checkpoints');
    makeFolder(folder);
    const args = [
      '--json',
      '--scheduled',
      '--checkpoints',
      folder,
      '--pace',
      String(config.AUDIT_PACE),
    ];
    const ended = runScheduledAudits({
      store,
      logger,
      everyMs: everyS * 1_000,
      signal,
      run: () => runChild(args, { signal, timeoutMs: longestRunMs }),
    });
    onStop(() => ended);
  },
});
if (import.meta.main) await runService(service);
