import { createHash, createPrivateKey, createPublicKey, sign, type KeyObject } from 'node:crypto';

// Tests change any member of it.
// oxlint-disable-next-line typescript/no-explicit-any
export type Json = any;

type Kind = 'credit' | 'reserve' | 'capture' | 'release' | 'adjustment' | 'suspense';
/** In minor units: what an entry adds to the balance and to the reserved funds. */
export type Move = {
  kind: Kind;
  amount: number;
  reserved: number;
  /** Members that the entry has instead of those that follow from its moves. */
  instead?: Record<string, unknown>;
};

/** A key that signs checkpoints, and how `GET /v1/keys` shows it. */
type SigningKey = { secret: KeyObject; listed: Record<string, string | null> };

function createKey(seed: number, valid: { from: string; until: string | null }): SigningKey {
  const prefix = Buffer.from('302e020100300506032b657004220420', 'hex');
  const der = Buffer.concat([prefix, Buffer.alloc(32, seed)]);
  const secret = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  const { kty = '', crv = '', x = '' } = createPublicKey(secret).export({ format: 'jwk' });
  const key_id = `key-${seed}`;
  return {
    secret,
    listed: { key_id, kty, crv, x, valid_from: valid.from, valid_until: valid.until },
  };
}

export const signingKey = createKey(7, { from: '2026-01-01T00:00:00.000Z', until: null });
/** Its validity ended before the first entry. */
export const endedKey = createKey(8, {
  from: '2025-01-01T00:00:00.000Z',
  until: '2026-01-01T00:00:00.000Z',
});

/** The answer of `GET /v1/keys`. */
export const keys: Json = { keys: [endedKey.listed, signingKey.listed] };

const sha256 = (...parts: readonly (string | Buffer)[]): Buffer => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
};

/** The recursive definitions of RFC 9162, section 2.1. */
function treeFrom(leaves: readonly Buffer[]) {
  const known = new Map<number, Buffer>();
  const split = (size: number) => 2 ** Math.floor(Math.log2(size - 1));
  const root = (from: number, to: number): Buffer => {
    if (to === from) return sha256();
    if (to - from === 1) return leaves[from] ?? sha256();
    const name = from * 2 ** 25 + to;
    const middle = from + split(to - from);
    const hash = known.get(name) ?? sha256('\u0001', root(from, middle), root(middle, to));
    known.set(name, hash);
    return hash;
  };
  const path = (leaf: number, from: number, to: number): Buffer[] => {
    if (to - from === 1) return [];
    const middle = from + split(to - from);
    return leaf < middle
      ? [...path(leaf, from, middle), root(middle, to)]
      : [...path(leaf, middle, to), root(from, middle)];
  };
  /** `whole`: the smaller tree is this subtree, so its root is known. */
  const subproof = (
    size: number,
    { from, to, whole }: { from: number; to: number; whole: boolean },
  ): Buffer[] => {
    if (size === to) return whole ? [] : [root(from, to)];
    const middle = from + split(to - from);
    return size <= middle
      ? [...subproof(size, { from, to: middle, whole }), root(middle, to)]
      : [...subproof(size, { from: middle, to, whole: false }), root(from, middle)];
  };
  return {
    root: (size: number) => root(0, size),
    inclusion: (index: number, size: number) => path(index, 0, size),
    consistency: (from: number, to: number) =>
      from === 0 || from === to ? [] : subproof(from, { from: 0, to, whole: true }),
  };
}

/** The time of the entry with that index; of a fraction, between two of them. */
export const timeAt = (index: number): string =>
  new Date(Date.parse('2026-01-31T12:00:00.000Z') + index * 1_000).toISOString();

const decimal = (minor: number): string => (minor / 100).toFixed(2);
const encode = (hashes: readonly Buffer[]) => hashes.map((each) => each.toString('base64url'));

/** RFC 8785, of an object of texts. */
const canonical = (members: Record<string, unknown>): string => {
  const names = Object.keys(members).toSorted();
  return `{${names.map((name) => `"${name}":${JSON.stringify(members[name])}`).join(',')}}`;
};

