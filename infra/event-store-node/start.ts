import type { MessagePort } from 'node:worker_threads';
import { servePort, type ServedPort } from './in-process/serve-port.ts';
import { runCall } from './protocol/grpc-call.ts';
import type { GrpcCall, GrpcMethod } from './protocol/grpc-call.ts';
import { GRPC } from './protocol/grpc-status.ts';
import { randomUuid } from './protocol/uuid.ts';
import { startFront } from './http/front.ts';
import type { KeepAlive } from './http/keep-alive.ts';
import { isSameUser } from './http/same-user.ts';
import { answerHttp } from './http/routes.ts';
import { createMethods } from './services/methods.ts';
import type { NodeContext } from './services/node-context.ts';
import { openStore, type NodeStore } from './storage/open-store.ts';

type EventStoreNodeOptions = {
  /** The folder of the log; created if it is missing. Only one node at a time can use it. */
  readonly directory: string;
  /** 0, the default, lets the system choose. */
  readonly port?: number;
  readonly host?: string;
  /** How often records that were deleted for good are overwritten; unset: never. */
  readonly scavengeEveryMs?: number;
  /** Only processes of the same user, and root's, may connect; only on Linux. */
  readonly sameUserOnly?: boolean;
  /**
   * Ends a live subscription that is more events behind than this, as 23.10 does at 32; unset: it
   * reads from the log again, as on newer servers.
   */
  readonly maxEventsBehind?: number | undefined;
  /** When a connection with a lost client is closed; unset: as the real server does. */
  readonly keepAlive?: KeepAlive;
  /**
   * Called with bugs of the node, with `refused` if the disk is full (writes are refused until
   * there is room), and with `fatal` if the disk failed: then the node stops.
   */
  readonly onFault?: (fault: NodeFault) => void;
};

export type NodeFault = { readonly kind: 'bug' | 'refused' | 'fatal'; readonly error: unknown };

export type EventStoreNode = {
  /** A connection string for the official client. */
  readonly url: string;
  readonly host: string;
  readonly port: number;
  /** Serves another thread of this process, in addition to the network. */
  readonly serve: (port: MessagePort) => void;
  /** Commits the waiting writes, ends every call and releases the directory. */
  readonly stop: () => Promise<void>;
};

/** How often a full disk is logged. */
const REFUSED_AGAIN_MS = 10_000;
/** How long connections may take to close when the node stops. */
const STOP_GRACE_MS = 500;

/**
 * Starts a single-node event store that speaks EventStoreDB's protocol. For one machine: it has no
 * replicas and no authentication. Throws `StorageUnavailableError` when the directory is in use or
 * can't be written, and the system's error when the address can't be listened on.
 */
export async function startEventStoreNode(options: EventStoreNodeOptions): Promise<EventStoreNode> {
  const { directory, host = '127.0.0.1', onFault = () => undefined, scavengeEveryMs } = options;
  const calls = new OpenCalls();
  let stopping: Promise<void> | undefined;
  const store = openStore(directory, {
    onFatal(error) {
      onFault({ kind: 'fatal', error });
      // Not at once: the current writes are answered first.
      setImmediate(() => void stop());
    },
    onRefused: rateLimited((error) => onFault({ kind: 'refused', error })),
  });
  const advertised = { host, port: options.port ?? 0 };
  const { maxEventsBehind } = options;
  const context: NodeContext = { ...store, advertised, instanceId: randomUuid(), maxEventsBehind };
  const methodFor = createMethods(context);
  const onBug = (error: unknown): void => onFault({ kind: 'bug', error });
  const tracked = (path: string): GrpcMethod => calls.track(methodFor(path));
  const ports = new Set<ServedPort>();
  const front = await startFront(host, advertised.port, {
    keepAlive: options.keepAlive,
    admits: options.sameUserOnly === true ? (socket) => isSameUser(socket) : undefined,
    onRequest: (method, url) => answerHttp(context, method, url),
    onCall(stream, path) {
      runCall(stream, tracked(path), onBug);
    },
  }).catch((error: unknown) => {
    store.close();
    throw error;
  });
  advertised.port = front.port;

  const scavenging =
    scavengeEveryMs === undefined
      ? undefined
      : scavengeEvery(scavengeEveryMs, store, (error) => onFault({ kind: 'refused', error }));

  async function shutDown(): Promise<void> {
    clearInterval(scavenging);
    store.writes.close();
    // Answers are sent in a microtask after their commit: they must go out before their call ends.
    await Promise.resolve();
    calls.end();
    for (const served of ports) served.close();
    await front.close(STOP_GRACE_MS);
    store.close();
  }

  function stop(): Promise<void> {
    stopping ??= shutDown();
    return stopping;
  }

  return {
    url: `esdb://${host}:${front.port}?tls=false`,
    host,
    port: front.port,
    serve: (port) => {
      const served = servePort(port, tracked, onBug);
      ports.add(served);
      port.once('close', () => ports.delete(served));
    },
    stop,
  };
}

/** If the disk fails, the next write shows it; it is tried again at the next interval. */
function scavengeEvery(
  everyMs: number,
  store: Pick<NodeStore, 'scavenge'>,
  onFailure: (error: unknown) => void,
): NodeJS.Timeout {
  return setInterval(() => {
    try {
      store.scavenge();
    } catch (error) {
      onFailure(error);
    }
  }, everyMs).unref();
}

/** The calls that are open, to end them when the node stops. */
class OpenCalls {
  readonly #calls = new Set<GrpcCall>();

  track(method: GrpcMethod): GrpcMethod {
    return (call) => {
      this.#calls.add(call);
      call.onOver(() => this.#calls.delete(call));
      return method(call);
    };
  }

  end(): void {
    for (const call of this.#calls) {
      call.end({ code: GRPC.unavailable, message: 'The event store node is stopping.' });
    }
  }
}

/** Limits how often a full disk is reported, because every write is refused while it lasts. */
function rateLimited(log: (error: unknown) => void): (error: unknown) => void {
  let loggedAtMs = Number.NEGATIVE_INFINITY;
  return (error) => {
    if (performance.now() - loggedAtMs < REFUSED_AGAIN_MS) return;
    loggedAtMs = performance.now();
    log(error);
  };
}
