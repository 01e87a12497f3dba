import { maxReceiptBytes } from '#shared/domain/operation/receipt/upload.ts';
import { secretHint } from '#shared/platform/standard-webhooks.ts';
import {
  attemptKey,
  type AttemptRef,
  type CallBounds,
  type ProviderConnector,
  type ReadCallback,
  type ReportChannel,
} from '../connector.ts';
import { everyMethod } from '../facts.ts';
import { openAccess, type AccessSettings, type SandboxCall } from './call.ts';
import {
  parseSnapshot,
  readAccountState,
  readAttemptEvidence,
  readProviderFile,
  readQuote,
  readRefusal,
  readAttemptSnapshot,
  readStatementPage,
} from './read.ts';
import { isSignedWithSecret, signedReport } from './signature.ts';
import {
  toProviderAnswer,
  evidenceItems,
  toAttemptKnown,
  statementPage,
  toWire,
} from './translate.ts';
import { wirePaths, type WireQuoteRequest } from './wire.ts';

/** A page of a statement. */
const maxStatementBytes = 8 * 1024 * 1024;

type SandboxSettings = AccessSettings & {
  /** Callbacks signed with any of them are accepted: two during a rotation. */
  callbackSecrets: readonly string[];
};

/** It has all that a provider may have. */
export type SandboxConnector = Required<Omit<ProviderConnector, 'reports'>> & {
  readonly reports: Extract<ReportChannel, { by: 'callbacks' }>;
};

const declaration = {
  name: 'sandbox',
  carries: everyMethod,
  submissions: { repeatable: true },
  returns: true,
} as const;

/** The sandbox provider over HTTP (docs/merchants/sandbox-provider.md). */
export function createSandboxConnector({ callbackSecrets, ...access }: SandboxSettings): {
  connector: SandboxConnector;
  close(): Promise<void>;
} {
  const { call, close } = openAccess(access);
  const connector: SandboxConnector = {
    ...declaration,
    reports: { by: 'callbacks', readCallback: callbackReader(callbackSecrets) },
    ...attemptCalls(call),
    ...receiptCalls(call),
    ...accountCalls(call),
  };
  return { connector, close };
}

/** A callback about an attempt: its money and its outcome. */
function attemptCalls(
  call: SandboxCall,
): Pick<SandboxConnector, 'submit' | 'ask' | 'withdraw' | 'quote'> {
  const post = (path: string, key: string, bounds: CallBounds) =>
    call({ method: 'POST', path, key, body: '{}' }, readAttemptSnapshot, bounds);

  return {
    async submit(submission, bounds) {
      const key = idempotencyKey(submission);
      const body = JSON.stringify(toWire(submission));
      const request = { method: 'PUT', path: wirePaths.attempt(key), key, body } as const;
      const reply = await call(request, readAttemptSnapshot, bounds);
      if (!reply.ok) return { outcome: 'unknown', cause: reply.cause };
      // The provider has the attempt and has not decided: its own wait is over, which is no fault.
      return toProviderAnswer(reply.content) ?? { outcome: 'unknown', cause: 'timeout' };
    },

    async ask(attempt, bounds) {
      const key = idempotencyKey(attempt);
      const reply = await post(wirePaths.resolve(key), key, bounds);
      if (!reply.ok) return { outcome: 'unknown', cause: reply.cause };
      if (reply.content.acceptance === 'void') return { outcome: 'never_submitted' };
      const state = toAttemptKnown(reply.content);
      return state ? { outcome: 'known', ...state } : { outcome: 'unknown', cause: 'undecided' };
    },

    async withdraw(attempt, bounds) {
      const key = idempotencyKey(attempt);
      const reply = await post(wirePaths.withdraw(key), key, bounds);
      if (!reply.ok) return { outcome: 'unknown', cause: reply.cause };
      const state = toAttemptKnown(reply.content);
      const { status } = reply.content;
      if (!state || status === 'open') return { outcome: 'unknown', cause: 'still open' };
      const paid = status === 'completed' || status === 'partially_completed';
      return { outcome: paid ? 'refused' : 'withdrawn', ...state };
    },

    async quote({ request: { currency }, route, ...attempt }, bounds) {
      if (!route.conversion) return { outcome: 'refused', reason: 'the route does not convert' };
      const key = idempotencyKey(attempt);
      const { settlement_currency } = route.conversion;
      const body: WireQuoteRequest = {
        currency,
        settlement_currency,
        ...(route.options && { options: route.options }),
      };
      const path = wirePaths.quote(key);
      const reply = await call(
        { method: 'POST', path, key, body: JSON.stringify(body) },
        readQuote,
        bounds,
      );
      if (!reply.ok) return { outcome: 'unknown', cause: reply.cause };
      const { content: quote } = reply;
      return quote.outcome === 'quoted'
        ? { outcome: 'quoted', rate: quote.fx_rate }
        : { outcome: 'refused', reason: quote.reason };
    },
  };
}

