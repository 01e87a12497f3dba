import { join } from 'node:path';
import { defineService } from '#shared/application/define-service.ts';
import { runService } from '#shared/application/service.ts';
import { makeFolder } from '#shared/platform/make-folder.ts';
import { runChild } from './run-child.ts';
import { runScheduledAudits } from './schedule.ts';

/** Runs audits on a schedule (AUDIT_EVERY_S). It has no port: the admin API shows the results. */
export const service = defineService({
  name: 'audit-schedule',
  variables: ['EVENT_STORE_URL', 'DATA_DIR', 'AUDIT_PACE'],
  optional: ['AUDIT_EVERY_S', 'AUDIT_CHECKPOINTS'],
  traced: false,
  signsAs: 'audit',
  start: async ({ config, logger, eventStore, signal, onStop }) => {
    const everyS = config.AUDIT_EVERY_S;
    if (everyS === undefined) throw new Error('AUDIT_EVERY_S must set the interval of the audit');
    const store = eventStore(config.EVENT_STORE_URL);
    const folder = config.AUDIT_CHECKPOINTS ?? join(config.DATA_DIR, 'audit-checkpoints');
    makeFolder(folder);
    const args = [
      '--json',
      '--scheduled',
      // Its output is the reason of a failure.
      '--quiet',
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
      run: (timeoutMs) => runChild(args, { signal, timeoutMs }),
    });
    onStop(() => ended);
  },
});
if (import.meta.main) await runService(service);
