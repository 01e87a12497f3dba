import { decodeLogEvent, logKeysStream } from '#shared/domain/log/events.ts';
import { UntrustedEvent } from '#shared/domain/decode.ts';
import {
  areContinued,
  countsUnsigned,
  decideLogKeys,
  evolveLogKeys,
  maySign,
  mayBeUnsigned,
  noLogKeys,
  type LogKeyRules,
} from '#shared/domain/log/keys.ts';
import { retainsOnlyNewest } from '#shared/domain/log/retention.ts';
import type { Verifier, VerifierPorts } from '#shared/platform/event-store/verifier.ts';
import { newId } from '#shared/platform/ids.ts';
import { createdMs, type RawEvent } from '#shared/platform/event-store/reading/raw-event.ts';
import { toStoredEvent } from '#shared/platform/event-store/reading/stored-event.ts';
import {
  isSignedBy,
  readCommonSignature,
  type LogKey,
  type EventSigner,
} from '#shared/platform/event-store/signature.ts';
import { NO_STREAM, type AppendRequest } from '#shared/platform/event-store/types.ts';

type VerifierOptions = {
  signer: EventSigner;
  /** Called with each event that no service has signed, whenever it is to be decided upon. */
  onUntrusted?(event: RawEvent, reason: string): void;
  /** Called with each reason why nothing may be appended any more; undefined: it may again. */
  onRefused?(reason: string | undefined): void;
  now?(): number;
  refreshEveryMs?: number;
};

/** Others require a key a day after it began: a minute more is nothing. */
const defaultRefreshEveryMs = 60_000;

/**
 * Verifies what services decide upon: since the log is signed, only what one of them has appended
 * (docs/decisions/signed-log.md).
 */
export function createVerifier(ports: VerifierPorts, options: VerifierOptions): Verifier {
  const { signer, onUntrusted = () => undefined } = options;
  const byId = new Map((signer.common ?? []).map((key) => [key.id, key]));
  const record = createKeyRecord(ports, { ...options, byId });
  const findReason = (event: RawEvent): string | undefined => {
    const reason = whyUntrusted(event, { rules: record.rules(), byId });
    if (reason !== undefined) onUntrusted(event, reason);
    return reason;
  };
  const verify = (event: RawEvent) => {
    const reason = findReason(event);
    if (reason === undefined) return;
    const { type, stream, revision } = event;
    throw new UntrustedEvent(`${type} at revision ${revision} of ${stream}: ${reason}`);
  };
  return {
    ready: record.ready,
    beginToSign: record.beginToSign,
    toStoredEvent: (raw) => {
      let unverified: RawEvent | undefined = raw;
      const verifyOnce = () => {
        if (unverified) verify(unverified);
        unverified = undefined;
      };
      return { ...toStoredEvent(raw), verify: verifyOnce };
    },
    isTrusted: (raw) => findReason(raw) === undefined,
    isOfUnknownKey: ({ metadata }) => {
      const signature = readCommonSignature(metadata);
      return signature !== undefined && !byId.has(signature.keyId);
    },
    stop: record.stop,
  };
}

type RecordOptions = VerifierOptions & { byId: ReadonlyMap<string, LogKey> };

/** The stream of the keys that all services share, as this process knows and writes it. */
function createKeyRecord(ports: VerifierPorts, options: RecordOptions) {
  const { signer, byId, now = Date.now, refreshEveryMs = defaultRefreshEveryMs } = options;
  const { onUntrusted = () => undefined } = options;
  const [key] = signer.common ?? [];
  let rules = noLogKeys;
  let newest = NO_STREAM;
  let loading: Promise<void> | undefined;
  let recording: Promise<void> | undefined;
  let hasBegun = false;
  const refusal = createRefusal(options);

  /** @throws if what the stream said before is gone: unsigned events would count again */
  const read = async (atLeast = newest): Promise<void> => {
    const events = await ports.read(logKeysStream);
    newest = Math.max(newest, events.at(-1)?.revision ?? NO_STREAM);
    const isCut = events.length <= Math.max(newest, atLeast);
    const later = isCut ? noLogKeys : foldRules(events, { byId, onUntrusted });
    const problem = isCut ? 'are gone' : whyNotContinued(rules, later, events);
    if (problem !== undefined)
      throw refusal.set(
        `events of the stream ${logKeysStream} ${problem}: nothing can be verified`,
      );
    rules = later;
  };
  /** Reads on, and records what is due for the key that this process signs with. */
  const record = async ({ id }: LogKey): Promise<void> => {
    await read();
    const isNewLog = rules.begun.length === 0 && (await ports.isNew());
    const signing = { keyId: id, nowMs: now(), isNewLog, isStart: !hasBegun };
    const due = decideLogKeys(rules, signing);
    refusal.set(
      due === 'replaced' ? `LOG_SIGNING_KEYS: the key ${id} of the log was replaced` : undefined,
    );
    if (due !== 'replaced' && due.length > 0) {
      const request = keyEvents(due, { signer, keyId: id, revision: newest });
      const { outcome } = await ports.append(request);
      if (outcome === 'unknown') return;
      // Whoever was first: after either there is one more.
      await read(newest + 1);
    }
    hasBegun = true;
  };
  /** Appends that wait for the same share it. */
  const recordOnce = (by: LogKey): Promise<void> =>
    (recording ??= record(by).finally(() => (recording = undefined)));
  const refresh = (): Promise<void> => (key && hasBegun ? recordOnce(key) : read());
  const refreshing = setInterval(() => {
    // What is known still holds; the next one tries again.
    if (loading) refresh().catch(() => undefined);
  }, refreshEveryMs);
  refreshing.unref();
  return {
    rules: () => rules,
    ready: () => {
      loading ??= refresh().catch((error: unknown) => {
        loading = undefined;
        throw error;
      });
      return loading;
    },
    beginToSign: async () => {
      // A store that lags may have shown too few events.
      const isDue = refusal.now() !== undefined || !hasBegun;
      if (key && isDue) await recordOnce(key).catch(() => undefined);
      return refusal.now();
    },
    stop: () => clearInterval(refreshing),
  };
}

