import type { ProxiedStack } from '#infra/verify/harness/proxied-stack.ts';
import type { Acted } from './acted.ts';
import type { Ask } from './ask.ts';

const repeatAfterMs = 8_000;

/** What the provider, an operator and a payer do with the operation of a story. */
export function createOthers({ stack, ask }: { stack: ProxiedStack; ask: Ask }, acted: Acted) {
  const orderedMs = new Map<string, number>();
  return {
    /** As an operator does; somebody else may have decided. */
    review: async () => {
      const url = `${stack.urls.admin}/admin/v1/operations/${acted.operationId}/review`;
      const headers = { authorization: `Bearer ${stack.adminToken}` };
      await ask.forSure({ what: 'review', url, headers, body: acted.story.decision }, []);
    },
    openPage: () => {
      const url = `${stack.urls.pay}/${acted.operationId}`;
      return ask.once({ what: 'page', url, method: 'GET' }, acted.told);
    },
    /** Orders the provider to do something: again when it was down, or when nothing has come of it for a while. */
    command: async (name: string, order: object) => {
      if (performance.now() < (orderedMs.get(name) ?? -Infinity) + repeatAfterMs) return;
      const url = `${stack.urls.sandbox}/control/operations/${acted.operationId}/${name}`;
      const init = {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(order),
      };
      try {
        const answer = await fetch(url, { ...init, signal: AbortSignal.timeout(10_000) });
        await answer.text();
        if (answer.ok) orderedMs.set(name, performance.now());
      } catch {
        // It is down: ordered again with the next look.
      }
    },
  };
}
