import type { z } from 'zod';
import { createHttpClient, type HttpClient } from '#shared/platform/http-client/client.ts';
import type { Logger } from '#shared/platform/logging/logger.ts';
import type { CallBounds } from '#shared/application/providers/connector.ts';
import {
  callProvider,
  type HttpAnswer,
  type HttpOutcome,
} from '#shared/application/providers/http-call.ts';
import {
  bankContentType,
  bankPaths,
  decodeRecords,
  encodeRecords,
  type BankRecord,
} from './wire.ts';

const maxAnswerBytes = 4 * 1024 * 1024;
const maxConnections = 64;

export type BankClientSettings = {
  url: string;
  account: string;
  key: string;
  logger: Logger;
  /** How the bank is reached, where that is not over HTTP connections of its own. */
  client?: HttpClient;
};

export type NoBankAnswer = { ok: false; cause: 'timeout' | 'error' };
export const unknown = ({
  cause,
}: NoBankAnswer): { outcome: 'unknown'; cause: 'timeout' | 'error' } => ({
  outcome: 'unknown',
  cause,
});
type BankAnswer = { ok: true; records: readonly BankRecord[] };

export type BankClient = {
  readonly account: string;
  get(path: string, bounds: CallBounds): Promise<BankAnswer | NoBankAnswer>;
  /** Whether the bank accepts the key. */
  opens(path: string, bounds: CallBounds): Promise<{ ok: true; opens: boolean } | NoBankAnswer>;
  /** An order, sent once. */
  order(form: BankRecord, bounds: CallBounds): Promise<BankAnswer | NoBankAnswer>;
  /** Rejects a response that can't be parsed, with the reason. */
  refuse(fault: string): NoBankAnswer;
  close(): Promise<void>;
};

/** The bank over HTTP. Only a 200 in its own words is an answer. */
export function createBankClient({
  url,
  account,
  key,
  logger,
  client: given,
}: BankClientSettings): BankClient {
  const { origin, pathname } = new URL(url);
  const prefix = pathname.replace(/\/+$/, '');
  const client = given ?? createHttpClient(origin, { maxConnections });
  const authorization = `Basic ${Buffer.from(`${account}:${key}`).toString('base64')}`;

  const refuse = (fault: string): NoBankAnswer => {
    logger.warn({ provider: 'bank', account, fault }, 'no response from the provider');
    return { ok: false, cause: 'error' };
  };

  const send = (
    method: 'GET' | 'POST',
    { path, body }: { path: string; body?: string },
    bounds: CallBounds,
  ): Promise<HttpOutcome> =>
    callProvider(
      client,
      {
        method,
        path: `${prefix}${path}`,
        headers: { authorization, ...(body !== undefined && { 'content-type': bankContentType }) },
        ...(body !== undefined && { body }),
        maxAnswerBytes,
        // A transfer has no key.
        repeatable: method === 'GET',
      },
      bounds,
    );

  async function call(...request: Parameters<typeof send>): Promise<BankAnswer | NoBankAnswer> {
    const outcome = await send(...request);
    if (!outcome.ok) {
      refuse(outcome.fault);
      return { ok: false, cause: outcome.cause };
    }
    const records = parseRecords(outcome);
    return typeof records === 'string' ? refuse(records) : { ok: true, records };
  }

  return {
    account,
    get: (path, bounds) => call('GET', { path }, bounds),
    opens: async (path, bounds) => {
      const outcome = await send('GET', { path }, bounds);
      if (!outcome.ok) return { ok: false, cause: outcome.cause };
      if (outcome.status === 401 && isRefusal(outcome)) return { ok: true, opens: false };
      const records = parseRecords(outcome);
      if (typeof records === 'string') return refuse(records);
      return records[0]?.['account'] === account
        ? { ok: true, opens: true }
        : refuse('another account');
    },
    order: (form, bounds) =>
      call('POST', { path: bankPaths.transfers, body: encodeRecords([form]).trimEnd() }, bounds),
    refuse,
    close: () => client.close(),
  };
}

/**
 * Whether the bank itself refuses the key; a 401 from a proxy means nothing.
 */
function isRefusal({ contentType, body }: HttpAnswer): boolean {
  const [record] = (contentType === bankContentType && decodeRecords(body)) || [];
  return record?.['result'] === 'error' && record['code'] === 'unauthorized';
}

function parseRecords({ status, contentType, body }: HttpAnswer): BankRecord[] | string {
  if (status !== 200) return `status ${status}`;
  if (contentType !== bankContentType) return 'no form';
  return decodeRecords(body) ?? 'no records';
}

/** A record of the right shape, or undefined. */
export function parseSingleRecord<Schema extends z.ZodType>(
  schema: Schema,
  record: BankRecord | undefined,
): z.infer<Schema> | undefined {
  return schema.safeParse(record).data;
}
