import type { Directory } from '#shared/application/directory/directory.ts';
import type { OperationState } from '#shared/domain/operation/state.ts';
import type { CurrentReader } from '#shared/platform/event-store/current-states.ts';
import type { AppEnv } from '#shared/platform/http/app.ts';
import type { Logger } from '#shared/platform/logging/logger.ts';
import type { PersonalData } from '#shared/application/personal-data/personal-data.ts';
import type { ConfirmDependencies } from '#shared/application/receipts/confirm.ts';
import type { UploadLimits } from '#shared/application/receipts/receipt-form.ts';
import type { AddressLimits } from './address-limits.ts';
import type { StatusWatch } from './live/watch.ts';

/** The address that the request's limits count for. */
export type PayEnv = AppEnv<{ address: string }>;

/** The dependencies of the payment page; `main.ts` creates them. */
export type PayDependencies = Omit<ConfirmDependencies, 'personal'> & {
  personal: PersonalData;
  directory: Pick<Directory, 'byId'>;
  /** The current state of an operation. */
  operations: Pick<CurrentReader<OperationState>, 'read'>;
  watch: StatusWatch;
  limits: AddressLimits;
  /** Only tests set them. */
  uploadLimits?: UploadLimits;
  logger: Logger;
  /** The public URL of this page, without a trailing slash (PAY_BASE_URL). */
  baseUrl: string;
  /** Proxies before this service (PAY_TRUSTED_PROXIES). */
  trustedProxies: number;
  /** Epoch milliseconds. */
  now(): number;
};
