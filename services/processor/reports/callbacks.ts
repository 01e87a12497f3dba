import type { Hono } from 'hono';
import type { EventStore } from '#shared/platform/event-store/index.ts';
import type { AppEnv } from '#shared/platform/http/app.ts';
import { readBytes } from '#shared/platform/http/body.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import type { ReportSealers } from '#shared/application/personal-data/personal-data.ts';
import type { AccountConnectors } from '#shared/application/providers/accounts/connectors.ts';
import type { Providers, ReadCallback } from '#shared/application/providers/connector.ts';
import { defaultAccount } from '#shared/domain/provider/accounts.ts';
import { takeReport } from '#shared/application/operations/take-report.ts';
import { currentTraceparent, inSpan } from '#shared/platform/tracing/tracing.ts';

const maxCallbackBytes = 256 * 1024;

type CallbackPorts = {
  store: EventStore;
  providers: Providers;
  accounts?: Pick<AccountConnectors, 'use'>;
  personal: ReportSealers;
  now(): number;
  /** Called for every report, with its outcome. */
  count(provider: string, outcome: string): void;
};

/**
 * `POST /callbacks/:provider`, and `…/:account` for an account that operators set up. 204 only once
 * the whole report is stored; 503 if that is unknown, so that the provider sends it again.
 */
export function callbackRoutes(app: Hono<AppEnv>, ports: CallbackPorts): void {
  const { store, personal, count } = ports;
  app.post('/callbacks/:provider/:account?', async (c) => {
    const provider = c.req.param('provider');
    const account = c.req.param('account') ?? defaultAccount;
    const readCallback = await findCallbackReader(ports, { provider, account });
    const body = await readBytes(c, maxCallbackBytes);
    const read = readCallback(c.req.raw.headers, body, ports.now());
    if (!read.ok) {
      count(provider, read.reason);
      throw read.reason === 'signature'
        ? new Problem('signature_invalid', { headers: { 'www-authenticate': 'Signature' } })
        : new Problem('invalid_request', { detail: 'this is not a callback of this provider' });
    }
    const { operationId, answer, report, signed } = read;
    const requestId = c.get('requestId');
    const describe = () => ({
      name: `${provider} report`,
      kind: 'consumer' as const,
      attributes: { 'gateway.provider': provider, 'gateway.operation_id': operationId },
    });
    const result = await inSpan(describe, async (span) => {
      const outcome = await takeReport(
        { store, personal },
        { operationId, provider, account, answer, report, signed },
        (startMetadata) => {
          // A callback has no trace of its own: its events join the trace of the create.
          span?.continueFrom(startMetadata?.traceparent);
          const correlationId = startMetadata?.correlation_id ?? requestId;
          return {
            actor: `provider:${provider}`,
            correlationId,
            requestId,
            traceparent: currentTraceparent(),
          };
        },
      );
      span?.set({ 'gateway.outcome': outcome.outcome });
      return outcome;
    });
    count(
      provider,
      result.outcome === 'taken' && result.unreadable ? 'taken_unsealed' : result.outcome,
    );
    switch (result.outcome) {
      case 'taken':
        return c.body(null, 204);
      case 'unknown_operation':
        throw new Problem('operation_not_found');
      case 'too_early':
        throw new Problem('not_ready', { detail: 'the operation is still being created' });
      case 'amount_invalid':
        throw new Problem('invalid_request', {
          detail: 'an amount has more decimals than its currency',
        });
      case 'report_unnumbered':
        throw new Problem('invalid_request', {
          detail: 'it has no version, and contradicts a report on the attempt that had one',
        });
      case 'undecided':
        throw new Problem('not_ready', {
          detail: 'the report could not be stored yet',
          cause: result.cause,
        });
    }
  });
}

/**
 * Verifies callbacks with the secrets of the account in the path. An unknown account is reported as
 * an invalid signature, so that callers can't discover account names.
 * @throws Problem route_not_found, not_ready
 */
async function findCallbackReader(
  { providers, accounts, count }: CallbackPorts,
  of: { provider: string; account: string },
): Promise<ReadCallback> {
  const connector = providers.get(of.provider);
  if (connector?.reports.by !== 'callbacks') throw new Problem('route_not_found');
  if (of.account === defaultAccount) return connector.reports.readCallback;
  const used = await accounts?.use(of, async ({ reports }) => reports);
  if (!used || used.outcome === 'absent')
    return alwaysInvalidSignature(connector.reports.readCallback);
  if (used.outcome !== 'used') {
    // The provider sends it again. Only this metric shows operators that a key is missing.
    count(of.provider, `account_${used.outcome}`);
    throw new Problem('not_ready', {
      detail: 'the account can’t be read at the moment',
      cause: used.outcome,
    });
  }
  if (used.result.by !== 'callbacks') throw new Problem('route_not_found');
  return used.result.readCallback;
}

/** Takes as long as a real check of the signature, so that the time does not reveal the account. */
const alwaysInvalidSignature =
  (readCallback: ReadCallback): ReadCallback =>
  (...callback) => {
    readCallback(...callback);
    return { ok: false, reason: 'signature' };
  };