/** Why this process may not append. */
function createRefusal({ onRefused = () => undefined }: Pick<VerifierOptions, 'onRefused'>) {
  let refusal: Error | undefined;
  return {
    now: () => refusal,
    set: (reason: string | undefined): Error | undefined => {
      if (reason !== refusal?.message) onRefused(reason);
      refusal = reason === undefined ? undefined : new Error(reason);
      return refusal;
    },
  };
}

type FoldPorts = {
  byId: ReadonlyMap<string, LogKey>;
  onUntrusted(event: RawEvent, reason: string): void;
};

/** Since when which key counts. Who has not got a key can neither begin nor require it. */
function foldRules(events: readonly RawEvent[], { byId, onUntrusted }: FoldPorts): LogKeyRules {
  let rules = noLogKeys;
  for (const event of events) {
    const { position, revision } = event;
    const place = { position, revision, atMs: createdMs(event) };
    const keyEvent = readKeyEvent(event);
    const reason = keyEvent
      ? (whyNotOfKey(event, keyEvent.data.key_id) ?? whyUntrusted(event, { rules, byId }))
      : 'it is about no key of the log';
    if (reason !== undefined) onUntrusted(event, reason);
    if (!keyEvent) continue;
    const isOwn = byId.has(keyEvent.data.key_id);
    if (reason === undefined || (isOwn && countsUnsigned(rules, keyEvent, place)))
      rules = evolveLogKeys(rules, keyEvent, place);
  }
  return rules;
}

/** Undefined for one that can't be read: the service that begins a key writes what all can read. */
function readKeyEvent(event: RawEvent): { type: string; data: { key_id: string } } | undefined {
  try {
    const { type, data } = decodeLogEvent(toStoredEvent(event));
    return 'key_id' in data ? { type, data } : undefined;
  } catch {
    return undefined;
  }
}

/** These events always have the signature of the key that they are about. */
function whyNotOfKey({ metadata }: RawEvent, keyId: string): string | undefined {
  const signedWith = readCommonSignature(metadata)?.keyId ?? 'no key';
  return signedWith === keyId
    ? undefined
    : `it is about the key ${keyId}, and signed with ${signedWith}`;
}

/** Why a process may not go by what the stream says now. */
function whyNotContinued(
  earlier: LogKeyRules,
  later: LogKeyRules,
  { length }: readonly RawEvent[],
): string | undefined {
  if (!areContinued(earlier, later)) return 'are other ones than before';
  return length > 0 && later.begun.length === 0 ? 'name no key of LOG_SIGNING_KEYS' : undefined;
}

/** Why nothing may be decided upon an event; undefined if it may. */
function whyUntrusted(
  event: RawEvent,
  { rules, byId }: { rules: LogKeyRules; byId: ReadonlyMap<string, LogKey> },
): string | undefined {
  const { stream, metadata, position } = event;
  // A move fills revisions that are gone with copies, and nothing is decided upon these.
  if (retainsOnlyNewest(stream)) return undefined;
  const signature = readCommonSignature(metadata);
  if (!signature)
    return mayBeUnsigned(rules, position) ? undefined : 'no service of the gateway has signed it';
  const { keyId } = signature;
  const key = byId.get(keyId);
  if (!key) return `LOG_SIGNING_KEYS has no key ${keyId} of the log`;
  if (!maySign(rules, keyId, position)) return `the key ${keyId} of the log was replaced before it`;
  return isSignedBy(key, signature, event) ? undefined : 'its signature does not match it';
}

function keyEvents(
  types: readonly string[],
  { signer, keyId, revision }: { signer: EventSigner; keyId: string; revision: number },
): AppendRequest {
  const correlationId = newId();
  return {
    stream: logKeysStream,
    expectedRevision: revision,
    signer,
    events: types.map((type) => ({
      id: newId(),
      type,
      data: { key_id: keyId },
      metadata: {
        correlation_id: correlationId,
        actor: `service:${signer.service}`,
        schema_version: 1,
      },
    })),
  };
}
