import { readSegments, countSegments, type BackupStore } from '#infra/backup/segments.ts';
import { BackupDamage } from '#infra/backup/segment.ts';

/** What a whole copy has, once each of its objects is verified. */
export type VerifiedBackup = {
  segments: number;
  /** The position of the newest event of each segment. */
  ends: number[];
  events: number;
  bytes: number;
  /** Streams that are deleted for good by the end of the copy. */
  deleted: ReadonlySet<string>;
  newestAt: string;
  writtenAt: string;
};

/** @throws BackupDamage at the first object that is not as it was written, or that there is none */
export async function verifyBackup(store: BackupStore): Promise<VerifiedBackup> {
  const count = await countSegments(store);
  const ends: number[] = [];
  const deleted = new Set<string>();
  let last;
  for await (const { header } of readSegments(store, { count })) {
    ends.push(header.last_position);
    for (const stream of header.deleted) deleted.add(stream);
    last = header;
  }
  if (last === undefined) throw new BackupDamage('there is no backup');
  const { total_events: events, total_bytes: bytes } = last;
  return {
    segments: count,
    ends,
    events,
    bytes,
    deleted,
    newestAt: last.newest_at,
    writtenAt: last.written_at,
  };
}
