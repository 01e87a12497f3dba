import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** It comes alongside the checkout, because no registry serves one that needs no container. */
const besideProject = fileURLToPath(
  new URL('../../../../../shared/eventstore/run', import.meta.url),
);

/** Why no real EventStoreDB can be started here; undefined if one can. */
export function findMissingForRealStore({
  run = besideProject,
  path = process.env['PATH'] ?? '',
} = {}): string | undefined {
  if (!existsSync(run)) return 'there is no ../shared/eventstore alongside the project';
  return path.split(delimiter).some((folder) => existsSync(join(folder, 'dotnet')))
    ? undefined
    : 'dotnet is not installed';
}

/** The EVENT_STORE_COMMAND that starts it. */
export const realStoreCommand = `'${besideProject}' --port {port} --db '{folder}'`;
