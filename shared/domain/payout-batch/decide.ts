import { memberPrefix } from '../member/events.ts';
import { needsSecondMember, type Shop } from '../shop/state.ts';
import type { PayoutBatchEvent, RowResult } from './events.ts';

type CheckedFile = Extract<PayoutBatchEvent, { type: 'PayoutBatchChecked' }>['data'];

/** Who acts, with which API key, or behind which links its session is (R21.7). */
export type Author = {
  actor: string;
  keyId?: string | undefined;
  linkIssuers?: readonly string[] | undefined;
};

/** A batch as its stream has it. */
export type PayoutBatch = {
  revision: number;
  /** Absent: there is no batch. */
  checked?: CheckedFile;
  /** The first uploader of the file: the same file again is the same batch. */
  uploadedBy?: Author;
  /** The results of the first rows, in their order. */
  results: readonly RowResult[];
};

export type CheckedBatch = PayoutBatch & { checked: CheckedFile; uploadedBy: Author };
export const isChecked = (batch: PayoutBatch): batch is CheckedBatch => batch.checked !== undefined;

export const noBatch: PayoutBatch = { revision: -1, results: [] };

export function evolveBatch(
  state: PayoutBatch,
  { type, data }: PayoutBatchEvent,
  {
    revision,
    metadata: { actor, key_id: keyId, link_issuers: linkIssuers },
  }: {
    revision: number;
    metadata: { actor: string; key_id?: string; link_issuers?: readonly string[] };
  },
): PayoutBatch {
  if (type === 'PayoutBatchChecked')
    return { ...state, revision, checked: data, uploadedBy: { actor, keyId, linkIssuers } };
  if (type === 'PayoutBatchRowsCreated')
    return { ...state, revision, results: [...state.results, ...data.results] };
  throw new Error(`${type} in the stream of a batch`);
}

/** The confirmed batches that are not done: by id, with what confirmed them. */
export type PayoutRuns = { revision: number; running: ReadonlyMap<string, BatchRun> };
export type BatchRun = {
  batchId: string;
  shopId: string;
  /** The event that confirmed it, its revision, and the request behind that. */
  causationId: string;
  revision: number;
  correlationId: string;
};

export const noRuns: PayoutRuns = { revision: -1, running: new Map() };

export function evolveRuns(
  { running }: PayoutRuns,
  { type, data }: PayoutBatchEvent,
  stored: { revision: number; id: string; metadata: { correlation_id: string } },
): PayoutRuns {
  const { revision } = stored;
  const { batch_id: batchId, shop_id: shopId } = data;
  const left = [...running].filter(([id]) => id !== batchId);
  if (type === 'PayoutBatchFinished') return { revision, running: new Map(left) };
  if (type !== 'PayoutBatchConfirmed') throw new Error(`${type} in the stream of runs`);
  const { id: causationId } = stored;
  const { correlation_id: correlationId } = stored.metadata;
  const run = { batchId, shopId, causationId, revision, correlationId };
  return { revision, running: new Map([...left, [batchId, run]]) };
}

/** Each row has its result, and there is one. */
export const isDone = ({ checked, results }: PayoutBatch): boolean =>
  checked !== undefined && results.length > 0 && results.length >= checked.rows;

/** With these a row has no payout: what has its name, if anything, is another operation. */
const withoutPayout: readonly string[] = [
  'personal_data_erased',
  'internal_error',
  'idempotency_body_mismatch',
];

/** Whether the result's operation is the row's payout, even one that was declined at once. */
export const hasPayout = ({ code }: RowResult): boolean =>
  code === undefined || !withoutPayout.includes(code);

/** The payouts of the rows so far. */
export const payoutIds = ({ results }: PayoutBatch): string[] =>
  results.filter(hasPayout).map(({ operation_id: id }) => id);

/** What a batch is answered with. */
export function batchStatus(batch: PayoutBatch, runs: PayoutRuns) {
  const failed = batch.results.filter(({ code }) => code !== undefined).length;
  const started = batch.results.length > 0 || runs.running.has(batch.checked?.batch_id ?? '');
  const status = isDone(batch) ? 'done' : started ? 'running' : 'checked';
  return { status, created: batch.results.length - failed, failed } as const;
}

/**
 * Why who confirms is no second member (R24.6). `no_member`: an API key is no person.
 * `uploaded_it`: the member who uploaded the file. `issued_access`: one member may be behind both,
 * as an issuer of the API key or of links that the sessions go back to.
 */
type NoSecondMember = 'no_member' | 'uploaded_it' | 'issued_access';

export function whyNoSecondMember(
  { uploadedBy }: CheckedBatch,
  { by, shop }: Confirmation,
): NoSecondMember | undefined {
  if (!needsSecondMember(shop)) return undefined;
  if (!by.actor.startsWith(memberPrefix)) return 'no_member';
  if (by.actor === uploadedBy.actor) return 'uploaded_it';
  const uploaders = membersBehind(uploadedBy, shop);
  const isOfOne = membersBehind(by, shop).some((member) => uploaders.includes(member));
  return isOfOne ? 'issued_access' : undefined;
}

function membersBehind(
  { actor, keyId, linkIssuers = [] }: Author,
  { apiKeys }: Confirmation['shop'],
): string[] {
  const keyIssuers = apiKeys.find((key) => key.keyId === keyId)?.issuedBy ?? [];
  const all = [actor, ...linkIssuers, ...keyIssuers];
  return all.filter((each) => each.startsWith(memberPrefix));
}

export type BatchConfirmation =
  | { events: PayoutBatchEvent[] }
  | { refusal: { code: 'unknown_batch' | 'file_has_errors' } }
  | { refusal: { code: 'second_member_required'; because: NoSecondMember } };

/** `shop`: as it was read for this decision. */
type Confirmation = { by: Author; shop: Pick<Shop, 'settings' | 'apiKeys'> };

/** Confirmed twice it runs once. */
export function confirmBatch(
  batch: PayoutBatch,
  runs: PayoutRuns,
  confirmation: Confirmation,
): BatchConfirmation {
  if (!isChecked(batch)) return { refusal: { code: 'unknown_batch' } };
  const { errors, batch_id, shop_id } = batch.checked;
  if (errors.length > 0) return { refusal: { code: 'file_has_errors' } };
  if (isDone(batch) || runs.running.has(batch_id)) return { events: [] };
  const because = whyNoSecondMember(batch, confirmation);
  if (because !== undefined) return { refusal: { code: 'second_member_required', because } };
  return { events: [{ type: 'PayoutBatchConfirmed', data: { batch_id, shop_id } }] };
}

type RecordDecision = { events: PayoutBatchEvent[] } | { refusal: { code: 'overtaken' } };

/**
 * `from`: how many rows had a result when the work on these began; another instance may have got
 * further.
 */
export function recordResults(
  { checked, results: before }: PayoutBatch,
  { from, results }: { from: number; results: readonly RowResult[] },
): RecordDecision {
  if (!checked || before.length !== from) return { refusal: { code: 'overtaken' } };
  const { batch_id, shop_id } = checked;
  const data = { batch_id, shop_id, results: [...results] };
  return { events: [{ type: 'PayoutBatchRowsCreated', data }] };
}
