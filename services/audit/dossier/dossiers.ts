import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { isAtRest, newDossier, type Dossier } from './dossier.ts';

/**
 * The dossiers of all operations: the most recently used in memory, the others in an SQLite file.
 */
export type Dossiers = {
  /** The dossier of an operation; a new one if there is none. */
  of(id: string): Dossier;
  /** Dossiers for which something is still expected, in no order. They must not be changed. */
  open(): Iterable<Dossier>;
  /** Puts all aside, which makes their rows. */
  putAllAside(): void;
  close(): void;
};

type DossierOptions = {
  folder: string;
  /** Up to twice this many are kept in memory. */
  inMemory?: number;
  /** Called when one is put aside. `atRest`: nothing more is expected of it. */
  onPutAside(dossier: Dossier, atRest: boolean): void;
};

const defaultInMemory = 5_000;

/**
 * Two generations: a used dossier moves to the young one. When that is full, the old one is written
 * to the file in one transaction.
 */
export function createDossiers({
  folder,
  inMemory = defaultInMemory,
  onPutAside,
}: DossierOptions): Dossiers {
  /** Opened once there are more dossiers than memory may hold. */
  let aside: ReturnType<typeof openAside> | undefined;
  let young = new Map<string, Dossier>();
  let old = new Map<string, Dossier>();

  const putAside = (dossiers: Iterable<Dossier>) => {
    aside ??= openAside(folder);
    aside.database.exec('begin');
    for (const dossier of dossiers) {
      const atRest = isAtRest(dossier);
      onPutAside(dossier, atRest);
      aside.put.run(dossier.id, atRest ? 0 : 1, JSON.stringify(dossier));
    }
    aside.database.exec('commit');
  };
  const foundAside = (id: string): Dossier | undefined => {
    const row = aside?.find.get(id) as { content: string } | undefined;
    return row && (JSON.parse(row.content) as Dossier);
  };

  return {
    of: (id) => {
      const known = young.get(id);
      if (known) return known;
      const dossier = old.get(id) ?? foundAside(id) ?? newDossier(id);
      old.delete(id);
      young.set(id, dossier);
      if (young.size >= inMemory) {
        putAside(old.values());
        old = young;
        young = new Map();
      }
      return dossier;
    },
    open: function* () {
      const inMemoryNow = [old, young];
      for (const dossiers of inMemoryNow)
        for (const dossier of dossiers.values()) if (!isAtRest(dossier)) yield dossier;
      for (const row of aside?.openOnes.iterate() ?? []) {
        const dossier = JSON.parse((row as { content: string }).content) as Dossier;
        if (!old.has(dossier.id) && !young.has(dossier.id)) yield dossier;
      }
    },
    putAllAside: () => {
      putAside(old.values());
      putAside(young.values());
      old = new Map();
      young = new Map();
    },
    close: () => aside?.database.close(),
  };
}

function openAside(folder: string) {
  const database = new DatabaseSync(join(folder, 'dossiers.db'));
  database.exec(`
    pragma journal_mode = off; pragma synchronous = off; pragma cache_size = -32768; pragma locking_mode = exclusive;
    create table dossier (id text primary key, open integer not null, content text not null) without rowid;
    create index open_dossier on dossier (id) where open = 1`);
  return {
    database,
    put: database.prepare('insert or replace into dossier (id, open, content) values (?, ?, ?)'),
    find: database.prepare('select content from dossier where id = ?'),
    openOnes: database.prepare('select content from dossier where open = 1'),
  };
}
