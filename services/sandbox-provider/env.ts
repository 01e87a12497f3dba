import type { AppEnv } from '#shared/platform/http/app.ts';

/**
 * Variables of the gateway's requests; `account`: the account of its key, absent for the first
 * account.
 */
export type SandboxEnv = { Variables: AppEnv['Variables'] & { account?: string } };
