import { providerAccount } from '#shared/domain/provider/accounts.ts';
import type { AttemptCall, ProviderConnector, ReportChannel } from '../connector.ts';
import type { AccountConnectors, ProviderConnection, WhyNot } from './connectors.ts';

/** Nothing was sent. */
const reasons = {
  absent: 'account_not_configured',
  unreadable: 'account_unreadable',
  unavailable: 'account_not_known',
} as const satisfies Record<WhyNot, string>;

const notSent = (why: WhyNot) => ({ outcome: 'unknown', cause: reasons[why] }) as const;
const failed = () => ({ outcome: 'unknown', cause: 'error' }) as const;
const unavailable = (why: WhyNot) => ({ outcome: 'unavailable', cause: reasons[why] }) as const;
const failedOrRefused = (why: WhyNot) =>
  why === 'unavailable' ? failed() : ({ outcome: 'refused', reason: reasons[why] } as const);

/** The calls that use an account: of an attempt's route, or of a statement. */
type Calls = Required<Pick<ProviderConnector, AttemptCall | 'statement'>>;

/**
 * One connector for all accounts with a provider: each call uses the account of the attempt's
 * route. `properties`: a connector of the provider, for its properties and which calls it supports,
 * which are the same for all accounts.
 */
export function byRoute(
  properties: ProviderConnector,
  accounts: Pick<AccountConnectors, 'use'>,
  byEnvironment: ProviderConnection | undefined,
): ProviderConnector {
  const { name, carries, submissions } = properties;
  const { submit, ask, ...optional } = callsBy(name, accounts);
  const supported = Object.entries(optional).filter(
    ([call]) => properties[call as keyof typeof optional],
  );
  return {
    name,
    carries,
    submissions,
    reports: accountReports(properties, byEnvironment?.connector),
    submit,
    ask,
    ...(Object.fromEntries(supported) as Partial<typeof optional>),
  };
}

function callsBy(provider: string, accounts: Pick<AccountConnectors, 'use'>): Calls {
  async function through<Answer>(
    of: Parameters<typeof providerAccount>[0],
    call: (connector: ProviderConnector) => Promise<Answer> | undefined,
    instead: (why: WhyNot) => Answer,
  ): Promise<Answer> {
    const used = await accounts.use(
      { provider, account: providerAccount(of) },
      async (connector) => (await call(connector)) ?? instead('absent'),
    );
    return used.outcome === 'used' ? used.result : instead(used.outcome);
  }
  return {
    submit: (submission, bounds) => {
      // The time for reading the account counts towards the timeout: nothing is sent after it.
      const endsMs = performance.now() + bounds.timeoutMs;
      const submit = async (connector: ProviderConnector) => {
        const timeoutMs = Math.floor(endsMs - performance.now());
        return timeoutMs > 0 ? connector.submit(submission, { ...bounds, timeoutMs }) : failed();
      };
      return through(submission.route, submit, failedOrRefused);
    },
    ask: (attempt, ...rest) =>
      through(attempt.route, (connector) => connector.ask(attempt, ...rest), notSent),
    withdraw: (attempt, ...rest) =>
      through(attempt.route, (connector) => connector.withdraw?.(attempt, ...rest), notSent),
    quote: (request, ...rest) =>
      through(request.route, (connector) => connector.quote?.(request, ...rest), failedOrRefused),
    submitReceipt: (attempt, ...rest) =>
      through(attempt.route, (connector) => connector.submitReceipt?.(attempt, ...rest), failed),
    evidence: (attempt, ...rest) =>
      through(attempt.route, (connector) => connector.evidence?.(attempt, ...rest), unavailable),
    fetchReceiptFile: (attempt, ...rest) =>
      through(
        attempt.route,
        (connector) => connector.fetchReceiptFile?.(attempt, ...rest),
        unavailable,
      ),
    statement: (query, ...rest) =>
      through(query, (connector) => connector.statement?.(query, ...rest), unavailable),
  };
}

/** Callbacks without an account are the environment's. If it has none, no signature is valid. */
function accountReports(
  connector: ProviderConnector,
  byEnvironment: ProviderConnector | undefined,
): ReportChannel {
  if (connector.reports.by === 'polling') return connector.reports;
  if (byEnvironment?.reports.by === 'callbacks') return byEnvironment.reports;
  return { by: 'callbacks', readCallback: () => ({ ok: false, reason: 'signature' }) };
}
