import { sql, type Kysely } from 'kysely';
import { LRUCache } from 'lru-cache';
import { readByCursor } from '#shared/platform/database/cursor.ts';
import { fromDatabase } from '#shared/platform/database/from-database.ts';
import type { Logger } from '#shared/platform/logging/logger.ts';
import type { CsvQuery } from './columns.ts';
import { createExportSlots, type ExportLimits, type OpenFile } from './export-slots.ts';
import { csvLine } from './line.ts';
import { ReaderPace } from './reader-pace.ts';

type CsvOptions = {
  /** IANA name of the time zone that times are written in. */
  zone: string;
  /**
   * Begin with a byte order mark, without which spreadsheets guess a code page; programs stumble
   * over it.
   */
  mark: boolean;
  /** Whose share of the concurrent files this one counts against, such as a merchant. */
  holder: string;
  /** The id by which the client polls the export's progress. */
  follow?: string | undefined;
};

/** `broken`: it stopped before its end, because of a failure or because its reader left. */
type ExportProgress = { rows: number; state: 'writing' | 'written' | 'broken' };

/** Writes lists of any size as CSV, a few at a time. */
export type Exports = {
  /** Connections that nothing but exports waits for: two for each file that may be written. */
  db: Kysely<unknown>;
  /**
   * The file as a stream, paced by its reader; if the reader leaves, the query ends.
   * @throws Problem rate_limited while too many are under way; not_ready while the database does
   *   not answer
   */
  start(query: CsvQuery, options: CsvOptions): Promise<ReadableStream<Uint8Array>>;
  /** The same for text of another format. */
  startText(
    write: () => AsyncGenerator<string, void, void>,
    options: Pick<CsvOptions, 'holder'>,
  ): Promise<ReadableStream<Uint8Array>>;
  /** The progress of one of the newest files of this instance. */
  progressOf(holder: string, follow: string): ExportProgress | undefined;
};

export const exportLimits: ExportLimits = {
  atOnce: 4,
  perHolder: 2,
  reservedForNew: 2,
  maxMs: 3_600_000,
};

/** So many connections that no file waits for another's. */
export const connectionsFor = ({ atOnce }: ExportLimits): number => 2 * atOnce;

const usualBatchRows = 1_000;
const maxProgresses = 1_000;
const progressKey = (holder: string, follow: string): string => `${holder} ${follow}`;
/** The name of `check` in the query. */
const checked = '_checked';
/** Makes PostgreSQL use an index instead of sorting the whole table before the first row. */
const firstRowsFirst = '0.000001';

export function createExports<DB>(
  db: Kysely<DB>,
  {
    logger,
    limits = exportLimits,
    now = () => performance.now(),
  }: { logger: Logger; limits?: ExportLimits; now?: () => number },
): Exports {
  const progressByFile = new LRUCache<string, ExportProgress>({ max: maxProgresses });
  const slots = createExportSlots(limits);

  async function* limited(
    write: (progress: ExportProgress) => AsyncGenerator<string, void, void>,
    { file, follow }: { file: OpenFile; follow?: string | undefined },
  ) {
    const progress: ExportProgress = { rows: 0, state: 'writing' };
    if (follow !== undefined) progressByFile.set(progressKey(file.holder, follow), progress);
    try {
      const endsAt = now() + limits.maxMs;
      for await (const text of write(progress)) {
        if (now() > endsAt) throw new Error('the export took too long');
        yield encoder.encode(text);
      }
      progress.state = 'written';
    } finally {
      if (progress.state === 'writing') progress.state = 'broken';
      slots.remove(file);
    }
  }

  const begin = async (
    write: Parameters<typeof limited>[0],
    { holder, follow }: Pick<CsvOptions, 'holder' | 'follow'>,
  ) => {
    const file: OpenFile = { holder, pace: new ReaderPace(now) };
    await slots.add(file);
    const chunks = limited(write, { file, follow });
    // Until something is sent, an error can still be answered.
    const first = await fromDatabase(chunks.next());
    return toFileStream(first, { chunks, file, logger });
  };
  return {
    db: db as Kysely<unknown>,
    progressOf: (holder, follow) => progressByFile.get(progressKey(holder, follow)),
    start: (query, options) =>
      begin((progress) => csvText(db, { query, options, progress }), options),
    startText: begin,
  };
}

