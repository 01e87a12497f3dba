/** The reader's time zone: PGTZ, which PostgreSQL's own programs use, else this machine's. */
export const readersZone = (env: NodeJS.ProcessEnv = process.env): string =>
  env['PGTZ'] || Intl.DateTimeFormat().resolvedOptions().timeZone;