/** The calls about the evidence of an attempt's money. */
function receiptCalls(
  call: SandboxCall,
): Pick<SandboxConnector, 'submitReceipt' | 'evidence' | 'fetchReceiptFile'> {
  return {
    async submitReceipt(attempt, { receiptId, content, contentType }, bounds) {
      const key = idempotencyKey(attempt);
      const path = wirePaths.receipt(key, receiptId);
      const request = { method: 'PUT', path, key, body: content, contentType } as const;
      const reply = await call(
        request,
        (answer) => readRefusal(answer) ?? readAttemptSnapshot(answer, key),
        bounds,
      );
      if (!reply.ok) return { outcome: 'unknown', cause: reply.cause };
      if ('refusal' in reply) return { outcome: 'refused', reason: reply.refusal };
      const state = toAttemptKnown(reply.content);
      return state ? { outcome: 'taken', ...state } : { outcome: 'unknown', cause: 'error' };
    },

    async evidence(attempt, bounds) {
      const key = idempotencyKey(attempt);
      const reply = await call(
        { method: 'GET', path: wirePaths.evidence(key), key },
        readAttemptEvidence,
        bounds,
      );
      if (!reply.ok) return { outcome: 'unavailable', cause: reply.cause };
      const { status } = reply.content;
      return { outcome: 'known', status, items: evidenceItems(reply.content) };
    },

    async fetchReceiptFile(attempt, legId, bounds) {
      const key = idempotencyKey(attempt);
      const request = { method: 'GET', path: wirePaths.legFile(key, legId), key } as const;
      const reply = await call(
        { ...request, maxAnswerBytes: maxReceiptBytes },
        readProviderFile,
        bounds,
      );
      if (!reply.ok) return { outcome: 'unavailable', cause: reply.cause };
      return reply.content ? { outcome: 'file', ...reply.content } : { outcome: 'none' };
    },
  };
}

/** The calls about the account as a whole. */
function accountCalls(call: SandboxCall): Pick<SandboxConnector, 'check' | 'statement'> {
  return {
    async check(bounds) {
      const request = { method: 'GET', path: wirePaths.account, key: 'check' } as const;
      const reply = await call(request, readAccountState, bounds);
      if (!reply.ok) return { outcome: 'unknown', cause: reply.cause };
      return { outcome: reply.content.opens ? 'ok' : 'refused' };
    },

    async statement({ currency, day, page = '1' }, bounds) {
      const query = { currency, day, page: Number(page) };
      const path = wirePaths.statement(query);
      const reply = await call(
        { method: 'GET', path, key: `statement ${day}`, maxAnswerBytes: maxStatementBytes },
        (answer) => readStatementPage(answer, query),
        bounds,
      );
      if (!reply.ok) return { outcome: 'unavailable', cause: reply.cause };
      return statementPage(reply.content);
    },
  };
}

const idempotencyKey = ({
  operationId,
  attempt,
}: Pick<AttemptRef, 'operationId' | 'attempt'>): string => attemptKey(operationId, attempt);

function callbackReader(secrets: readonly string[]): ReadCallback {
  const hints = new Map(secrets.map((secret) => [secret, secretHint(secret)]));
  return (headers, body, nowMs) => {
    const signer = [...hints].find(([secret]) =>
      isSignedWithSecret(secret, headers, { body, nowMs }),
    );
    if (!signer) return { ok: false, reason: 'signature' };
    const snapshot = parseSnapshot(body);
    const state = snapshot && toAttemptKnown(snapshot);
    if (!state || snapshot.acceptance === 'void') return { ok: false, reason: 'malformed' };
    const signed = signedReport(headers, { body, secretHint: signer[1] });
    return { ok: true, operationId: snapshot.operation_id, signed, ...state };
  };
}
