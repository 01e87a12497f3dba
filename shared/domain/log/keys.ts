import { dayMs } from '#shared/domain/day.ts';

/** When an instance of the version or with the key before may still run alongside the newer one. */
export const rolloutMs = dayMs;
/** By how much the clock of a service may be ahead of the store's. */
const clocksMs = 60_000;

type KeyEvent = { type: string; data: { key_id: string } };
type Begun = { keyId: string; atMs: number };
type RequiredKey = { position: number; from: number };

/** Which keys that all services share have signed, in their order, and which ones are required. */
export type LogKeyRules = {
  readonly begun: readonly Begun[];
  /** Since these positions, no key before the one with this number counts. */
  readonly required: readonly RequiredKey[];
};

export const noLogKeys: LogKeyRules = { begun: [], required: [] };

export function evolveLogKeys(
  rules: LogKeyRules,
  { type, data: { key_id: keyId } }: KeyEvent,
  { position, atMs }: { position: number; atMs: number },
): LogKeyRules {
  const from = rules.begun.findIndex((each) => each.keyId === keyId);
  if (type === 'LogKeyBegan') {
    const begun = { keyId, atMs };
    return {
      ...rules,
      begun: from < 0 ? [...rules.begun, begun] : rules.begun.with(from, begun),
    };
  }
  // What is required only goes forward.
  if (type === 'LogKeyRequired' && from > lastRequired(rules))
    return { ...rules, required: [...rules.required, { position, from }] };
  return rules;
}

const lastRequired = ({ required }: LogKeyRules): number => required.at(-1)?.from ?? -1;

/**
 * Whether an event whose signature is gone, or that never had one, counts nevertheless: as
 * signatures can be removed, but nobody can date an event back without rewriting the log, it may
 * begin a key for the first time, and require one whose day is over.
 */
export function countsUnsigned(
  { begun, required }: LogKeyRules,
  { type, data: { key_id: keyId } }: KeyEvent,
  { revision, atMs }: { revision: number; atMs: number },
): boolean {
  const number = begun.findIndex((each) => each.keyId === keyId);
  if (type === 'LogKeyBegan') return number < 0;
  // A new log requires its key with its second event.
  if (required.length === 0 && revision === 1) return true;
  return atMs >= (begun[number]?.atMs ?? atMs) + rolloutMs - clocksMs;
}

/** Whether all that counted by the earlier rules still does. */
export const areContinued = (earlier: LogKeyRules, later: LogKeyRules): boolean =>
  earlier.begun.every(({ keyId }, index) => later.begun[index]?.keyId === keyId) &&
  earlier.required.every(
    ({ position, from }, index) =>
      later.required[index]?.position === position && later.required[index]?.from === from,
  );

const requiredFrom = ({ required }: LogKeyRules, position: number): number =>
  required.findLast((each) => each.position < position)?.from ?? -1;

/** Whether an event at this position may be without a signature. */
export const mayBeUnsigned = (rules: LogKeyRules, position: number): boolean =>
  requiredFrom(rules, position) < 0;

/** Whether the key may have signed an event at this position. An unknown one is newer than all. */
export function maySign(rules: LogKeyRules, keyId: string, position: number): boolean {
  const number = rules.begun.findIndex((each) => each.keyId === keyId);
  return number < 0 || number >= requiredFrom(rules, position);
}

type SigningMoment = {
  keyId: string;
  nowMs: number;
  isNewLog: boolean;
  /** Whether the process has recorded nothing of its key yet. */
  isStart: boolean;
};

/**
 * What a process that signs with this key has to record, before it appends anything else. If none
 * ran when the key's day ended, it was rolled back, and its day begins anew.
 * @returns `replaced`: another key is required instead
 */
export function decideLogKeys(
  rules: LogKeyRules,
  { keyId, nowMs, isNewLog, isStart }: SigningMoment,
): 'replaced' | readonly KeyEvent['type'][] {
  const { begun } = rules;
  const number = begun.findIndex((each) => each.keyId === keyId);
  const since = lastRequired(rules);
  if (number < 0) return isNewLog ? ['LogKeyBegan', 'LogKeyRequired'] : ['LogKeyBegan'];
  if (number < since) return 'replaced';
  const isDue = number > since && nowMs - (begun[number]?.atMs ?? nowMs) > rolloutMs;
  if (!isDue || number < begun.length - 1) return [];
  return isStart ? ['LogKeyBegan'] : ['LogKeyRequired'];
}
