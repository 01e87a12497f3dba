import type { DatabaseSync } from 'node:sqlite';
import {
  wireStatementLineSchema,
  type WireStatementLine,
} from '#shared/application/providers/sandbox/wire.ts';
import type { SandboxMovement } from '../attempt/movements.ts';

export const movementsSchema = `
-- All movements of money, for statements. Amounts are in minor units. The currency is followed by the account, except
-- for the first account.
CREATE TABLE IF NOT EXISTS movements (
  seq INTEGER PRIMARY KEY,
  key TEXT NOT NULL,
  currency TEXT NOT NULL,
  completed_at TEXT NOT NULL,
  signed INTEGER NOT NULL,
  line TEXT NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS movements_key ON movements (key);
CREATE INDEX IF NOT EXISTS movements_time ON movements (currency, completed_at, seq, signed);
`;

const part = 1_000_000n;

export type Movements = ReturnType<typeof createMovements>;
type Period = { account?: string | undefined; currency: string; from: string; until: string };

const holding = ({ account, currency }: Pick<SandboxMovement, 'account' | 'currency'>) =>
  account === undefined ? currency : `${currency} ${account}`;

export function createMovements(db: DatabaseSync) {
  const clear = db.prepare('DELETE FROM movements WHERE key = ?');
  const insert = db.prepare(
    'INSERT INTO movements (key, currency, completed_at, signed, line) VALUES (?, ?, ?, ?, ?)',
  );
  const within = 'FROM movements WHERE currency = ? AND completed_at >= ? AND completed_at < ?';
  const between = db.prepare(`SELECT line ${within} ORDER BY completed_at, seq LIMIT ? OFFSET ?`);
  // Added in two parts: a day's sum of the largest amounts would overflow SQLite's integers.
  const totals = db.prepare(
    `SELECT count(*) AS count, sum(signed / ${part}) AS high, sum(signed % ${part}) AS low ${within}`,
  );
  totals.setReadBigInts(true);
  const total = (of: Period) => totals.get(holding(of), of.from, of.until);
  return {
    /** Replaces all movements of an attempt. */
    put: (key: string, movements: readonly SandboxMovement[]): void => {
      clear.run(key);
      for (const movement of movements) {
        const { line } = movement;
        const minor = BigInt(line.amount.replace('.', ''));
        const signed = line.direction === 'in' ? minor : -minor;
        insert.run(key, holding(movement), line.completed_at, signed, JSON.stringify(line));
      }
    },
    /** The movements of a currency in a half-open interval of time, oldest first. */
    between: ({
      from,
      until,
      limit,
      offset,
      ...of
    }: Period & { limit: number; offset: number }): WireStatementLine[] =>
      between
        .all(holding(of), from, until, limit, offset)
        .map((row) => wireStatementLineSchema.parse(JSON.parse(String(row['line'])))),
    count: (of: Period) => Number(total(of)?.['count'] ?? 0),
    /** The sum of what came in less what went out, in minor units. */
    sum: (of: Period): bigint => {
      const row = total(of);
      return BigInt(String(row?.['high'] ?? 0)) * part + BigInt(String(row?.['low'] ?? 0));
    },
  };
}
