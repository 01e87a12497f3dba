import { eventually } from '#infra/verify/harness/tests/eventually.ts';

export const until = (what: string, check: () => boolean | Promise<boolean>): Promise<void> =>
  eventually(what, check);
