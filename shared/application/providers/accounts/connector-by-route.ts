import { accountOf } from '#shared/domain/provider/accounts.ts';
import type {
  AttemptRef,
  CallBounds,
  ProviderConnector,
  Reports,
  Submission,
} from '../connector.ts';
import type { AccountConnectors, Connected, WhyNot } from './connectors.ts';

/** Nothing was sent. */
const reasons = {
  absent: 'account_not_configured',
  unreadable: 'account_unreadable',
  unavailable: 'account_not_known',
} as const satisfies Record<WhyNot, string>;

const notSent = (why: WhyNot) => ({ outcome: 'unknown', cause: reasons[why] }) as const;
const failed = () => ({ outcome: 'unknown', cause: 'error' }) as const;
const refused = (why: WhyNot) => ({ outcome: 'refused', reason: reasons[why] }) as const;
const unavailable = (why: WhyNot) => ({ outcome: 'unavailable', cause: reasons[why] }) as const;

/**
 * Calls with the account of the attempt's route. Each account's connector has the methods of the
 * provider.
 */
const callThroughAccount =
  (provider: string, accounts: Pick<AccountConnectors, 'use'>) =>
  <Attempt extends AttemptRef, Rest extends unknown[], Answer>(
    call: (
      connector: ProviderConnector,
      attempt: Attempt,
      ...rest: Rest
    ) => Promise<Answer> | undefined,
    instead: (why: WhyNot) => Answer,
  ) =>
  async (attempt: Attempt, ...rest: Rest): Promise<Answer> => {
    const used = await accounts.use(
      { provider, account: accountOf(attempt.route) },
      async (connector) => (await call(connector, attempt, ...rest)) ?? instead('absent'),
    );
    return used.outcome === 'used' ? used.result : instead(used.outcome);
  };

type Through = ReturnType<typeof callThroughAccount>;

/**
 * The time for reading the account counts towards the submission's timeout: nothing is sent after
 * it.
 */
const submitsInTime =
  (through: Through): ProviderConnector['submit'] =>
  (attempt, bounds) => {
    const endsMs = performance.now() + bounds.timeoutMs;
    const submit = through(
      async (connector, submission: Submission) => {
        const timeoutMs = Math.floor(endsMs - performance.now());
        return timeoutMs > 0 ? connector.submit(submission, { ...bounds, timeoutMs }) : failed();
      },
      (why) => (why === 'unavailable' ? failed() : refused(why)),
    );
    return submit(attempt);
  };

/**
 * One connector for all accounts with a provider: each call uses the account of the attempt's
 * route. `properties`: a connector of the provider, for its properties, which are the same for all
 * accounts.
 */
export function byRoute(
  properties: ProviderConnector,
  accounts: Pick<AccountConnectors, 'use'>,
  byEnvironment: Connected | undefined,
): ProviderConnector {
  const { name, carries, submissions } = properties;
  const through = callThroughAccount(name, accounts);
  return {
    name,
    carries,
    submissions,
    reports: reportsOf(properties, byEnvironment?.connector),
    submit: submitsInTime(through),
    ask: through(
      (connector, attempt: AttemptRef, bounds: CallBounds) => connector.ask(attempt, bounds),
      notSent,
    ),
    ...orders(properties, through),
    ...documents(properties, through),
    ...(properties.statement && { statement: statementBy(name, accounts) }),
  };
}

type AnswerTo<Name extends 'quote' | 'submitReceipt'> = Awaited<
  ReturnType<NonNullable<ProviderConnector[Name]>>
>;

/** Calls that change an attempt at the provider, or may: those that the provider supports. */
function orders(
  { withdraw, quote, submitReceipt }: ProviderConnector,
  through: Through,
): Pick<ProviderConnector, 'withdraw' | 'quote' | 'submitReceipt'> {
  return {
    ...(withdraw && {
      withdraw: through(
        (connector, attempt: AttemptRef, bounds: CallBounds) =>
          connector.withdraw?.(attempt, bounds),
        notSent,
      ),
    }),
    ...(quote && {
      quote: through(
        (connector, request: Parameters<typeof quote>[0], bounds: CallBounds) =>
          connector.quote?.(request, bounds),
        (why): AnswerTo<'quote'> => (why === 'unavailable' ? failed() : refused(why)),
      ),
    }),
    ...(submitReceipt && {
      submitReceipt: through(
        (
          connector,
          attempt: AttemptRef,
          file: Parameters<typeof submitReceipt>[1],
          bounds: CallBounds,
        ) => connector.submitReceipt?.(attempt, file, bounds),
        failed as () => AnswerTo<'submitReceipt'>,
      ),
    }),
  };
}

/** Calls that read an attempt: those that the provider supports. */
function documents(
  { evidence, fetchReceiptFile }: ProviderConnector,
  through: Through,
): Pick<ProviderConnector, 'evidence' | 'fetchReceiptFile'> {
  return {
    ...(evidence && {
      evidence: through(
        (connector, attempt: AttemptRef, bounds: CallBounds) =>
          connector.evidence?.(attempt, bounds),
        unavailable,
      ),
    }),
    ...(fetchReceiptFile && {
      fetchReceiptFile: through(
        (connector, attempt: AttemptRef, legId: string, bounds: CallBounds) =>
          connector.fetchReceiptFile?.(attempt, legId, bounds),
        unavailable,
      ),
    }),
  };
}

/** A statement belongs to an account, not to an attempt. */
const statementBy =
  (
    provider: string,
    accounts: Pick<AccountConnectors, 'use'>,
  ): NonNullable<ProviderConnector['statement']> =>
  async (query, bounds) => {
    const used = await accounts.use(
      { provider, account: accountOf(query) },
      async (connector) => (await connector.statement?.(query, bounds)) ?? unavailable('absent'),
    );
    return used.outcome === 'used' ? used.result : unavailable(used.outcome);
  };

/** Callbacks without an account are the environment's. If it has none, no signature is valid. */
function reportsOf(
  connector: ProviderConnector,
  byEnvironment: ProviderConnector | undefined,
): Reports {
  if (connector.reports.by === 'polling') return connector.reports;
  if (byEnvironment?.reports.by === 'callbacks') return byEnvironment.reports;
  return { by: 'callbacks', readCallback: () => ({ ok: false, reason: 'signature' }) };
}
