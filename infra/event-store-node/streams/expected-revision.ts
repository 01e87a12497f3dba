/** The revision that a writer expects. A bigint, because a client may send any uint64. */
export type ExpectedRevision =
  | { readonly kind: 'any' }
  | { readonly kind: 'no_stream' }
  | { readonly kind: 'stream_exists' }
  | { readonly kind: 'exact'; readonly revision: bigint };

/**
 * The number for an expected revision in error trailers: -1, -2 and -4 as in the older protocol.
 */
export function toLegacyNumber(expected: ExpectedRevision): bigint {
  switch (expected.kind) {
    case 'no_stream':
      return -1n;
    case 'any':
      return -2n;
    case 'stream_exists':
      return -4n;
    case 'exact':
      return expected.revision;
  }
}
