import { commandSandbox } from '#infra/verify/harness/shops/merchant.ts';
import { controlBank } from '#examples/bank/simulator/testing/control.ts';
import type { ProxiedStack } from '#infra/verify/harness/stacks/proxied-stack.ts';
import type { StoryRun } from './acted.ts';
import type { LoadSender } from './sender.ts';
import type { Story } from './stories.ts';

const repeatAfterMs = 8_000;

/** The purpose that a payer of the bank gives. */
const reference = /GW[0-9A-Z]{13}/;

/** The whole amount, a part or nothing, like the settlement commands of the other provider. */
function transferred({ amount, settle: { command, body } }: Story): string | undefined {
  if (command === 'leg' || ('result' in body && body.result === 'partial')) return '0.20';
  return 'result' in body && body.result === 'declined' ? undefined : amount;
}

/** The actions of the provider, an operator and a payer in a story. */
export function createOthers(
  { stack, sender }: { stack: ProxiedStack; sender: LoadSender },
  acted: StoryRun,
) {
  const orderedMs = new Map<string, number>();
  return {
    /** Decides as an operator; another one may have decided before. */
    review: async () => {
      const url = `${stack.urls.admin}/admin/v1/operations/${acted.operationId}/review`;
      const headers = { authorization: `Bearer ${stack.adminToken}` };
      await sender.forSure({ what: 'review', url, headers, body: acted.story.decision }, []);
    },
    openPage: () => {
      const url = `${stack.urls.pay}/${acted.operationId}`;
      return sender.once({ what: 'page', url, method: 'GET' }, acted.responses);
    },
    /** Pays once: a transfer without an answer from the bank may have been made. */
    transfer: async () => {
      const { story, responses } = acted;
      const shown = responses.map(
        ({ body }) => reference.exec(String(body?.transfer_purpose))?.[0],
      );
      const purpose = shown.find((each) => each !== undefined);
      const amount = transferred(story);
      if (purpose === undefined || amount === undefined || orderedMs.has('transfer')) return;
      orderedMs.set('transfer', performance.now());
      await controlBank(stack.urls.sandbox)
        .incoming({ amount, purpose: `order ${purpose}` })
        .catch(() => undefined);
    },
    /** Commands the provider: again if it was down, or if there was no effect for a while. */
    command: async (name: string, order: object) => {
      if (performance.now() < (orderedMs.get(name) ?? -Infinity) + repeatAfterMs) return;
      // If it is down, the command is repeated in the next round.
      const answer = await commandSandbox(
        stack.urls.sandbox,
        acted.operationId ?? '',
        name,
        order,
      ).catch(() => undefined);
      if (answer && answer.status < 300) orderedMs.set(name, performance.now());
    },
  };
}
