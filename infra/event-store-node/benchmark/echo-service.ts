import type { ServerDuplexStream, ServiceDefinition } from '@grpc/grpc-js';

export const ECHO_PATH = '/bench.Echo/Echo';

export type EchoCall = ServerDuplexStream<Buffer, Buffer>;

const identity = (bytes: Buffer): Buffer => bytes;

/**
 * A duplex call that gives back what it gets, as bytes: the shape of BatchAppend without any work
 * in it.
 */
export const ECHO_SERVICE: ServiceDefinition = {
  echo: {
    path: ECHO_PATH,
    requestStream: true,
    responseStream: true,
    requestSerialize: identity,
    requestDeserialize: identity,
    responseSerialize: identity,
    responseDeserialize: identity,
  },
};
