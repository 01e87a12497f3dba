import { z } from 'zod';
import type { HttpAnswer } from '../http-call.ts';
import { attemptKey } from '../connector.ts';
import {
  wireAccountSchema,
  wireEvidenceSchema,
  wireQuoteSchema,
  wireSnapshotSchema,
  wireStatementSchema,
  type WireEvidence,
  type WireQuote,
  type WireSnapshot,
  type WireStatement,
} from './wire.ts';

/** The content of an answer, or why it is not an answer of the provider. */
type Read<Content> = { ok: true; content: Content } | { fault: string };

/** A snapshot that speaks of one attempt. */
const snapshotSchema = wireSnapshotSchema.refine(
  ({ key, operation_id, attempt }) => key === attemptKey(operation_id, attempt),
);

export const parseSnapshot = (body: Uint8Array) => parse(snapshotSchema, body);

export const readAttemptSnapshot = (answer: HttpAnswer, key: string): Read<WireSnapshot> =>
  readJson(answer, snapshotSchema, {
    what: 'snapshot',
    isRequested: (snapshot) => snapshot.key === key,
  });

export const readQuote = (answer: HttpAnswer, key: string): Read<WireQuote> =>
  readJson(answer, wireQuoteSchema, { what: 'quote', isRequested: (quote) => quote.key === key });

export const readAttemptEvidence = (answer: HttpAnswer): Read<WireEvidence> =>
  readJson(answer, wireEvidenceSchema, { what: 'evidence' });

/** A page of the statement of the requested day and currency. */
export const readStatementPage = (
  answer: HttpAnswer,
  query: { currency: string; day: string; page: number },
): Read<WireStatement> =>
  readJson(answer, wireStatementSchema, {
    what: 'statement',
    isRequested: ({ currency, day, page }) =>
      currency === query.currency && day === query.day && page === query.page,
  });

/** Only a 200 with valid JSON about what was requested is a response of the provider. */
function readJson<Schema extends z.ZodType>(
  { status, contentType, body }: HttpAnswer,
  schema: Schema,
  {
    what,
    isRequested = () => true,
  }: { what: string; isRequested?(content: z.infer<Schema>): boolean },
): Read<z.infer<Schema>> {
  if (status !== 200) return { fault: `status ${status}` };
  if (contentType !== 'application/json') return { fault: 'not application/json' };
  const content = parse(schema, body);
  if (content === undefined) return { fault: `no ${what}` };
  return isRequested(content) ? { ok: true, content } : { fault: `another ${what}` };
}

/** The provider's own refusals of a receipt, by the code in its problem. */
const refusals = [
  'confirmation_not_expected',
  'idempotency_body_mismatch',
  'not_found',
  'body_too_large',
];

export function readRefusal(answer: HttpAnswer): { ok: true; refusal: string } | undefined {
  const code = problemCode(answer);
  return code !== undefined && refusals.includes(code) ? { ok: true, refusal: code } : undefined;
}

/**
 * Whether the key is valid: the provider names its owner, or responds that it knows no such key.
 */
export function readAccountState(answer: HttpAnswer): Read<{ opens: boolean }> {
  if (answer.status === 401 && problemCode(answer) === 'api_key_invalid')
    return { ok: true, content: { opens: false } };
  const account = readJson(answer, wireAccountSchema, { what: 'account' });
  return 'ok' in account ? { ok: true, content: { opens: true } } : account;
}

type ProviderFile = { content: Uint8Array; contentType: string };

/** A file; undefined if the provider itself responds that it does not exist. */
export function readProviderFile(answer: HttpAnswer): Read<ProviderFile | undefined> {
  if (problemCode(answer) === 'not_found') return { ok: true, content: undefined };
  if (answer.status !== 200) return { fault: `status ${answer.status}` };
  if (answer.body.length === 0) return { fault: 'an empty file' };
  return { ok: true, content: { content: answer.body, contentType: answer.contentType } };
}

const problemSchema = z.object({ status: z.int(), code: z.string() });

function problemCode({ status, contentType, body }: HttpAnswer): string | undefined {
  if (status === 200 || contentType !== 'application/problem+json') return undefined;
  const problem = parse(problemSchema, body);
  return problem?.status === status ? problem.code : undefined;
}

function parse<Schema extends z.ZodType>(
  schema: Schema,
  body: Uint8Array,
): z.infer<Schema> | undefined {
  try {
    return schema.safeParse(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)))
      .data;
  } catch {
    return undefined;
  }
}
