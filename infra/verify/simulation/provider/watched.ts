import type { ProviderConnector } from '#shared/application/providers/connector.ts';
import type { Find } from '#infra/verify/harness/finding.ts';
import type { SimulatedProvider } from './simulated-provider.ts';

/**
 * A connector as the gateway uses it, held to what has no outcome that a log shows: the gateway's
 * other rules make up for it. What is sent once may arrive for longer than any schedule delays it,
 * and no operation ends by a completion without money.
 */
export function watched(
  { name, attempts }: Pick<SimulatedProvider, 'name' | 'attempts'>,
  connector: ProviderConnector,
  find: Find,
): ProviderConnector {
  return {
    ...connector,
    submit: (submission, bounds) => {
      const { operationId, attempt, acceptUntil } = submission;
      if (!connector.submissions.repeatable && Date.now() >= Date.parse(acceptUntil))
        find('what is sent once was sent after its wait', {
          name,
          operationId,
          attempt,
          acceptUntil,
        });
      return connector.submit(submission, bounds);
    },
    ask: async (ref, bounds) => {
      const said = await connector.ask(ref, bounds);
      // An attempt that has ended is open no more: what is told may be older than what is, and
      // never ahead of it.
      const is = attempts().find(
        ({ operationId, report }) =>
          operationId === ref.operationId && report.attempt === ref.attempt,
      );
      if (said.outcome === 'known' && said.report.status !== 'open' && is?.report.status === 'open')
        find('an attempt was told of as ended that is open', { name, said, is });
      return said;
    },
  };
}
