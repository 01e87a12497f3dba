/** The time zone of whoever reads: as PostgreSQL's own programs take it from PGTZ, else that of this machine. */
export const readersZone = (env: NodeJS.ProcessEnv = process.env): string =>
  env['PGTZ'] || Intl.DateTimeFormat().resolvedOptions().timeZone;
