import { waitUntil } from '#infra/process/wait-until.ts';

export const until = (what: string, check: () => boolean | Promise<boolean>): Promise<void> =>
  waitUntil(what, check, { timeoutMs: 120_000 });
