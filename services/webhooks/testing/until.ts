import { eventually } from '#infra/verify/harness/eventually.ts';

export const until = (what: string, check: () => boolean | Promise<boolean>): Promise<void> =>
  eventually(what, check);
