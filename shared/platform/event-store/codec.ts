/**
 * The one place that chooses how appends and reads are written on the wire: by the gateway's own
 * codec, or, with `EVENT_STORE_CODEC=official`, by the client's public functions alone
 * (docs/decisions/own-codec.md). What is not chosen is not loaded: a client without the members
 * that the own codec leans on would fail at the import.
 */
export const { asClientError, createAppend, createReads } =
  process.env['EVENT_STORE_CODEC'] === 'official'
    ? await import('./official/index.ts')
    : await import('./own-codec.ts');