function entriesFrom(ledger: string, moves: readonly Move[]) {
  let [balance, reserved] = [0, 0];
  return moves.map((move, index) => {
    balance += move.amount;
    reserved += move.reserved;
    const ofOperation = move.kind !== 'adjustment';
    const content: Record<string, unknown> = {
      entry_id: `${ledger}-${index}`,
      operation_id: ofOperation ? `operation-${index}` : null,
      merchant_operation_id: ofOperation ? `заказ "${index}" 🙂` : null,
      kind: move.kind,
      amount: decimal(move.amount),
      reserved: decimal(reserved),
      balance: decimal(balance),
      at: timeAt(index),
      ...move.instead,
    };
    return { content, leaf: sha256('\u0000', canonical(content)) };
  });
}

/** A checkpoint, signed. */
export function signCheckpoint(
  { origin, tree_size, root, at }: Json,
  { secret, listed }: SigningKey = signingKey,
): Json {
  const text = `${origin}\n${tree_size}\n${Buffer.from(root, 'base64url').toString('base64')}\n${at}\n`;
  const signature = sign(null, Buffer.from(text), secret).toString('base64url');
  return { origin, tree_size, root, at, key_id: listed['key_id'], signature };
}

/** A period, and its tree: the numbers are indices of entries, one a second. */
type Wanted = {
  from: number;
  to: number;
  /** How many leaves the checkpoint has; all unless given. */
  size?: number;
  /** When it was signed; right after its last entry and the period, unless given. */
  at?: number;
  /** Right before its first entry, unless given. */
  fromSize?: number;
  /** Which entries; those of the period unless given. */
  begin?: number;
  end?: number;
};

/** The statements of a shop's ledger with these moves, one entry per second. */
export function createLedger(shop: string, currency: string, moves: readonly Move[]) {
  const entries = entriesFrom(`${shop}-${currency}`, moves);
  const tree = treeFrom(entries.map(({ leaf }) => leaf));
  const indexAt = (time: number) => {
    const index = entries.findIndex(({ content }) => String(content['at']) >= timeAt(time));
    return index < 0 ? entries.length : index;
  };
  return (wanted: Wanted): Json => {
    const { from, to, size = entries.length, at = Math.max(size, to) } = wanted;
    const { begin = indexAt(from), end = Math.min(indexAt(to), size) } = wanted;
    const { fromSize = Math.min(begin, size) } = wanted;
    const proved = (index: number): Json => {
      const entry = index >= 0 && index < size ? entries[index] : undefined;
      if (!entry) return null;
      const proof = { index, hashes: encode(tree.inclusion(index, size)) };
      return { ...entry.content, leaf: entry.leaf.toString('base64url'), proof };
    };
    const balanceBefore = (index: number) => entries[index - 1]?.content['balance'] ?? '0.00';
    const root = tree.root(size).toString('base64url');
    const unsigned = { origin: `${shop}/${currency}`, tree_size: size, root, at: timeAt(at) };
    return {
      version: 2,
      shop_id: shop,
      currency,
      from: timeAt(from),
      to: timeAt(to),
      opening: balanceBefore(begin),
      closing: balanceBefore(end),
      before: proved(begin - 1),
      entries: Array.from({ length: end - begin }, (_, place) => proved(begin + place)),
      after: proved(end),
      checkpoint: signCheckpoint(unsigned),
      consistency: { from_size: fromSize, proof: encode(tree.consistency(fromSize, size)) },
    };
  };
}

const cycle: readonly Move[] = [
  { kind: 'credit', amount: 9_750, reserved: 0 },
  { kind: 'reserve', amount: -5_100, reserved: 5_100 },
  { kind: 'suspense', amount: 0, reserved: 0 },
  { kind: 'capture', amount: 0, reserved: -5_100 },
  { kind: 'adjustment', amount: -33, reserved: 0 },
  { kind: 'reserve', amount: -700, reserved: 700 },
  { kind: 'release', amount: 700, reserved: -700 },
];

/** Moves of every kind, some without an amount. */
export const sampleMoves = (count: number): Move[] =>
  Array.from({ length: count }, (_, index) => ({ ...(cycle[index % cycle.length] as Move) }));
