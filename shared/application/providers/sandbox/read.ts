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
type Read<Answer> = ({ ok: true } & Answer) | { fault: string };

/** Only a 200 with valid JSON about the requested attempt is a response of the provider. */
export function readSnapshot(answer: HttpAnswer, key: string): Read<{ snapshot: WireSnapshot }> {
  const fault = faultOf(answer);
  if (fault !== undefined) return { fault };
  const snapshot = parseSnapshot(answer.body);
  if (!snapshot) return { fault: 'not a snapshot' };
  return snapshot.key === key ? { ok: true, snapshot } : { fault: 'a snapshot of another attempt' };
}

export function readQuote(answer: HttpAnswer, key: string): Read<{ quote: WireQuote }> {
  const fault = faultOf(answer);
  if (fault !== undefined) return { fault };
  const quote = parse(wireQuoteSchema, answer.body);
  if (!quote) return { fault: 'not a quote' };
  return quote.key === key ? { ok: true, quote } : { fault: 'a quote for another attempt' };
}

export function readEvidence(answer: HttpAnswer): Read<{ evidence: WireEvidence }> {
  const fault = faultOf(answer);
  if (fault !== undefined) return { fault };
  const evidence = parse(wireEvidenceSchema, answer.body);
  return evidence ? { ok: true, evidence } : { fault: 'not evidence' };
}

/** A page of the statement of the requested day and currency. */
export function readStatement(
  answer: HttpAnswer,
  query: { currency: string; day: string; page: number },
): Read<{ statement: WireStatement }> {
  const fault = faultOf(answer);
  if (fault !== undefined) return { fault };
  const statement = parse(wireStatementSchema, answer.body);
  if (!statement) return { fault: 'not a statement' };
  const same =
    statement.currency === query.currency &&
    statement.day === query.day &&
    statement.page === query.page;
  return same ? { ok: true, statement } : { fault: 'another statement' };
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
export function readAccount(answer: HttpAnswer): Read<{ opens: boolean }> {
  if (answer.status === 401 && problemCode(answer) === 'api_key_invalid')
    return { ok: true, opens: false };
  const fault = faultOf(answer);
  if (fault !== undefined) return { fault };
  return parse(wireAccountSchema, answer.body)
    ? { ok: true, opens: true }
    : { fault: 'not an account' };
}

type ProviderFile = { content: Uint8Array; contentType: string };

/** A file; undefined if the provider itself responds that it does not exist. */
export function readFile(answer: HttpAnswer): Read<{ file?: ProviderFile }> {
  if (problemCode(answer) === 'not_found') return { ok: true };
  if (answer.status !== 200) return { fault: `status ${answer.status}` };
  if (answer.body.length === 0) return { fault: 'an empty file' };
  return { ok: true, file: { content: answer.body, contentType: answer.contentType } };
}

/** A snapshot that speaks of one attempt. */
export function parseSnapshot(body: Uint8Array): WireSnapshot | undefined {
  const snapshot = parse(wireSnapshotSchema, body);
  return snapshot?.key === attemptKey(snapshot?.operation_id ?? '', snapshot?.attempt ?? 0)
    ? snapshot
    : undefined;
}

function faultOf({ status, contentType }: HttpAnswer): string | undefined {
  if (status !== 200) return `status ${status}`;
  return contentType === 'application/json' ? undefined : 'not application/json';
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
