/**
 * Chooses how appends and reads are encoded: with the gateway's own codec or, with
 * `EVENT_STORE_CODEC=official`, only with the client's public functions
 * (docs/decisions/own-codec.md). Only the chosen one is loaded: the import of the own codec fails
 * if the client does not have the private members that it needs.
 */
export const { asClientError, createAppend, createReads } =
  process.env['EVENT_STORE_CODEC'] === 'official'
    ? await import('./official/index.ts')
    : await import('./own-codec.ts');
