import type { Hono } from 'hono';
import type { AppEnv } from '#shared/platform/http/app.ts';
import type { Logger } from '#shared/platform/logging/logger.ts';
import { createBankApi } from './api.ts';
import { createBank } from './bank.ts';
import { createBankContext, type FirstAccount } from './context.ts';
import { createBankControl } from './control.ts';
import { registerBankControl } from './control-api.ts';
import { openBankStore } from './store.ts';

export type RunningBank = { register(app: Hono<AppEnv>): void; close(): void };

/** The bank of the sandbox (docs/merchants/sandbox-bank.md), on the port of the service. */
export function startBank({
  folder,
  first,
  stopping,
  logger,
}: {
  folder: string;
  first: FirstAccount;
  stopping: AbortSignal;
  logger: Logger;
}): RunningBank {
  const context = createBankContext({ open: () => openBankStore(folder), first });
  return {
    register: (app) => {
      app.route('/bank', createBankApi(createBank(context), { stopping, logger }));
      registerBankControl(app, createBankControl(context), first.account);
    },
    close: () => context.close(),
  };
}
