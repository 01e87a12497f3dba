import type { Kysely } from 'kysely';
import { readCommandLine, refuseCommandLine } from '#shared/platform/command-line.ts';
import { migrate } from '#shared/platform/database/migrate.ts';
import { replicaLagMs } from '#shared/platform/event-store/index.ts';
import { createLogger } from '#shared/platform/logging/logger.ts';
import { createTerminalProgress } from '#shared/platform/progress.ts';
import type { ReadModel } from '../read-model.ts';
import { followerNames, resetFollower } from '../rebuild/followers.ts';
import { rebuild, type RebuildReport } from '../rebuild/rebuild.ts';
import { readModels } from '../registry.ts';
import { runnerMigrations } from '../runner/migrations.ts';
import { describeSchema } from '../reference.ts';
import { listProjections } from '../status.ts';
import { views } from '../views/registry.ts';
import { connectProjectionStores } from './stores.ts';

const usage = `usage: npm run projections -- <command> [name]

  status          prints, as JSON, how far each read model is behind the log. Changes nothing
  compare [name]  builds the tables anew next to the live ones, prints the differences, and drops them
  rebuild [name]  builds them anew, prints the differences, and puts the new ones in place. The gateway may
                  run: readers see the old tables until then. Without a name also the followers below
  reference       prints every table, view and column, as Markdown

A read model: ${readModels.map(({ name }) => name).join(', ')}
A follower, only with rebuild: ${followerNames.join(', ')}.
Its checkpoint is removed if the log does not have it, as after a restore: then it reads the log from the
start. Else nothing is changed. A webhook that PostgreSQL has is not sent again; one without its row is.

The stores: EVENT_STORE_URL and DATABASE_URL, otherwise those of the gateway on DATA_DIR.
Exits with 0, with 1 if it failed or compare found a difference, and with 2 for invalid options.
`;

/** Runs one command. @returns the exit code: 1 for a difference that is still there */
export async function runCommand(args: readonly string[]): Promise<number> {
  const { positionals } = readCommandLine(usage, { args: [...args], allowPositionals: true });
  const [command, name] = positionals;
  if (command === 'reference') {
    process.stdout.write(`${describeSchema(readModels, views)}\n`);
    return 0;
  }
  if (command !== 'status' && command !== 'compare' && command !== 'rebuild') {
    refuseCommandLine(
      usage,
      command === undefined ? 'Name a command' : `There is no command ${command}`,
    );
  }
  const isNamed = (each: string) => name === undefined || each === name;
  const models = readModels.filter((model) => isNamed(model.name));
  const followers = command === 'rebuild' ? followerNames.filter(isNamed) : [];
  if (models.length + followers.length === 0)
    refuseCommandLine(
      usage,
      `There is no read model ${name}${command === 'rebuild' ? ' and no such follower' : ''}`,
    );
  const { db, store, close } = await connectProjectionStores();
  try {
    // A role of the processor's or of the webhooks' may not read the schema of the projections.
    if (models.length > 0) await prepare(db);
    if (command === 'status') {
      process.stdout.write(
        `${JSON.stringify({ projections: await listProjections(db, store) }, null, 2)}\n`,
      );
      return 0;
    }
    // First: a large log takes the read models long.
    const named = name !== undefined;
    const shownBy = performance.now() + replicaLagMs;
    for (const follower of followers)
      process.stdout.write(await resetFollower(follower, { db, store, named, shownBy }));
    let different = 0;
    for (const model of models) {
      const report = await buildAnew(model, command, { db, store });
      different += report.swapped ? 0 : (report.comparison?.different ?? 0);
      process.stdout.write(describe(report));
    }
    return different > 0 ? 1 : 0;
  } finally {
    await close();
  }
}

async function prepare(db: Kysely<unknown>): Promise<void> {
  await migrate(db, runnerMigrations).catch((error: unknown) => {
    throw new Error(
      `The tables of the projections can't be prepared: ${(error as Error).message}`,
      { cause: error },
    );
  });
}

async function buildAnew(
  model: ReadModel,
  command: 'compare' | 'rebuild',
  stores: Pick<Parameters<typeof rebuild>[0], 'db' | 'store'>,
): Promise<RebuildReport> {
  const progress = createTerminalProgress(model.name);
  try {
    const logger = createLogger('projections', 'warn');
    return await rebuild({
      ...stores,
      model,
      logger,
      swap: command === 'rebuild',
      onProgress: progress.update,
    });
  } finally {
    progress.clear();
  }
}

function describe({ projection, events, comparison, swapped }: RebuildReport): string {
  const lines = [`${projection}: ${events} events replayed`];
  if (!comparison)
    lines.push(
      '  nothing to compare with: the live tables are empty, behind, or of another version or log',
    );
  else if (comparison.different === 0) lines.push('  the live tables were the same');
  else lines.push(`  ${comparison.different} rows of the live tables were not what the log gives`);
  for (const { table, key, kind, columns } of comparison?.examples ?? []) {
    const changes = columns.map(
      ({ column, live, rebuilt }) => `${column} ${live} instead of ${rebuilt}`,
    );
    lines.push(`  ${table} ${key}: ${changes.join(', ') || kind}`);
  }
  lines.push(swapped ? '  the new tables are in place' : '  nothing was changed');
  return `${lines.join('\n')}\n`;
}
