import { expect, vi } from 'vitest';
import { commandSandbox } from '#infra/verify/harness/shops/merchant.ts';
import { takeReport } from '#shared/application/operations/take-report.ts';
import type { Origin } from '#shared/application/commands/origin.ts';
import { testPersonalData } from '#shared/application/personal-data/testing/personal-data.ts';
import type { createProviders } from '#shared/application/providers/index.ts';
import { sandboxAttempt } from '#shared/application/providers/testing/attempt.ts';
import type { EventStore } from '#shared/platform/event-store/index.ts';
import { operationIdFor } from '#shared/application/operations/operation-id.ts';
import type { Json } from './client.ts';
import { waitLimitMs } from '#infra/verify/harness/tests/eventually.ts';

/** What depends on the stores and the sandbox, which start after this is created. */
type AroundProvider = {
  store(): EventStore;
  sandboxUrl(): string;
  connectors(): ReturnType<typeof createProviders>['providers'];
  secretOf(shopId: string): string | undefined;
};

/** Controls the sandbox for a test. */
export function createProviderControl(
  { store, sandboxUrl, connectors, secretOf }: AroundProvider,
  origin: Origin,
) {
  return {
    seen: async (operationId: string): Promise<Json> =>
      (await fetch(`${sandboxUrl()}/control/operations/${operationId}`)).json(),
    /** Makes the provider act, and delivers its report on the first attempt to the gateway. */
    act: async (operationId: string, command: 'settle' | 'leg' | 'review', body: object) => {
      const answer = await commandSandbox(sandboxUrl(), operationId, command, body);
      expect(answer.status).toBe(200);
      const attempt = sandboxAttempt(operationId);
      const known = await connectors().get('sandbox')?.ask(attempt, { timeoutMs: waitLimitMs });
      if (known?.outcome !== 'known') throw new Error(`the provider is ${known?.outcome}`);
      const taken = await takeReport(
        { store: store(), personal: testPersonalData(store()) },
        { operationId, provider: 'sandbox', ...known },
        origin,
      );
      expect(taken.outcome).toBe('taken');
    },
    /** 404 if it doesn't know the operation. */
    status: async (operationId: string) =>
      (await fetch(`${sandboxUrl()}/control/operations/${operationId}`)).status,
    /** Waits until the operation is submitted to the provider. */
    submitted: (shop: { shopId: string }, merchantOperationId: string) =>
      vi.waitFor(async () => {
        const secret = secretOf(shop.shopId) ?? '';
        const operation_id = operationIdFor(Buffer.from(secret, 'hex'), merchantOperationId);
        expect((await fetch(`${sandboxUrl()}/control/operations/${operation_id}`)).status).toBe(
          200,
        );
        return { operation_id };
      }, waitLimitMs),
  };
}
