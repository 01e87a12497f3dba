import type { Transaction } from 'kysely';
import type { CountMore, Report } from '../../report/findings/findings.ts';
import {
  createRowIndex,
  differences,
  type RowDifference,
  type RowIndex,
  type RowTable,
  type RowWatch,
} from '../rows/row-index.ts';
import { auditedTables, type ModelName, type TableName } from '../rows/tables.ts';
import { putLiveMessages, putLiveRows, type LiveColumns } from './live-rows.ts';
import { reportRow } from './report-differences.ts';

type ReadModelComparison = {
  /** Rows checked, by table. */
  rows: Record<string, number>;
  /** Rows that differ from what the log gives. */
  different: number;
  messages: RowDifference[];
  /** Further differing messages that were not examined. */
  moreMessages: number;
};

type CompareOptions<DB> = {
  tx: Transaction<DB>;
  /** The rows that the log gives. */
  expected: RowIndex;
  columns: LiveColumns;
  folder: string;
  /** The read models that can be compared. */
  models: readonly ModelName[];
  /** Messages of events up to this time; undefined if there is no message table. */
  messagesUntilMs: number | undefined;
  shopId: string | undefined;
  report: Report;
  /** For what differs and is not examined. */
  countMore: CountMore;
  /** Reads the log again and passes on rows as text. */
  explain(watch: RowWatch): Promise<void>;
};

/** How many differences of each table are listed; the others are only counted. */
const maxListed = 50;
/** More for messages, because most of them may be in flight. */
const mostMessages = 20_000;

/**
 * Compares all rows of all tables with those of the log, both as hashes, then examines the
 * differences.
 */
export async function compareRows<DB>(options: CompareOptions<DB>): Promise<ReadModelComparison> {
  const { tx, folder, models, columns, messagesUntilMs, shopId, report, explain } = options;
  const rows: Record<string, number> = {};
  const tables = (Object.keys(auditedTables) as TableName[]).filter((name) =>
    models.includes(auditedTables[name].model),
  );
  const live = createRowIndex(folder, 'live');
  const putAll = async (index: RowIndex) => {
    for (const name of tables) rows[name] = await putLiveRows(tx, name, { index, shopId, columns });
    if (messagesUntilMs !== undefined)
      rows['messages'] = await putLiveMessages(tx, { index, untilMs: messagesUntilMs, shopId });
  };
  try {
    await putAll(live);
    const { listed, counts, unlisted } = findDifferences(options, { tables, live });
    const messageCount = counts.get('message') ?? 0;
    const different = [...counts.values()].reduce((sum, count) => sum + count, 0) - messageCount;
    for (const [kind, count] of unlisted) options.countMore(`read_model.${kind}`, count);
    if (listed.size === 0) return { rows, different, messages: [], moreMessages: 0 };
    const watch =
      (side: 'expected' | 'live'): RowWatch =>
      (hash, { row }) => {
        const difference = listed.get(hash);
        if (difference) Object.assign(difference, { [side]: row });
      };
    live.watch(watch('live'));
    await putAll(live);
    await explain(watch('expected'));
    const messages: RowDifference[] = [];
    for (const difference of listed.values()) {
      const { table } = difference;
      if (table === 'message') messages.push(difference);
      else
        reportRow(
          report,
          { ...difference, table },
          (columns.get(table) ?? []).map(({ name }) => name),
        );
    }
    return { rows, different, messages, moreMessages: messageCount - messages.length };
  } finally {
    live.close();
  }
}

/**
 * Counts differences by table, and stores those to examine. Tables that were not compared have no
 * live rows.
 */
function findDifferences<DB>(
  { expected }: CompareOptions<DB>,
  { tables, live }: { tables: readonly TableName[]; live: RowIndex },
) {
  const listed = new Map<bigint, RowDifference>();
  const counts = new Map<RowTable, number>();
  /** Rows that are only counted, without messages. */
  const unlisted = new Map<RowDifference['kind'], number>();
  const compared = new Set<RowTable>([...tables, 'message']);
  for (const difference of differences(expected, live)) {
    const { table, key, kind } = difference;
    if (!compared.has(table)) continue;
    const count = (counts.get(table) ?? 0) + 1;
    counts.set(table, count);
    if (count <= (table === 'message' ? mostMessages : maxListed)) listed.set(key, difference);
    else if (table !== 'message') unlisted.set(kind, (unlisted.get(kind) ?? 0) + 1);
  }
  return { listed, counts, unlisted };
}
