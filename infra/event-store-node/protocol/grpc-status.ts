/** The gRPC status codes that the node uses. */
export const GRPC = {
  ok: 0,
  unknown: 2,
  invalidArgument: 3,
  permissionDenied: 7,
  resourceExhausted: 8,
  failedPrecondition: 9,
  aborted: 10,
  unimplemented: 12,
  internal: 13,
  unavailable: 14,
  unauthenticated: 16,
} as const;

/** How a call ends: a code, a message and further trailers. */
export type GrpcStatus = {
  readonly code: number;
  readonly message?: string;
  readonly trailers?: Readonly<Record<string, string>>;
};

export const STATUS_OK: GrpcStatus = { code: GRPC.ok };

/** The real server's answer if a request makes it throw. */
export const HANDLER_THREW: GrpcStatus = {
  code: GRPC.unknown,
  message: 'Exception was thrown by handler.',
};

export function streamDeletedStatus(stream: string): GrpcStatus {
  return {
    code: GRPC.failedPrecondition,
    message: `Event stream '${stream}' is deleted.`,
    trailers: { exception: 'stream-deleted', 'stream-name': stream },
  };
}

export function maximumAppendSizeStatus(maximumBytes: number): GrpcStatus {
  return {
    code: GRPC.invalidArgument,
    message: `Maximum Append Size of ${maximumBytes} Exceeded.`,
    trailers: {
      exception: 'maximum-append-size-exceeded',
      'maximum-append-size': String(maximumBytes),
    },
  };
}

export function missingMetadataStatus(property: string): GrpcStatus {
  return {
    code: GRPC.invalidArgument,
    message: `Required Metadata Property '${property}' is missing`,
    trailers: {
      exception: 'missing-required-metadata-property',
      'required-metadata-properties': 'type,content-type',
    },
  };
}

// Headers have a size limit, but names of streams have none.
const MAX_HEADER_BYTES = 2048;

/**
 * Encodes text for a header as gRPC does: printable ASCII as it is, the rest percent-encoded. Long
 * text is cut.
 */
export function encodeHeaderText(text: string): string {
  let encoded = '';
  for (const byte of Buffer.from(text, 'utf8').subarray(0, MAX_HEADER_BYTES)) {
    const plain = byte >= 0x20 && byte <= 0x7e && byte !== 0x25;
    encoded += plain
      ? String.fromCharCode(byte)
      : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return encoded;
}
