import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { hasNothingOutstanding, newEntity, type AuditedEntity } from './entity.ts';

export type EntityStore = ReturnType<typeof createEntityStore>;

type EntityStoreOptions = {
  folder: string;
  /** Up to twice this many stay in memory. */
  inMemory?: number | undefined;
  onSpill: ((entity: AuditedEntity) => void) | undefined;
};

const defaultInMemory = 5_000;

/**
 * All audited entities: the most recently used in memory, the others in an SQLite file. There are
 * two generations: an entity in use moves to the young one. When that is full, the old one is
 * spilled to the file in one transaction.
 */
export function createEntityStore({
  folder,
  inMemory = defaultInMemory,
  onSpill,
}: EntityStoreOptions) {
  /** Opened once there are more entities than memory may hold. */
  let file: ReturnType<typeof openSpillFile> | undefined;
  let young = new Map<string, AuditedEntity>();
  let old = new Map<string, AuditedEntity>();

  const spill = (entities: Iterable<AuditedEntity>) => {
    file ??= openSpillFile(folder);
    file.database.exec('begin');
    for (const entity of entities) {
      onSpill?.(entity);
      file.put.run(entity.id, hasNothingOutstanding(entity) ? 0 : 1, JSON.stringify(entity));
    }
    file.database.exec('commit');
  };
  const readSpilled = (id: string): AuditedEntity | undefined => {
    const row = file?.find.get(id) as { content: string } | undefined;
    return row && (JSON.parse(row.content) as AuditedEntity);
  };

  return {
    /** The entity with this id; created if it does not exist. */
    of: (id: string): AuditedEntity => {
      const inUse = young.get(id);
      if (inUse) return inUse;
      const entity = old.get(id) ?? readSpilled(id) ?? newEntity(id);
      old.delete(id);
      young.set(id, entity);
      if (young.size >= inMemory) {
        spill(old.values());
        old = young;
        young = new Map();
      }
      return entity;
    },
    /** Entities that expect more events, in no order. They must not be changed. */
    open: function* () {
      const inMemoryNow = [old, young];
      for (const entities of inMemoryNow)
        for (const entity of entities.values()) if (!hasNothingOutstanding(entity)) yield entity;
      for (const row of file?.openOnes.iterate() ?? []) {
        const entity = JSON.parse((row as { content: string }).content) as AuditedEntity;
        if (!old.has(entity.id) && !young.has(entity.id)) yield entity;
      }
    },
    /** Spills all entities to the file, which makes their rows. */
    spillAll: () => {
      spill(old.values());
      spill(young.values());
      old = new Map();
      young = new Map();
    },
    close: () => file?.database.close(),
  };
}

function openSpillFile(folder: string) {
  const database = new DatabaseSync(join(folder, 'entities.db'));
  database.exec(`
    pragma journal_mode = off; pragma synchronous = off; pragma cache_size = -32768; pragma locking_mode = exclusive;
    create table entity (id text primary key, open integer not null, content text not null) without rowid;
    create index open_entity on entity (id) where open = 1`);
  return {
    database,
    put: database.prepare('insert or replace into entity (id, open, content) values (?, ?, ?)'),
    find: database.prepare('select content from entity where id = ?'),
    openOnes: database.prepare('select content from entity where open = 1'),
  };
}
