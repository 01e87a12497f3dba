import type { AppEnv } from '#shared/platform/http/app.ts';

/**
 * What a request of the gateway's has; `account`: whose key it shows, absent for the first account.
 */
export type SandboxEnv = { Variables: AppEnv['Variables'] & { account?: string } };
