/** The reader's time zone: from PGTZ, as PostgreSQL's own programs take it, else this machine's. */
export const readersZone = (env: NodeJS.ProcessEnv = process.env): string =>
  env['PGTZ'] || Intl.DateTimeFormat().resolvedOptions().timeZone;
