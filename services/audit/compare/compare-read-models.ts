import type { Transaction } from 'kysely';
import type { Report } from '../findings/findings.ts';
import {
  createRowIndex,
  differences,
  type RowDifference,
  type RowIndex,
  type Watch,
} from '../rows/row-index.ts';
import { auditedTables, type ModelName, type TableName } from '../rows/tables.ts';
import { putLiveMessages, putLiveRows } from './live-rows.ts';
import { tellRow } from './tell-differences.ts';

export type Compared = {
  /** Rows looked at, by table. */
  rows: Record<string, number>;
  /** Rows that are not as the log gives them. */
  different: number;
  messages: MessageDifference[];
};

/** A webhook's message that is not as the log gives it: whether that is wrong is for `judgeMessages`. */
export type MessageDifference = RowDifference & { expected?: string; live?: string };

type FoundDifference = RowDifference & { table?: string; expected?: string; live?: string };

export type CompareOptions<DB> = {
  tx: Transaction<DB>;
  /** What the log gives. */
  expected: RowIndex;
  folder: string;
  /** Those that can be compared. */
  models: readonly ModelName[];
  /** Messages of events up to then, where webhooks are compared. */
  messagesUntilMs: number | undefined;
  shopId: string | undefined;
  report: Report;
  /** The texts of rows as the log gives them, from another reading of it. */
  explain(watch: Watch): Promise<void>;
};

/** Differences that are looked into, of each kind of table; the others are counted. */
const mostTold = 50;

const tablesOf = (models: readonly ModelName[]): TableName[] =>
  (Object.keys(auditedTables) as TableName[]).filter((name) => models.includes(auditedTables[name].model));

/** Compares all rows of all tables with what the log gives, both as hashes; then looks into what is not the same. */
export async function compareRows<DB>(options: CompareOptions<DB>): Promise<Compared> {
  const { tx, expected, folder, models, messagesUntilMs, shopId, report, explain } = options;
  const rows: Record<string, number> = {};
  const tables = tablesOf(models);
  const live = createRowIndex(folder, 'live');
  const putAll = async (index: RowIndex) => {
    for (const name of tables) rows[name] = await putLiveRows(tx, name, { index, shopId });
    if (messagesUntilMs !== undefined)
      rows['messages'] = await putLiveMessages(tx, { index, untilMs: messagesUntilMs, shopId });
  };
  try {
    await putAll(live);
    const found = new Map<bigint, FoundDifference>();
    let different = 0;
    for (const difference of differences(expected, live)) {
      different += 1;
      if (found.size < mostTold * tables.length) found.set(difference.key, difference);
    }
    if (different === 0) return { rows, different, messages: [] };
    const watch =
      (side: 'expected' | 'live'): Watch =>
      (hash, { table, row }) => {
        const difference = found.get(hash);
        if (difference) Object.assign(difference, { table, [side]: row });
      };
    live.watch(watch('live'));
    await putAll(live);
    await explain(watch('expected'));
    const messages: MessageDifference[] = [];
    for (const difference of found.values()) {
      const table = tables.find((name) => name === difference.table);
      if (table === undefined) messages.push(difference);
      else tellRow(report, { ...difference, table });
    }
    return { rows, different: different - messages.length, messages };
  } finally {
    live.close();
  }
}
