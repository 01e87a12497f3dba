import type { ProviderConnector } from '#shared/application/providers/connector.ts';
import type { Find } from '#infra/verify/harness/tests/finding.ts';
import type { SimulatedProvider } from './simulated-provider.ts';

/**
 * Wraps a connector to check what no log shows, because other rules of the gateway compensate it: a
 * submission that is sent once may arrive later than any schedule delays it, and no operation ends
 * as completed without money.
 */
export function watchProvider(
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
      const answer = await connector.ask(ref, bounds);
      // An ended attempt is not reported as open: a report may be older than the state, but never
      // ahead of it.
      const is = attempts().find(
        ({ operationId, report }) =>
          operationId === ref.operationId && report.attempt === ref.attempt,
      );
      if (
        answer.outcome === 'known' &&
        answer.report.status !== 'open' &&
        is?.report.status === 'open'
      )
        find('an attempt was reported as ended that is open', { name, answer, is });
      return answer;
    },
  };
}