type CsvExport = { query: CsvQuery; options: CsvOptions; progress: ExportProgress };

async function* csvText<DB>(
  db: Kysely<DB>,
  { query, options: { zone, mark }, progress }: CsvExport,
): AsyncGenerator<string, void, void> {
  const { columns, from, before, after, note, check, batchRows = usualBatchRows } = query;
  const names = columns.map(({ name }) => ({ value: name, foreign: false }));
  const selected = columns.map(({ name, select }) => sql`${select} as ${sql.id(name)}`);
  if (check) selected.push(sql`(${check.select})::text as ${sql.id(checked)}`);
  let text = `${mark ? '\uFEFF' : ''}${csvLine(names)}`;
  const settings = { TimeZone: zone, cursor_tuple_fraction: firstRowsFirst };
  for (const part of [before, from, after]) {
    if (part === undefined) continue;
    const reading = sql<Record<string, string | null>>`select ${sql.join(selected)} ${part}`;
    for await (const rows of readByCursor(db, reading, { batchRows, settings })) {
      await check?.values(rows.flatMap((row) => row[checked] ?? []));
      await openCells(columns, rows);
      for (const row of rows)
        text += csvLine(
          columns.map(({ name, foreign }) => ({ value: row[name] ?? null, foreign })),
        );
      progress.rows += rows.length;
      yield text;
      text = '';
    }
  }
  if (note !== undefined) text += csvLine([{ value: note, foreign: false }]);
  if (text !== '') yield text;
}

const opensAtOnce = 50;

/** Decrypts the encrypted values of the rows. */
async function openCells(
  columns: CsvQuery['columns'],
  rows: readonly Record<string, string | null>[],
): Promise<void> {
  for (const { name, open } of columns) {
    const sealed = open ? rows.filter((row) => typeof row[name] === 'string') : [];
    for (let from = 0; from < sealed.length; from += opensAtOnce)
      await Promise.all(
        sealed.slice(from, from + opensAtOnce).map(async (row) => {
          row[name] = (await open?.(row[name] ?? '')) ?? null;
        }),
      );
  }
}

const encoder = new TextEncoder();

type Chunks = AsyncGenerator<Uint8Array, void, void>;

/**
 * Pulls a chunk when the reader wants one, and ends the chunks when the reader leaves. A file that
 * breaks off cuts the connection, so that a part is not mistaken for the whole file.
 */
function toFileStream(
  first: IteratorResult<Uint8Array, void>,
  { chunks, file, logger }: { chunks: Chunks; file: OpenFile; logger: Logger },
): ReadableStream<Uint8Array> {
  let next: IteratorResult<Uint8Array, void> | undefined = first;
  let cancelled = false;
  return new ReadableStream<Uint8Array>(
    {
      start: (controller) => {
        file.breakOff = async () => {
          if (cancelled) return;
          cancelled = true;
          controller.error(new Error('the export broke off: its reader was too slow'));
          logger.warn(
            { holder: file.holder },
            'an export was ended for others: its reader was slow',
          );
          await chunks.return();
        };
      },
      pull: async (controller) => {
        try {
          file.pace.take();
          const { done, value } = next ?? (await chunks.next());
          next = undefined;
          if (cancelled) return;
          if (done) return controller.close();
          file.pace.send(value.length);
          controller.enqueue(value);
        } catch (error) {
          logger.error({ err: error }, 'an export was aborted');
          controller.error(new Error('the export broke off'));
        }
      },
      cancel: async () => {
        cancelled = true;
        await chunks.return();
      },
    },
    { highWaterMark: 0 },
  );
}
